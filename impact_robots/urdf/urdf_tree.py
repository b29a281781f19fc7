# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Holds the links and joints of a URDF against a tree, before a parser that leaves out branches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from reprlib import repr as shortened
from xml.etree.ElementTree import Element

from impact_robots.urdf.urdf_numbers import tag_of

_TYPES = ("revolute", "prismatic", "continuous", "fixed", "floating", "planar")
_LIMITED = ("revolute", "prismatic")


def wrong_tree(root: Element) -> Iterator[str]:
    """Yield what keeps a URDF from being one tree of links, one line each.

    Args:
        root: its element ``robot``.
    """
    if tag_of(root) != "robot" or not root.get("name"):
        yield f"expected <robot name=...>, got <{tag_of(root)}>"
    links = [part.get("name", "") for part in root if tag_of(part) == "link"]
    joints = [part for part in root if tag_of(part) == "joint"]
    yield from _twice("link", links)
    yield from _twice("joint", [joint.get("name", "") for joint in joints])
    for joint in joints:
        yield from _of_joint(joint, links)
    yield from _loose(joints, links)


def _twice(what: str, names: Iterable[str]) -> Iterator[str]:
    """Yield which names are empty or there twice."""
    for name, count in Counter(names).items():
        if not name:
            yield f"{what}: name is missing"
        elif count > 1:
            yield f"{what} {shortened(name)}: expected once, got {count} of that name"


def _of_joint(joint: Element, links: list[str]) -> Iterator[str]:
    """Yield what is wrong with a joint's type, limits and links."""
    where, kind = f"joint {shortened(joint.get('name', ''))}", joint.get("type", "")
    if kind not in _TYPES:
        yield f"{where}: type: expected one of {', '.join(_TYPES)}, got {shortened(kind)}"
    limit = {} if (found := joint.find("{*}limit")) is None else found.attrib
    if kind in _LIMITED and not {"effort", "velocity"} <= limit.keys():
        yield f"{where}: <limit>: expected effort and velocity"
    for end in ("parent", "child"):
        element = joint.find(f"{{*}}{end}")
        name = "" if element is None else element.get("link", "")
        if name not in links:
            yield f"{where}: {end}: expected a link of the file, got {shortened(name)}"


def _loose(joints: list[Element], links: list[str]) -> Iterator[str]:
    """Yield which links have two parents, or hang together with no base."""
    children: dict[str, list[str]] = {}
    for joint in joints:
        ends = [joint.find(f"{{*}}{end}") for end in ("parent", "child")]
        parent, child = ("" if end is None else end.get("link", "") for end in ends)
        children.setdefault(parent, []).append(child)
    parents = Counter(child for family in children.values() for child in family)
    for name, count in parents.items():
        if count > 1:
            yield f"link {shortened(name)}: expected the child of one joint, got {count}"
    bases = [name for name in links if not parents[name]]
    if len(bases) != 1:
        yield f"expected one link that is no joint's child, got {len(bases)}"
        return
    reached, pending = set(), bases
    while pending:
        reached.update(pending)
        pending = [
            child for name in pending for child in children.get(name, []) if child not in reached
        ]
    for name in links:
        if name not in reached:
            yield f"link {shortened(name)}: expected joints from {bases[0]!r} to it"
