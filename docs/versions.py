"""The first page of the site: `versions.py FOLDER` lists the versions that stand in it and leads to the newest."""

import re
import sys
from pathlib import Path

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Dovetail</title>
<meta http-equiv="refresh" content="0; url={newest}/index.html">
<p>The documentation of Dovetail, by version:</p>
<ul>
{links}
</ul>
</html>
"""


def versions(folder: Path) -> list[str]:
    """Names of the folders that are a version, newest first."""
    names = [path.name for path in folder.iterdir() if re.fullmatch(r"\d+(\.\d+)+", path.name)]
    return sorted(names, key=lambda name: [int(part) for part in name.split(".")], reverse=True)


def main(folder: Path) -> None:
    """Write it; links are relative, so that the folder works wherever it lies."""
    known = versions(folder)
    links = "\n".join(f'<li><a href="{name}/index.html">{name}</a></li>' for name in known)
    (folder / "index.html").write_text(PAGE.format(newest=known[0], links=links), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
