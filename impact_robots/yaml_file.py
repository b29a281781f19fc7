# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads a YAML mapping in which every key is given once and 1e5 is a number."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from impact_robots.exceptions import RobotError

# Constructors of PyYAML raise these too, for values such as `!!bool maybe` or 2026-13-45.
_UNREADABLE = (
    yaml.YAMLError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)


class _Loader(yaml.SafeLoader):
    """Safe loader that refuses a key given twice, of which PyYAML would take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of ``node``."""
        keys = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        for key, count in keys.items():
            if count > 1:
                problem = f"entry {key!r} is given twice"
                raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return super().construct_mapping(node, deep)


# PyYAML follows YAML 1.1, in which 1e5 is a text; in YAML 1.2 it is the number that it looks like.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+$"), list("-+0123456789")
)


def read_text(path: Path, what: str) -> str:
    """Return the text of a file.

    Args:
        path: of the file.
        what: it is, for the error.

    Raises:
        RobotError: there is no such file, or it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise RobotError(f"robot: no {what} {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise RobotError(f"{path}: expected a text in UTF-8: {error}") from None
    except ValueError:  # a path that no file can have
        raise RobotError(f"robot: no {what} {str(path)!r}") from None


def read_mapping(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file.

    Raises:
        RobotError: there is no such file, or it holds something else.
    """
    return mapping_of(read_text(path, "file"), path)


def mapping_of(text: str, path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML's text; ``path`` is for errors.

    Raises:
        RobotError: it holds something else.
    """
    try:
        mapping = yaml.load(text, _Loader)
    except _UNREADABLE as error:
        raise RobotError(f"{path}: not YAML: {error}") from None
    if not isinstance(mapping, dict):
        raise RobotError(f"{path}: expected a mapping of entries, got {type(mapping).__name__}")
    return mapping
