"""Files of ground motions: read as they are written, whatever separator and unit; what is left open is asked for."""

import itertools

import numpy as np
import pytest

from dovetail.core.errors import OutputError
from dovetail.testing.excitation import read_record
from dovetail.testing.excitation.record_file import SEPARATORS, UNITS, G

AT2 = """PEER STRONG MOTION DATABASE RECORD
SOMEWHERE, 1979
ACCELERATION TIME HISTORY IN UNITS OF G
{header}
  .1000000E-01  -.2000000E-01   .5000000E-02
  .0000000E+00   .1000000E-02
"""


@pytest.mark.parametrize("header", ["NPTS=   5, DT=   .0050 SEC,", "5 0.0050 NPTS, DT"])
def test_peer_records_are_read_in_units_of_gravity(tmp_path, header):
    (tmp_path / "r.AT2").write_text(AT2.format(header=header))
    start, sample_time, samples = read_record(tmp_path / "r.AT2")
    assert (start, sample_time) == (0.0, 0.005)
    np.testing.assert_allclose(samples, G * np.array([0.01, -0.02, 0.005, 0.0, 0.001]))


def test_csv_records_are_read_with_or_without_a_heading(tmp_path):
    (tmp_path / "r.csv").write_text("time [s], acceleration [m/s^2]\n0.00, 0.5\n0.01, -1.0\n\n0.02, 0.25\n")
    start, sample_time, samples = read_record(tmp_path / "r.csv")
    assert start == 0.0
    assert sample_time == pytest.approx(0.01)
    np.testing.assert_allclose(samples, [0.5, -1.0, 0.25])


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("none.at2", None, "cannot be read"),
        ("r.at2", "no record\n", "is not a PEER record"),
        (
            "r.at2",
            AT2.format(header="NPTS= 50, DT= .005 SEC"),
            "50 samples .* 5 values",
        ),
        ("r.csv", "O.0,1\n0.1,2\n0.2,3\n", 'line 1: got "O.0,1"; needs a time'),
        ("r.csv", "0,1\n0.1,two\n", r'line 2: got "0.1,two"'),
        ("r.csv", "0,1\n0.1,2\n0.3,1\n", "equal steps"),
        ("r.csv", "time,acceleration\n", "has 0 samples"),
    ],
)
def test_an_invalid_file_is_reported(tmp_path, name, text, words):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(OutputError, match=words):
        read_record(tmp_path / name)


MARKS = {"semicolon": ";", "tab": "\t", "comma": ",", "space": "  "}
HEADS = {"m/s2": "m/s^2", "cm/s2": "cm/s2", "mm/s2": "mm/s²", "g": "g"}


@pytest.mark.parametrize("said", [False, True])
def test_every_layout_is_read_with_its_values(tmp_path, said):
    rng = np.random.default_rng(24)
    assert set(MARKS) == set(SEPARATORS)
    cases = itertools.product(MARKS, UNITS, (".", ","), ("", "\ufeff"), (1, 3))
    for separator, unit, point, mark, columns in cases:
        if separator == "comma" and point == ",":
            continue  # nobody could tell
        start, sample_time = float(rng.uniform(-3.0, 9.0)), float(rng.uniform(0.001, 0.1))
        table = rng.normal(size=(4, columns)) * 10.0 ** rng.integers(-3, 3)
        at = int(rng.integers(columns))
        head = [f"A{k} [{HEADS[unit]}]" for k in range(columns)] if not said else ["NS"] * columns
        rows = [["t [s]", *head]] + [
            [repr(start + sample_time * i), *map(repr, row)] for i, row in enumerate(table.tolist())
        ]
        text = "\n".join(MARKS[separator].join(row).replace(".", point) for row in rows)
        (tmp_path / "r.txt").write_text(f"{mark}# station 7, 1999\n{text}\n", "utf-8")
        name = f"{at + 2}" if said or rng.random() < 0.5 else f"a{at}"
        keys = {"unit": unit, "separator": separator} if said else {}
        first, step, samples = read_record(tmp_path / "r.txt", "" if columns == 1 else name, **keys)
        assert (first, step) == (pytest.approx(start), pytest.approx(sample_time, rel=1e-6))
        np.testing.assert_allclose(samples, table[:, at] * UNITS[unit], rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("0.5\n-1.25\n2\n", {}),
        ("0,5\n-1,25\n2,0\n", {"separator": "space"}),
        ("9;0,5\n9;-1,25\n9;2\n", {"column": "2"}),
    ],
)
def test_a_file_without_times_uses_its_sample_time(tmp_path, text, keys):
    (tmp_path / "r.txt").write_text(text)
    start, sample_time, samples = read_record(tmp_path / "r.txt", sample_time=0.02, **keys)
    assert (start, sample_time) == (0.0, 0.02)
    np.testing.assert_array_equal(samples, [0.5, -1.25, 2.0])


def test_times_use_the_unit_of_their_heading(tmp_path):
    (tmp_path / "r.csv").write_text("t [ms], a [gal]\n10, 1\n15, 2\n20, 3\n")
    start, sample_time, samples = read_record(tmp_path / "r.csv")
    assert (start, sample_time) == (pytest.approx(0.01), pytest.approx(0.005))
    np.testing.assert_allclose(samples, [0.01, 0.02, 0.03])


def test_a_peer_record_in_another_unit_is_read_in_that(tmp_path):
    (tmp_path / "r.at2").write_text(AT2.format(header="NPTS=   5, DT=   .0050 SEC,"))
    assert read_record(tmp_path / "r.at2", unit="cm/s2")[2][0] == pytest.approx(1e-4)


@pytest.mark.parametrize(
    ("text", "keys", "words"),
    [
        ("0,1,2\n0.1,2,3\n", {}, r"has 3 columns \(3\); .* column = 2"),
        ("t,NS,EW\n0,1,2\n0.1,2,3\n", {}, r"has 3 columns \(t, NS, EW\)"),
        (
            "t,NS,EW\n0,1,2\n0.1,2,3\n",
            {"column": "UD"},
            'got column "UD"; the columns are t, NS, EW; .* 2 to 3',
        ),
        ("0,1\n0.1,2\n", {"column": "1"}, 'got column "1".* from 2 to 2'),
        ("0,1\n0.1,2\n", {"column": "3"}, 'got column "3".* from 2 to 2'),
        ("0,5\n0,6\n", {"sample_time": 0.1}, r"has 2 columns .* separator = \"space\""),
        ("0.5\n0.6\n", {}, "has one column; .* sample_time"),
        (
            "t [s],a [ft/s2]\n0,1\n0.1,2\n",
            {},
            r'"a" .* "ft/s2"; .* m/s2, cm/s2, mm/s2, g',
        ),
        ("t [min],a [g]\n0,1\n0.1,2\n", {}, r'"t" .* "min"; .* s, sec, ms'),
    ],
)
def test_missing_information_of_a_file_is_requested(tmp_path, text, keys, words):
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(OutputError, match=words):
        read_record(tmp_path / "r.csv", **keys)


def test_a_peer_record_has_no_columns(tmp_path):
    (tmp_path / "r.at2").write_text(AT2.format(header="NPTS=   5, DT=   .0050 SEC,"))
    with pytest.raises(OutputError, match="is a PEER record"):
        read_record(tmp_path / "r.at2", column="2")
