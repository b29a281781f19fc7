# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sections of parameter files that are of no node of a process, though they seem meant for one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from impact_robots.exceptions import ImpactError
from impact_robots.yaml_file import read_mapping

_ENTRY = "ros__parameters"
_SIMILAR, _LONGER = 0.85, 2  # ratio of difflib, and difference of lengths, of a misspelt name


def unmatched_sections(args: Sequence[str], nodes: Sequence[str]) -> list[str]:
    """Return a line for each node that has no section of its own, but a similar one.

    Similar: of its name in another namespace, or of a misspelt name. Sections of other processes'
    nodes may be in the same file, so others are no mistake.

    Args:
        args: of the process, with ``--params-file`` among its ROS arguments.
        nodes: full names, such as ``/left/impact_detector``.
    """
    sections = [section for path in _files(args) for section in _sections_of(path)]
    own = [each for each in sections if _last(each) not in ("*", "**")]
    lines = []
    for node in nodes:
        if any(_matches(each, node) for each in own):
            continue
        if similar := [each for each in own if _is_similar(_last(each), _last(node))]:
            lines.append(
                f"parameter file: {', '.join(similar)}: no node of that name, expected"
                f" /**/{_last(node)} or {node}"
            )
    return lines


def _files(args: Sequence[str]) -> list[str]:
    """Return the parameter files among ROS arguments."""
    return [path for flag, path in pairwise(args) if flag == "--params-file"]


def _sections_of(path: str) -> list[str]:
    """Return the full names of the sections of a parameter file; none if it cannot be read."""
    try:
        return list(_names("", read_mapping(Path(path))))
    except ImpactError:
        return []


def _names(before: str, document: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the names of sections, which may be nested by namespaces."""
    for name, content in document.items():
        if isinstance(content, Mapping):
            full = f"{before}/{str(name).strip('/')}"
            if _ENTRY in content:
                yield full
            else:
                yield from _names(full, content)


def _last(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _matches(section: str, node: str) -> bool:
    """Tell whether a section is of a node; ``*`` is one part of its name, ``**`` any number."""
    parts = {"*": r"/[^/]+", "**": r"(/[^/]+)*"}
    pattern = "".join(parts.get(each, "/" + re.escape(each)) for each in section.split("/")[1:])
    return re.fullmatch(pattern, node) is not None


def _is_similar(name: str, node: str) -> bool:
    """Tell whether a name is a node's, or a misspelt one."""
    ratio = difflib.SequenceMatcher(None, name, node).ratio()
    return ratio >= _SIMILAR and abs(len(name) - len(node)) <= _LONGER
