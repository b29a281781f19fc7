# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Returns the pages of the API reference: one for each package, from its docstrings.

A package that exports names (``__all__``) lists them with their docstrings; one that does not, its
modules with their first lines.
"""

import ast
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WITHOUT_PYTHON = ("impact_msgs",)
INDEX = """\
# Python packages

Arrays go in, frozen results come out. Shapes, units and frames are in the docstrings. All but the
`node` modules, the `ros` packages, `impact_bringup` and a part of `impact_ros` work without ROS.

| package | what |
|---|---|
{rows}

```{{toctree}}
:hidden:

{names}
```
"""


def documents() -> dict[str, str]:
    """Return the text of each page by the page's name, in MyST Markdown."""
    packages = {_name(file): _page(file) for file in _package_files()}
    rows = "\n".join(f"| [`{name}`]({name}.md) | {_summary(name)} |" for name in packages)
    return {"index": INDEX.format(rows=rows, names="\n".join(packages)), **packages}


def _package_files() -> list[Path]:
    """List the packages that export names, and those at the top that do not."""
    files = sorted(ROOT.glob("impact_*/**/__init__.py"), key=_name)
    top = [file for file in files if file.parent.parent == ROOT]
    return [
        file
        for file in files
        if _name(file) not in WITHOUT_PYTHON and (file in top or _exports(file))
    ]


def _name(file: Path) -> str:
    """Return the dotted name of the module or package in a file."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _exports(file: Path) -> list[str]:
    """Return the names in the package's ``__all__``."""
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def _documented_elsewhere(file: Path) -> list[str]:
    """Return the exports that are on another page: the outer package's, or that of their origin."""
    own, top = set(_exports(file)), ROOT / file.relative_to(ROOT).parts[0]
    found = own & set(_exports(top / "__init__.py")) if top != file.parent else set()
    for node in ast.parse(file.read_text()).body:
        origin = ROOT / (getattr(node, "module", None) or "").partition(".")[0]
        if isinstance(node, ast.ImportFrom) and origin.name.startswith("impact_") and origin != top:
            there = set(_exports(origin / "__init__.py"))
            found |= own & there & {alias.asname or alias.name for alias in node.names}
    return sorted(found)


def _page(file: Path) -> str:
    """Return the page of one package."""
    name = _name(file)
    head = f"# {name}\n\n"
    if _exports(file):
        elsewhere = _documented_elsewhere(file)
        names = ", ".join(f"`{name}`" for name in elsewhere)
        note = f"\nAlso exported, and on another page: {names}.\n" if names else ""
        return head + _automodule(name, "members", elsewhere) + note
    modules = [f for f in sorted(file.parent.rglob("*.py")) if f.name != "__init__.py"]
    rows = [f"| `{_name(f)}` | {_first_line(f)} |" for f in modules]
    table = "\n".join(["| module | what |", "|---|---|", *rows])
    return f"{head}{_automodule(name)}\n{table}\n"


def _automodule(name: str, members: str = "", without: Sequence[str] = ()) -> str:
    """Return the directive for one package."""
    options = [f"   :{members}:"] if members else []
    options += [f"   :exclude-members: {', '.join(without)}"] if without else []
    return "\n".join(["```{eval-rst}", f".. automodule:: {name}", *options, "```\n"])


def _summary(name: str) -> str:
    return _first_line(ROOT.joinpath(*name.split("."), "__init__.py"))


def _first_line(file: Path) -> str:
    """Return the first line of a module's docstring, with code in Markdown's marks."""
    docstring = ast.get_docstring(ast.parse(file.read_text())) or ""
    return (docstring.splitlines() or [""])[0].replace("``", "`").replace("|", "\\|")
