import pytest

from dovetail.core.errors import ParameterError
from dovetail.report import PageTable


def test_a_row_of_the_wrong_length_is_rejected():
    with pytest.raises(ParameterError, match="a row has 1 cells, the head has 2 columns"):
        PageTable(["a", "b"], [["one"]])
