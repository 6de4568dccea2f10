"""Command `dovetail new`: write commented template files for a part, a test or a study, with a pytest file."""

from __future__ import annotations

import keyword
from pathlib import Path
from string import Template

from dovetail.cli.templates import NEXT_STEPS, TEMPLATES
from dovetail.core.errors import OutputError, ParameterError, UnknownNameError


def write_templates(template: str, name: str, folder: Path = Path()) -> list[Path]:
    """Write the template files of a part, a test or a study with this name; return their paths.

    Raises
    ------
    UnknownNameError
        If there is no such template.
    ParameterError
        If the name is not valid for a Python module.
    OutputError
        If one of the files already exists, or the folder cannot be written.
    """
    if template not in TEMPLATES:
        raise UnknownNameError("template", template, TEMPLATES)
    if not name.isidentifier() or keyword.iskeyword(name) or not name.isascii():
        raise ParameterError(
            f'NAME: got "{name}". Expected letters, digits and underscores for a {template}, for example my_damper'
        )
    title = "".join(word[:1].upper() + word[1:] for word in name.split("_")) or "Part"

    def fill(text: str) -> str:
        return Template(text).substitute(name=name, title=title)

    files = {folder / fill(path): fill(text) for path, text in TEMPLATES[template].items()}
    existing = [path for path in files if path.exists()]
    if existing:
        raise OutputError(f"{existing[0]}: already exists; choose another name or remove it")
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise OutputError(f"{path}: cannot be written ({reason}); change to another folder") from error
    print(f"written   {', '.join(map(str, files))}")
    print(fill(NEXT_STEPS[template]))
    return list(files)
