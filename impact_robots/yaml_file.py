# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads YAML in which every key is given once, 1e5 is a number and aliases stay few."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from math import inf
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
_MOST_NODES = 1_000_000  # of a file with every alias written out
# Longer texts are not for the compiled parser: lists in lists would overflow its stack.
_SHORT = 20_000  # characters
_LAX = re.compile(r"[\t!]")  # tabs and tags: it takes some that the other one refuses


class _Loader(yaml.SafeLoader):
    """Safe loader that refuses aliases of aliases, and a key given twice.

    Of such a key PyYAML would take the last. Nested aliases, each a few times the one before, would
    make a thousand million entries of half a kilobyte wherever the value is merged or printed.
    """

    def get_single_node(self) -> yaml.Node | None:
        """Return the document's root, whose aliases have been counted but not written out."""
        root = self._root()
        if root is not None and (count := _written_out(root, {})) > _MOST_NODES:
            much = "without end" if count == inf else f"of {count:.3g} entries"
            problem = f"expected at most {_MOST_NODES} entries, got aliases that make a document"
            raise yaml.constructor.ConstructorError(None, None, f"{problem} {much}")
        return root

    def _root(self) -> yaml.Node | None:
        """Return the document's root."""
        root: yaml.Node | None = super().get_single_node()
        return root

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of ``node``."""
        keys = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        for key, count in keys.items():
            if count > 1:
                problem = f"entry {key!r} is given twice"
                raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return super().construct_mapping(node, deep)


class _QuickLoader(_Loader):
    """The same by PyYAML's compiled parser, in a seventh of the time; its errors show no place."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._text = text

    def _root(self) -> yaml.Node | None:
        """Return the document's root."""
        parser = yaml.CSafeLoader(self._text)
        parser.yaml_implicit_resolvers = _Loader.yaml_implicit_resolvers
        try:
            root: yaml.Node | None = parser.get_single_node()
            return root
        finally:
            parser.dispose()


def _written_out(node: yaml.Node, known: dict[int, float]) -> float:
    """Return how many nodes there are with every alias written out, infinite if one holds itself.

    Args:
        node: to count in.
        known: counts of nodes that were met, by ``id``.
    """
    if id(node) not in known:
        known[id(node)] = inf  # until it is counted: who meets it now is inside of it
        known[id(node)] = 1.0 + sum(_written_out(each, known) for each in _inside(node))
    return known[id(node)]


def _inside(node: yaml.Node) -> list[yaml.Node]:
    """Return keys and values of a mapping, the elements of a list, nothing of a scalar."""
    if isinstance(node, yaml.MappingNode):
        return [each for pair in node.value for each in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else []


# PyYAML follows YAML 1.1, in which 1e5 and 6.0e4 are texts; in YAML 1.2 they are numbers.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+$"),
    list("-+.0123456789"),
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
        raise RobotError(f"no {what} {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise RobotError(f"{path}: expected a text in UTF-8: {error}") from None
    except ValueError:  # a path that no file can have
        raise RobotError(f"no {what} {str(path)!r}") from None


def read_yaml(text: str) -> Any:
    """Return what a YAML's text holds; every YAML of the project that is not its own comes in here.

    Raises:
        RobotError: it is no YAML, or one whose aliases grow out of bounds; the text says no file.
    """
    if yaml.__with_libyaml__ and len(text) <= _SHORT and not _LAX.search(text):
        with suppress(*_UNREADABLE):  # the other one says what is wrong
            return yaml.load(text, _QuickLoader)
    try:
        return yaml.load(text, _Loader)
    except _UNREADABLE as error:
        raise RobotError(f"not YAML: {error}") from None


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
        mapping = read_yaml(text)
    except RobotError as error:
        raise RobotError(f"{path}: {error}") from None
    if not isinstance(mapping, dict):
        raise RobotError(f"{path}: expected a mapping of entries, got {type(mapping).__name__}")
    return mapping
