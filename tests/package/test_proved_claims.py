"""Sentences of the security page and the operators' guide: each is on its page, and the tests that prove it exist."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = [
    (page, claim)
    for page, claims in tomllib.loads((ROOT / "tests/package/proved_claims.toml").read_text("utf-8")).items()
    for claim in claims
]


def words(text):
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize(("page", "claim"), CLAIMS, ids=lambda each: str(each)[:40])
def test_a_claim_is_on_its_page_and_its_tests_exist(page, claim):
    assert words(claim["claim"]) in words((ROOT / page).read_text("utf-8"))
    assert claim["tests"]
    for node in claim["tests"]:
        file, _, name = node.partition("::")
        functions = ast.walk(ast.parse((ROOT / file).read_text("utf-8")))
        assert name in {each.name for each in functions if isinstance(each, ast.FunctionDef)}, node
