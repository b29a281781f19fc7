# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Takes what the code says of a record's fields, shape and unit, into the API reference.

The fields of dataclasses are explained by the comment behind each, which autodoc does not read.
"""

import ast
import inspect
import re
from dataclasses import is_dataclass
from textwrap import dedent
from typing import Any

_COMMENT = re.compile(r"\s#\s+(.+)$")


def add_field_comments(
    _app: Any, what: str, _name: str, documented: Any, _options: Any, lines: list[str]
) -> None:
    """Append the fields to the docstring of a dataclass that does not list them itself."""
    if what != "class" or not is_dataclass(documented) or ":ivar" in "\n".join(lines):
        return
    lines += ["", *(f":ivar {name}: {text}" for name, text in field_comments(documented)), ""]


def field_comments(record: type) -> list[tuple[str, str]]:
    """Return name and comment of each field that has one, as reStructuredText.

    Args:
        record: A class; one whose source cannot be had has no comments.
    """
    try:
        source = dedent(inspect.getsource(record))
    except (OSError, TypeError):
        return []
    lines = source.splitlines()
    found = []
    for node in ast.parse(source).body[0].body:
        comment = _COMMENT.search(lines[node.end_lineno - 1])
        if isinstance(node, ast.AnnAssign) and comment:
            found.append((ast.unparse(node.target), re.sub(r"([|*])", r"\\\1", comment[1])))
    return found
