"""Instances of FMUs end with the module that opened them."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def closed():
    yield
    from dovetail.links.fmi.model import close_all

    close_all()
