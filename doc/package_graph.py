# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads from the code which package imports which, and which node talks to which."""

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
# For other nodes, under their names; and who only listens, and asks by actions.
LEFT_OUT = (
    *("franka", "impact_cell", "impact_spreading", "impact_learner"),
    *("impact_humanoid_sim", "impact_humanoid", "impact_governor"),
)
POLICY = ROOT / "config" / "sros2" / "policy.xml"  # of the nodes as they are; a test compares
COMMON = ("/clock", "/diagnostics", "/parameter_events", "/rosout")


def packages() -> dict[str, str]:
    """Return what each package is, the first clause of its docstring, by name."""
    files = sorted(ROOT.glob("impact_*/__init__.py"))
    texts = {file.parent.name: ast.get_docstring(ast.parse(file.read_text())) for file in files}
    return {name: _clause(text or "") for name, text in texts.items()}


def _clause(docstring: str) -> str:
    """Return the first line up to its first colon, comma or full stop."""
    line = docstring.splitlines()[0].replace("`", "") if docstring else ""
    return min((line.partition(mark)[0] for mark in ":,."), key=len)


def imports() -> dict[str, set[str]]:
    """Return the packages that each package imports, without those that it has through another."""
    known = packages().keys()
    direct = {name: _imported(name, known) for name in known}
    return {
        name: {other for other in direct[name] if not _reaches(direct, direct[name], other)}
        for name in known
    }


def _imported(package: str, known: Iterable[str]) -> set[str]:
    """Return the known packages that a package's modules import, wherever they do."""
    found = set()
    for file in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            found |= {name.partition(".")[0] for name in names}
    return (found & set(known)) - {package}


def _reaches(direct: dict[str, set[str]], start: set[str], goal: str) -> bool:
    """Return whether one of ``start``, other than the goal itself, imports the goal somehow."""
    seen, left = set(), [name for name in start if name != goal]
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left += direct[name]
    return goal in seen


def levels(arrows: dict[str, set[str]]) -> dict[str, int]:
    """Return the length of the longest chain of imports below each package."""

    def level(name: str) -> int:
        return max((1 + level(other) for other in arrows[name]), default=0)

    return {name: level(name) for name in arrows}


def conversations() -> tuple[dict[tuple[str, str], list[str]], dict[str, list[str]]]:
    """Return the topics from node to node, and those that a node publishes for anybody else."""
    subscribed, published = _topics("subscribe"), _topics("publish")
    between, others = defaultdict(list), defaultdict(list)
    for node, names in published.items():
        for topic in sorted(names):
            hears = [other for other, heard in subscribed.items() if topic in heard]
            for other in hears:
                between[node, other].append(_short(topic))
            if not hears:
                others[node].append(_short(topic))
    return dict(between), dict(others)


def _topics(what: str) -> dict[str, set[str]]:
    """Return the topics that each node publishes or subscribes to, without those that all do."""
    profiles = ElementTree.parse(POLICY).iter("profile")
    return {
        profile.get("node", ""): {
            topic.text or ""
            for rule in profile.findall(f"topics[@{what}]")
            for topic in rule
            if topic.text not in COMMON and not (topic.text or "").endswith("transition_event")
        }
        for profile in profiles
        if profile.get("node") not in LEFT_OUT and profile.get("ns") == "/"
    }


def _short(topic: str) -> str:
    """Return a topic's name without its node's."""
    return topic.rpartition("/")[2]
