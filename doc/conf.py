# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sphinx's configuration: `./impact doc` builds these pages, every warning an error."""

import builtins
import re
import sys
from pathlib import Path
from pydoc import ErrorDuringImport, locate
from typing import Any
from xml.etree import ElementTree

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import make_api  # noqa: E402
import make_command_line  # noqa: E402
import make_messages  # noqa: E402
from field_comments import add_field_comments  # noqa: E402
from numpy.typing import ArrayLike  # noqa: E402
from sphinx.util.typing import stringify_annotation  # noqa: E402

MANIFEST = ElementTree.parse(HERE.parent / "package.xml")
GENERATED = HERE / "generated"  # pages that come from the code; not under version control

project = MANIFEST.findtext("name")
author = copyright = "The impact_control developers"
version = release = MANIFEST.findtext("version")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"{project} {version}"
html_copy_source = False
html_static_path, html_css_files = ["static"], ["narrow.css"]
templates_path = ["templates"]

nitpicky = True  # a reference to nothing is a warning: see `exists`
autodoc_member_order = "groupwise"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
ARRAY_LIKE = stringify_annotation(ArrayLike, "smart")


def setup(app: Any) -> None:
    """Hook into the build."""
    app.connect("builder-inited", write_generated)
    app.connect("missing-reference", leave_as_text)
    app.connect("autodoc-process-signature", shorten_array_like)
    app.connect("autodoc-process-docstring", keep_colons, priority=100)  # before napoleon
    app.connect("autodoc-process-docstring", add_field_comments, priority=900)  # and after it


def write_generated(_app: Any) -> None:
    """Write the pages that come from the code: command line, messages, Python packages."""
    pages = {f"api/{name}": text for name, text in make_api.documents().items()}
    pages["command_line"] = make_command_line.document()
    pages["messages"] = make_messages.document()
    files = {GENERATED / f"{name}.md": text for name, text in pages.items()}
    for file in set(GENERATED.rglob("*.md")) - set(files):
        file.unlink()  # of a package that is gone
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text() != text:  # what is unchanged is not read again
            file.write_text(text)


def leave_as_text(_app: Any, _environment: Any, node: Any, content: Any) -> Any:
    """Return the text of a reference to Python that exists but is on no page, else nothing.

    So there is no list of exceptions for what other libraries document and for what a package does
    not export, and a name that was changed or misspelt is still a warning.
    """
    is_python = node.get("refdomain") == "py"
    return content if is_python and exists(node["reftarget"]) else None


def exists(name: str) -> bool:
    """Return whether there is such a module or object, or one of that short name in the suite."""
    name = name.partition("[")[0]  # Sphinx cuts a type in two at a comma
    name = re.sub(r"^np\.", "numpy.", name)
    if "." in name:
        try:
            return locate(name) is not None
        except ErrorDuringImport:  # of a library that is not installed
            return False
    own = (module for key, module in list(sys.modules.items()) if key.startswith("impact_"))
    if hasattr(builtins, name) or any(hasattr(module, name) for module in own):
        return True
    a_class = re.compile(rf"^class {re.escape(name)}\b", re.MULTILINE)  # in a module not loaded yet
    return any(a_class.search(file.read_text()) for file in HERE.parent.glob("impact_*/**/*.py"))


def shorten_array_like(
    _app: Any,
    _what: str,
    _name: str,
    _documented: Any,
    _options: Any,
    arguments: str | None,
    result: str | None,
) -> tuple[str | None, str | None]:
    """Write numpy's ``ArrayLike`` by its name, not by the dozen types that it stands for."""
    return (arguments and arguments.replace(ARRAY_LIKE, "ArrayLike")), result


def keep_colons(
    _app: Any, what: str, _name: str, _documented: Any, _options: Any, lines: list[str]
) -> None:
    """Keep napoleon from taking what a property's first line says before a colon for its type."""
    if what in ("property", "attribute"):
        lines[:0] = ["..", ""]  # an empty comment
