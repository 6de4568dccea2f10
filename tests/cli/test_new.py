"""`dovetail new`: invalid names are rejected, and no file is overwritten."""

import pytest


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("part", "my-damper"), 'got "my-damper". Expected letters'),
        (("test", "class"), 'got "class". Expected letters'),
        (("party", "mine"), 'no template "party"; did you mean "part"? known: part, study, test'),
        (("part", "there"), "test_there.py: already exists"),
        (("study", "folder"), "test_folder.py: already exists"),
        (("study", "file"), "cannot be written (file exists)"),
    ],
)
def test_invalid_names_and_existing_files_are_reported(dovetail, tmp_path, arguments, words):
    (tmp_path / "test_there.py").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "test_folder.py").touch()
    (tmp_path / "file").touch()
    code, _, err = dovetail("new", *arguments)
    assert code == 2
    assert words in err
    assert not (tmp_path / "there.py").exists()
    assert not (tmp_path / "folder" / "folder.py").exists()
