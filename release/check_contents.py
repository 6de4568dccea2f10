"""Check that the files of a release contain all data files, the version and the licence.

`check_contents.py DIST` also writes checksums.
"""

import hashlib
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ANY = "-py3-none-any.whl"  # wheel without libraries, for every platform
LIBRARIES = ("tick", "fmu2", "fmu3")


def tracked(folder: str) -> list[str]:
    """Return the tracked files under a folder."""
    try:
        words = ["git", "ls-files", folder]
        listing = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        sys.exit(
            f"{ROOT.name} is not a clone, or git is missing; a release is compared with the files tracked by git"
        )
    return listing.stdout.split("\n")[:-1]


def faults(dist: Path) -> list[str]:
    """Return all faults of the files in a folder."""
    wheels, sources = sorted(dist.glob("*.whl")), list(dist.glob("*.tar.gz"))
    native = [wheel for wheel in wheels if not wheel.name.endswith(ANY)]
    if (len(wheels), len(native), len(sources)) != (2, 1, 1):
        files = ", ".join(sorted(file.name for file in dist.iterdir())) or "no file"
        return [f"{dist}: got {files}; expected a wheel of a platform, a wheel {ANY} and a source archive"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version = project["version"]
    messages = [message for wheel in wheels for message in _wheel_faults(wheel, project)]
    with tarfile.open(sources[0]) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    wanted = [*tracked("src"), "pyproject.toml", "setup.py", "LICENSE", "README.md"]
    messages += [f"the source archive lacks {file}" for file in wanted if file not in inside]
    if f"## {version}" not in (ROOT / "CHANGELOG.md").read_text("utf-8"):
        messages.append(f"CHANGELOG.md has no section for {version}")
    if f"version: {version}\n" not in (ROOT / "CITATION.cff").read_text("utf-8"):
        messages.append(f"CITATION.cff has another version than {version}")
    return messages


def _wheel_faults(path: Path, project: dict[str, str]) -> list[str]:
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        metadata = HeaderParser().parsestr(wheel.read(_one(names, r"\.dist-info/METADATA$")).decode())
    files = [file.removeprefix("src/") for file in tracked("src")]
    messages = [f"{path.name} lacks {file}" for file in files if file not in names]
    for kind in LIBRARIES:
        if _has(names, kind) == path.name.endswith(ANY):
            messages.append(f"{path.name} {'contains' if _has(names, kind) else 'lacks'} a library {kind}")
    if not any(re.search(r"\.dist-info/licenses/LICENSE$", name) for name in names):
        messages.append(f"{path.name} lacks its licence")
    for what, is_there, wanted in (
        ("name", metadata["Name"], project["name"]),
        ("version", metadata["Version"], project["version"]),
        ("licence", metadata["License-Expression"], "BSD-3-Clause"),
        ("Python", metadata["Requires-Python"], ">=3.11"),
    ):
        if is_there != wanted:
            messages.append(f"{path.name} has {what} {is_there}; the project has {wanted}")
    return messages


def _one(names: list[str], pattern: str) -> str:
    return next(name for name in names if re.search(pattern, name))


def _has(names: list[str], kind: str) -> bool:
    return any(re.search(rf"/{kind}-[0-9a-f]{{16}}\.so$", name) for name in names)


def main(dist: Path) -> None:
    """Print the faults and exit with 1, or write and print the checksums."""
    messages = faults(dist)
    if messages:
        sys.exit("\n".join(messages))
    files = sorted(file for file in dist.iterdir() if file.suffix in {".whl", ".gz"})
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in files]
    (dist / "SHA256SUMS").write_text("\n".join(sums) + "\n", "utf-8")
    print("\n".join(sums))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
