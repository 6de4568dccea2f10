"""Style of the page: colours and loop drawing of the report in light and dark, and rules of the studio."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FAVICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#0072b2" d="M2 4h28v9h-8l3 7H7l3-7H2z"/>'
    '<path fill="#d55e00" d="M2 28v-6h28v6z"/></svg>'
)


@cache
def unsaved_input_script() -> str:
    """Return the script that stores unsaved input."""
    return Path(__file__).with_name("unsaved_input.js").read_text("utf-8")


@cache
def css() -> str:
    """Return the style sheet of the page."""
    report = (Path(__file__).parents[1] / "report" / "page.css").read_text("utf-8")
    light, dark = re.findall(r":root \{\s*(?:color-scheme:[^;]*;)?(.*?)\}", report, re.DOTALL)
    loop = "\n".join(line for line in report.splitlines() if line.startswith("svg.loop"))
    own = Path(__file__).with_name("studio.css").read_text("utf-8")
    return f"body {{ color-scheme: light; {light} }}\nbody.body--dark {{ color-scheme: dark; {dark} }}\n{loop}\n{own}"
