"""`dovetail campaign` on the command line."""

import pytest

from dovetail.campaign import Store, open_results

FILE = """
title = "Frequencies"
parts = ["campaigning_model.py"]
model = "campaigning_model:frequency"
chunk = 3
batch = 3
[[parameter]]
path = "mass"
values = [-1, 1, 4]
[[parameter]]
path = "stiffness"
values = [100, 400]
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "campaigning_model.py").write_text(
        "def frequency(mass, stiffness):\n    return {'frequency': (stiffness / mass) ** 0.5}\n"
    )
    path = tmp_path / "frequencies.toml"
    path.write_text(FILE)
    return path


def test_a_campaign_is_computed_reported_and_resumed(dovetail, file, tmp_path):
    code, out, _ = dovetail("campaign", file, "--out", tmp_path / "out")
    assert code == 1  # two points failed
    assert "6 of 6 points stored" in out
    assert "frequency" in out
    assert "2 points failed" in out
    assert "frequency is not finite" in out
    assert float(open_results(tmp_path / "out").frequency.sel(mass=4, stiffness=400)) == 10
    code, out, _ = dovetail("campaign", file, "--resume", tmp_path / "out")
    assert "0 computed in this run" in out


def test_settings_change_the_campaign(dovetail, file, tmp_path):
    code, out, _ = dovetail("campaign", file, "--out", tmp_path / "out", "--set", "parameter.0.values=[1, 2]")
    assert code == 0
    assert "4 of 4 points" in out


def test_errors_are_printed_without_a_traceback(dovetail, file, tmp_path):
    dovetail("campaign", file, "--out", tmp_path / "out")
    code, _, err = dovetail("campaign", file, "--out", tmp_path / "out")
    assert code == 2
    assert "--resume" in err
    code, _, err = dovetail("campaign", file, "--out", tmp_path, "--resume", tmp_path / "out")
    assert code == 2
    assert "--out: not used with --resume" in err
    code, _, err = dovetail("campaign", "docking/nothing")
    assert code == 2
    assert "no campaign" in err


WORST = '[[analysis]]\nkind = "worst-cases"\nmeasure = "frequency"\n'


def test_edited_analyses_are_repeated_without_computing_points(dovetail, file, tmp_path):
    out = tmp_path / "out"
    file.write_text(FILE.replace("[-1, 1, 4]", "[1, 4]"))
    code, text, _ = dovetail("campaign", file, "--out", out)
    assert code == 0
    assert "worst frequency" not in text
    file.write_text(file.read_text() + WORST)
    code, text, _ = dovetail("campaign", file, "--resume", out)
    assert code == 0
    assert "0 computed in this run" in text
    assert "worst frequency:" in text
    assert "20 at point 1" in text
    assert (
        Store.resume(out).campaign.analyses[0]["kind"] == "worst-cases"
    )  # and a report of the folder has them too
    assert 'measure = "frequency"' in (out / "campaign.toml").read_text()
    file.write_text(file.read_text().replace(WORST, ""))
    _, text, _ = dovetail("campaign", file, "--resume", out)
    assert "worst frequency" not in text


def test_an_unknown_name_in_a_condition_is_reported_before_computing(dovetail, file, tmp_path):
    file.write_text(FILE + '[[analysis]]\nkind = "probability"\ncondition = "speed > 3"\n')
    code, text, err = dovetail("campaign", file, "--out", tmp_path / "out")
    assert code == 2
    assert 'analysis.0.condition   no measure or parameter "speed"; known: ' in err
    assert not (tmp_path / "out").exists()


def test_an_analysis_without_result_fails(dovetail, file, tmp_path):
    few = FILE.replace("[-1, 1, 4]", "[1, 4]")
    file.write_text(few + '[[analysis]]\nkind = "response-surface"\nmeasure = "frequency"\ndegree = 4\n')
    code, text, _ = dovetail("campaign", file, "--out", tmp_path / "out")
    assert "no result: " in text
    assert code == 1


def test_a_limit_that_no_value_meets_is_a_result(dovetail, file, tmp_path):
    few = FILE.replace("[-1, 1, 4]", "[1, 4]")
    file.write_text(
        few
        + '[[analysis]]\nkind = "largest-admissible"\nparameter = "mass"\nmeasure = "frequency"\nlimit = 1e-9\n'
    )
    code, text, err = dovetail("campaign", file, "--out", tmp_path / "out")
    assert "none of mass: already at mass = " in text
    assert code == 0, err


def test_corrected_analyses_use_the_stored_points(dovetail, file, tmp_path, monkeypatch):
    file.write_text(FILE + '[[analysis]]\nkind = "worst-cases"\nmeasure = "frequency"\n')
    dovetail("campaign", file, "--out", tmp_path / "out")
    (tmp_path / "campaigning_model.py").unlink()  # nothing of the subject is needed for it
    monkeypatch.setattr("dovetail.campaign.run", None)
    file.write_text(FILE + '[[analysis]]\nkind = "probability"\ncondition = "frequency > 9"\n')
    code, out, err = dovetail("campaign", file, "--out", tmp_path / "out", "--analyse-only")
    assert code == 0, err
    assert "frequency > 9: 75 % of the points (3 of 4)" in out
    assert [q["kind"] for q in Store.resume(tmp_path / "out").campaign.analyses] == ["probability"]
    file.write_text(FILE + '[[analysis]]\nkind = "probability"\ncondition = "frequenzy > 9"\n')
    code, out, _ = dovetail("campaign", file, "--out", tmp_path / "out", "--analyse-only")
    assert code == 1
    assert 'did you mean "frequency"' in out
    for text, words in (
        (FILE, "analysis   no analyses"),
        (FILE + "analysis = 3\n", "expected a list of tables"),
    ):
        file.write_text(text if "analysis =" not in text else "analysis = 3\n" + FILE)
        code, _, err = dovetail("campaign", file, "--out", tmp_path / "out", "--analyse-only")
        assert code == 2
        assert words in err
    assert dovetail("campaign", file, "--analyse-only")[0] == 2
