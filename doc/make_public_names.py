# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Adds new public names to doc/public_names.txt; a name leaves it by hand, see doc/versions.md.

Example:
    ./impact shell -- python doc/make_public_names.py
"""

import argparse
import ast
import contextlib
import importlib.util
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from impact_cli.command_line import run
from impact_cli.command_names import COMMANDS
from impact_robots.description.keys import KEYS

DOC = Path(__file__).parent
ROOT, FILE = DOC.parent, DOC / "public_names.txt"
# One document of each command that answers within seconds, made of the commands that print them.
DOCUMENTS = {
    "predict": ["--robot", "panda", "--speed", "0.2", "--friction", "0.3"],
    "sets": ["--speed", "0.2", "--friction", "0.279", "--restitution", "0,0.3"],
    "plan": ["--friction", "0,0.279", "--restitution", "0,0.3", "--impact-limits", "robust"],
    "map": ["--point", "0.5,0,0.1", "--grid", "1,1", "--impact-limits", "robust"],
    "scenarios": [],
}
DEPTH = 3  # of a document, down to which keys are listed


def names() -> list[str]:
    """Return all public names, sorted, as lines of the file."""
    found = {*_python(), *_commands(), *_executables(), *_messages(), *_tables(), *_launch()}
    keys = {f"robot key {key.name}" for key in KEYS}
    return sorted(found | keys | set(_json_keys()))


def listed() -> list[str]:
    """Return the names that the file has."""
    return FILE.read_text().splitlines() if FILE.is_file() else []


def _python() -> Iterator[str]:
    """Yield the names that packages export."""
    api = _module(DOC / "make_api.py")
    for file in api._package_files():
        package = api._name(file)
        yield from (f"python {package}.{name}" for name in api._exports(file))


def _commands() -> Iterator[str]:
    """Yield commands and their options and arguments."""
    parser_of = _module(DOC / "make_command_line.py")._parser_of
    for command in COMMANDS:
        yield f"command {command}"
        for action in parser_of(command)._actions:
            if action.help != argparse.SUPPRESS:
                for option in action.option_strings or [(action.metavar or action.dest)]:
                    yield f"command {command} {option}"


def _executables() -> Iterator[str]:
    """Yield what `ros2 run` knows; on the PATH of a wheel each begins with `impact`."""
    scripts = _module(ROOT / "test" / "console_scripts.py").console_scripts()
    yield from (f"executable {name}" for name in scripts)


def _messages() -> Iterator[str]:
    """Yield types of messages, their fields and constants; those of an action have its part."""
    for file in sorted((ROOT / "impact_msgs").glob("*/*.*")):
        if file.suffix not in (".msg", ".srv", ".action"):
            continue
        kind, part = f"message impact_msgs/{file.parent.name}/{file.stem}", 1
        yield kind
        for line in file.read_text().splitlines():
            part += line.startswith("---")
            if field := re.match(r"([\w/]+(?:<=\d+)?(?:\[[<=\d]*\])?)\s+(\w+)", line):
                yield f"{kind} {part} {field[1]} {field[2]}"


def _tables() -> Iterator[str]:
    """Yield parameters, topics, services and actions of the nodes, as their pages list them."""
    for page, kind in (("parameters", "parameter"), ("topics", "topic")):
        node = ""
        for line in (DOC / f"{page}.md").read_text().splitlines():
            if heading := re.match(r"## `(\w+)`", line):
                node = heading[1]
            elif line.startswith("## "):
                node = ""
            elif node and kind == "parameter" and (row := re.match(r"\| `([\w.]+)` \|", line)):
                yield f"parameter {node} {row[1]}"
            elif node and (row := re.match(r"\| (in|out|service|action) \| `([^`]+)` \|", line)):
                yield f"topic {node} {row[1]} {row[2]}"


def _launch() -> Iterator[str]:
    """Yield launch files and the arguments that each of them, or their common part, describes."""
    for file in sorted((ROOT / "launch").glob("*.launch.py")):
        yield f"launch {file.name}"
        yield from (f"launch {file.name} {name}" for name in _described(file))
    parts = ROOT / "impact_bringup" / "launch_parts.py"
    yield from (f"launch common {name}" for name in _described(parts))


def _described(file: Path) -> Iterator[str]:
    """Yield the keys of dictionaries whose values are tuples: default, description, choices."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(value, ast.Tuple):
                    yield str(key.value)


def _json_keys() -> Iterator[str]:
    """Yield the keys of documents, those in lists of records as well."""
    for command, arguments in DOCUMENTS.items():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            status = run([command, *arguments, "--json"])
        if status != 0:
            raise RuntimeError(f"impact {command} {' '.join(arguments)}: status {status}")
        for key in _keys(json.loads(printed.getvalue())):
            yield f"json {command} {key}"


def _keys(value: Any, depth: int = DEPTH) -> Iterator[str]:
    """Yield the keys of a document down to a depth, joined by dots."""
    if isinstance(value, list):
        value = value[0] if value and isinstance(value[0], dict) else {}
    for key, inner in value.items() if isinstance(value, dict) and depth else ():
        yield key
        yield from (f"{key}.{each}" for each in _keys(inner, depth - 1))


def _module(file: Path) -> ModuleType:
    """Load a file that is in no package."""
    spec = importlib.util.spec_from_file_location(file.name.split(".")[0], file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Add what is new."""
    FILE.write_text("".join(f"{name}\n" for name in sorted({*listed(), *names()})))


if __name__ == "__main__":
    main()
