"""`dovetail campaign` on the command line."""

import pytest

from dovetail.campaign import Store, open_results

FILE = """
title = "Frequencies"
model = "campaigning_model:frequency"
chunk = 3
batch = 3
[[axis]]
path = "mass"
values = [-1, 1, 4]
[[axis]]
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


def test_it_computes_tells_and_resumes(dovetail, file, tmp_path):
    code, out, _ = dovetail("campaign", file, "--out", tmp_path / "out")
    assert code == 1  # two points failed
    assert "6 of 6 points are there" in out
    assert "frequency" in out
    assert "2 points failed" in out
    assert "frequency is not finite" in out
    assert float(open_results(tmp_path / "out").frequency.sel(mass=4, stiffness=400)) == 10
    code, out, _ = dovetail("campaign", file, "--out", tmp_path / "out", "--resume")
    assert "0 computed now" in out


def test_settings_change_the_campaign(dovetail, file, tmp_path):
    code, out, _ = dovetail("campaign", file, "--out", tmp_path / "out", "--set", "axis.0.values=[1, 2]")
    assert code == 0
    assert "4 of 4 points" in out


def test_what_is_wrong_is_told_without_a_traceback(dovetail, file, tmp_path):
    dovetail("campaign", file, "--out", tmp_path / "out")
    code, _, err = dovetail("campaign", file, "--out", tmp_path / "out")
    assert code == 2
    assert "--resume" in err
    code, _, err = dovetail("campaign", file, "--resume")
    assert code == 2
    assert "--resume needs --out" in err
    code, _, err = dovetail("campaign", "docking/nothing")
    assert code == 2
    assert "no campaign" in err


WORST = '[[answers]]\nkind = "worst"\nmeasure = "frequency"\n'


def test_answers_that_were_edited_are_answered_anew_without_computing(dovetail, file, tmp_path):
    out = tmp_path / "out"
    file.write_text(FILE.replace("[-1, 1, 4]", "[1, 4]"))
    code, text, _ = dovetail("campaign", file, "--out", out)
    assert code == 0
    assert "worst frequency" not in text
    file.write_text(file.read_text() + WORST)
    code, text, _ = dovetail("campaign", file, "--out", out, "--resume")
    assert code == 0
    assert "0 computed now" in text
    assert "worst frequency:" in text
    assert "20 at point 1" in text
    assert Store.resume(out).campaign.answers[0]["kind"] == "worst"  # and a report of the folder has them too
    assert 'measure = "frequency"' in (out / "campaign.toml").read_text()
    file.write_text(file.read_text().replace(WORST, ""))
    _, text, _ = dovetail("campaign", file, "--out", out, "--resume")
    assert "worst frequency" not in text


def test_a_rule_that_names_nothing_is_told_before_a_point_is_computed(dovetail, file, tmp_path):
    file.write_text(FILE + '[[answers]]\nkind = "probability"\nrule = "speed > 3"\n')
    code, text, err = dovetail("campaign", file, "--out", tmp_path / "out")
    assert code == 2
    assert 'answers.0.rule   no measure or axis "speed"; known: ' in err
    assert not (tmp_path / "out").exists()


def test_a_question_that_the_results_cannot_answer_is_no_success(dovetail, file, tmp_path):
    few = FILE.replace("[-1, 1, 4]", "[1, 4]")
    file.write_text(few + '[[answers]]\nkind = "surface"\nmeasure = "frequency"\ndegree = 4\n')
    code, text, _ = dovetail("campaign", file, "--out", tmp_path / "out")
    assert "no answer: " in text
    assert code == 1


def test_a_bound_that_nothing_keeps_is_a_result(dovetail, file, tmp_path):
    few = FILE.replace("[-1, 1, 4]", "[1, 4]")
    file.write_text(few + '[[answers]]\nkind = "largest"\nof = "mass"\nmeasure = "frequency"\nbelow = 1e-9\n')
    code, text, err = dovetail("campaign", file, "--out", tmp_path / "out")
    assert "none of mass: already at mass = " in text
    assert code == 0, err


def test_questions_are_corrected_and_answered_from_the_store_without_computing_a_point(
    dovetail, file, tmp_path, monkeypatch
):
    file.write_text(FILE + '[[answers]]\nkind = "worst"\nmeasure = "frequency"\n')
    dovetail("campaign", file, "--out", tmp_path / "out")
    (tmp_path / "campaigning_model.py").unlink()  # nothing of the subject is needed for it
    monkeypatch.setattr("dovetail.campaign.run", None)
    file.write_text(FILE + '[[answers]]\nkind = "probability"\nrule = "frequency > 9"\n')
    code, out, err = dovetail("campaign", file, "--out", tmp_path / "out", "--answers")
    assert code == 0, err
    assert "frequency > 9: 75 % of the points (3 of 4)" in out
    assert [q["kind"] for q in Store.resume(tmp_path / "out").campaign.answers] == ["probability"]
    file.write_text(FILE + '[[answers]]\nkind = "probability"\nrule = "frequenzy > 9"\n')
    code, out, _ = dovetail("campaign", file, "--out", tmp_path / "out", "--answers")
    assert code == 1
    assert 'did you mean "frequency"' in out
    for text, words in (
        (FILE, "answers   there are none"),
        (FILE + "answers = 3\n", "needs a list of tables"),
    ):
        file.write_text(text if "answers =" not in text else "answers = 3\n" + FILE)
        code, _, err = dovetail("campaign", file, "--out", tmp_path / "out", "--answers")
        assert code == 2
        assert words in err
    assert dovetail("campaign", file, "--answers")[0] == 2
