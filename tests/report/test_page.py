import pytest

from dovetail.core.errors import OutputError, ParameterError
from dovetail.report import Page, PageSection, PageTable, Paragraph, Verdict


def test_a_page_is_written_completely(tmp_path):
    page = Page("A test", Verdict("Stable: it works."), [PageSection("Outcome", [Paragraph("It ended.")])])
    path = page.write(tmp_path / "report.html")
    assert path.read_text("utf-8") == page.html()
    assert list(tmp_path.iterdir()) == [path]  # nothing half-written is left


def test_an_unwritable_path_is_reported(tmp_path):
    with pytest.raises(OutputError, match=r"nowhere.*cannot be written \(no such file or directory\)"):
        Page("A test", Verdict("Fine.")).write(tmp_path / "nowhere" / "report.html")


def test_a_row_of_the_wrong_length_is_refused():
    with pytest.raises(ParameterError, match="a row has 1 cells, the head has 2 columns"):
        PageTable(["a", "b"], [["one"]])
