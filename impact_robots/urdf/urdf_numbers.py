# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Holds every number of a URDF against what a number is, before a parser that is less strict.

The usual parser drops the whole inertia of a link whose mass is "4,97", ignores attributes that it
does not know, and takes the first of two masses, all without a failure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from reprlib import repr as shortened
from xml.etree.ElementTree import Element

from impact_robots.entries import LARGEST

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
# How many numbers each attribute has. URDF 1.1; later attributes are not read by every parser.
_NUMBERS = {
    "origin": {"xyz": 3, "rpy": 3},
    "mass": {"value": 1},
    "inertia": {"ixx": 1, "ixy": 1, "ixz": 1, "iyy": 1, "iyz": 1, "izz": 1},
    "axis": {"xyz": 3},
    "limit": {"lower": 1, "upper": 1, "effort": 1, "velocity": 1},
    # behind the first two what Franka Robotics writes into the FR3's
    "dynamics": dict.fromkeys(
        (
            "damping",
            "friction",
            "D",
            "K",
            "gear_ratio",
            "motor_inertia",
            "mu_coulomb",
            "mu_viscous",
        ),
        1,
    ),
    "calibration": {"rising": 1, "falling": 1},
    "safety_controller": {
        "soft_lower_limit": 1,
        "soft_upper_limit": 1,
        "k_position": 1,
        "k_velocity": 1,
    },
    "cylinder": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
    "box": {"size": 3},
    "mesh": {"scale": 3},
    "mimic": {"multiplier": 1, "offset": 1},
    "color": {"rgba": 4},
}
_TEXTS = {"mesh": ("filename",), "mimic": ("joint",)}  # attributes beside the numbers
_ALL_NEEDED = ("mass", "inertia", "axis", "cylinder", "sphere", "box")
_ONCE = ("inertial", "mass", "inertia", "origin", "geometry", "parent", "child", "axis", "limit")
_NOT_NEGATIVE = ("value", "effort", "velocity")
_NEEDED = {"inertial": ("mass", "inertia"), "visual": ("geometry",), "collision": ("geometry",)}
_ONLY = {
    "inertial": ("origin", "mass", "inertia"),
    "geometry": ("box", "cylinder", "sphere", "mesh", "capsule"),
}


def wrong_numbers(root: Element) -> Iterator[str]:
    """Yield what is wrong with the numbers of a URDF, one line each.

    Args:
        root: its element ``robot``.
    """
    for part in root:
        if tag_of(part) in ("link", "joint"):
            where = f"{tag_of(part)} {shortened(part.get('name', ''))}"
            for element in part.iter():
                yield from (f"{where}: {fault}" for fault in _of_element(element))


def _of_element(element: Element) -> Iterator[str]:
    """Yield what is wrong with one element and the names of its children."""
    tag = tag_of(element)
    yield from _of_children(element, tag)
    known = _NUMBERS.get(tag, {})
    for name in element.attrib if known else ():
        if name not in (*known, *_TEXTS.get(tag, ())):
            yield f"<{tag}>: expected {', '.join(known)}, got {shortened(name)}"
    for name, count in known.items():
        text = element.get(name)
        if text is None:
            if tag in _ALL_NEEDED:
                yield f"<{tag}>: {name} is missing"
        elif not _are_numbers(text, count):
            expected = "a number" if count == 1 else f"{count} numbers"
            yield f"<{tag}> {name}: expected {expected}, got {shortened(text)}"
    yield from _of_values(element, tag)


def _of_children(element: Element, tag: str) -> Iterator[str]:
    """Yield which children are there twice, missing, or where none belongs."""
    counts = Counter(tag_of(child) for child in element)
    for name in _ONCE:
        if counts[name] > 1:
            yield f"<{tag}>: expected one <{name}>, got {counts[name]}"
    for name in _NEEDED.get(tag, ()):
        if not counts[name]:
            yield f"<{tag}>: <{name}> is missing"
    if tag in _ONLY and not counts:
        yield f"<{tag}>: expected {', '.join(_ONLY[tag])}, got nothing"
    for name in counts:
        if name not in _ONLY.get(tag, (name,)):
            yield f"<{tag}>: expected {', '.join(_ONLY[tag])}, got <{name}>"


def _of_values(element: Element, tag: str) -> Iterator[str]:
    """Yield which numbers are outside their range."""
    xyz = element.get("xyz", "")
    if tag == "axis" and _are_numbers(xyz, 3) and max(abs(float(x)) for x in xyz.split()) < 1e-6:
        yield f"<axis> xyz: expected a direction, got {xyz!r}"
    if tag == "limit":
        low, high = element.get("lower", "0"), element.get("upper", "0")
        if _are_numbers(low, 1) and _are_numbers(high, 1) and float(low) > float(high):
            yield f"<limit>: expected lower <= upper, got {low} and {high}"
    for name in _NOT_NEGATIVE if tag in ("mass", "limit") else ():
        text = element.get(name, "")
        if _are_numbers(text, 1) and float(text) < 0.0:
            yield f"<{tag}> {name}: expected at least 0, got {text}"


def _are_numbers(text: str, count: int) -> bool:
    """Return whether a text is that many numbers with spaces between them."""
    parts = text.split()
    if len(parts) != count or not all(map(_NUMBER.fullmatch, parts)):
        return False
    return all(abs(float(part)) <= LARGEST for part in parts)


def tag_of(element: Element) -> str:
    """Return an element's name without its name space."""
    return str(element.tag).rsplit("}", 1)[-1]
