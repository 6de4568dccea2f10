"""Long arrays of a resolved test are shortened, and the text is then not valid TOML."""

import tomllib

import numpy as np
import pytest

from dovetail.cli.shortened import MAX_ENTRIES, short_toml

TABLE = {
    "title": "<array 0>",
    "short": [1.0, 2.5],
    "words": ["a", "b"],
    "inner": {"samples": np.linspace(0, 1, 1001).tolist(), "matrix": np.eye(6).tolist()},
    "parts": [{"rows": list(range(MAX_ENTRIES + 1))}, {"rows": list(range(MAX_ENTRIES))}],
    "text": ["line"] * (MAX_ENTRIES + 1),
    "ragged": [[1.0], [2.0, 3.0]],
}


def test_long_arrays_are_abbreviated_and_other_values_unchanged():
    text = short_toml(TABLE)
    assert "samples = [0.0, 0.001, 0.002, ..., 1.0]  # 1001 numbers; --full prints all" in text
    assert "matrix = [1.0, 0.0, 0.0, ..., 1.0]  # 6 x 6 numbers" in text
    assert "rows = [0, 1, 2, ..., 24]  # 25 numbers" in text
    assert "text = [...]  # 25 lines" in text
    with pytest.raises(tomllib.TOMLDecodeError):
        tomllib.loads(text)


def test_a_short_table_is_unchanged():
    table = {key: TABLE[key] for key in ("title", "short", "words", "ragged")}
    assert tomllib.loads(short_toml(table)) == table


def test_check_shortens_a_ground_record_unless_full_is_given(dovetail, tmp_path):
    rows = "\n".join(f"{0.01 * i:.2f},{i % 7}" for i in range(200))
    (tmp_path / "station.csv").write_text(rows)
    words = ("check", "substructuring/rths-benchmark", "--set", "duration=1", "--set")
    record = f'excitation={{kind="ground-record", file="{tmp_path}/station.csv"}}'
    code, out, err = dovetail(*words, record)
    assert code == 0, err
    assert "# 200 numbers; --full prints all" in out
    code, out, _ = dovetail(*words, record, "--full")
    assert len(tomllib.loads(out)["excitation"]["samples"]) == 200
