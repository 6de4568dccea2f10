"""Declared dependencies are those that the package imports, and each is explained."""

import ast
import re
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BESIDE = {
    "h5py": "h5netcdf",
    "jaxlib": "jax",
    "pillow": "matplotlib",
    "fastapi": "nicegui",
    "websockets": "viser",
}  # brought by the other, which asks for it
ENGINES = re.compile(r"engine=\"(\w+)\"")  # of xarray, by name


def names(requirements):
    """Names of requirements: what stands before version and extra."""
    return {re.match(r"[\w.-]+", requirement)[0].lower() for requirement in requirements} - {
        "dovetail-hybrid",
        "dovetail",
    }


def imported() -> set[str]:
    """Distributions whose modules the source imports, inside functions too."""
    modules = set()
    for file in (ROOT / "src").rglob("*.py"):
        text = file.read_text("utf-8")
        modules |= set(ENGINES.findall(text))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                modules.add(node.module.partition(".")[0])
    known = metadata.packages_distributions()
    return {re.sub("_", "-", known[module][0].lower()) for module in modules & set(known)} - {
        "dovetail-hybrid",
        "dovetail",
    }


def test_declared_dependencies_equal_imports():
    wanted = names(PROJECT["dependencies"])
    extra = set().union(*map(names, PROJECT["optional-dependencies"].values()))
    found = {BESIDE.get(name, name) for name in imported()}
    assert wanted <= found, f"never imported: {sorted(wanted - found)}"
    assert found <= wanted | extra, f"imported and not asked for: {sorted(found - wanted - extra)}"


def test_each_is_explained():
    page = (ROOT / "docs" / "design" / "dependencies.md").read_text("utf-8")
    unexplained = [name for name in sorted(names(PROJECT["dependencies"])) if f"`{name}`" not in page]
    assert not unexplained


def test_pinned_dependencies_have_hashes():
    """A file that was changed on its way is refused: pip compares, since every line of the lists has hashes."""
    lists = sorted(ROOT.glob("requirements*.txt"))
    assert len(lists) == 4
    bare = [
        f"{file.name}: {line.split()[0]}"
        for file in lists
        for line in re.sub(r"\\\n", " ", file.read_text("utf-8")).splitlines()
        if not re.fullmatch(r"[\w.-]+==\S+( +--hash=sha256:[0-9a-f]{64})+ *", line)
    ]
    assert not bare
