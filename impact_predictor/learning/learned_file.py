# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Learned ranges as YAML, wall and joints apart; they replace announced ranges."""

from __future__ import annotations

from math import exp

import numpy as np
import yaml

from impact_predictor.exceptions import PredictionError
from impact_predictor.learning.learning_box import FIGURES, LearningBox
from impact_robots.exceptions import RobotError
from impact_robots.yaml_file import read_yaml

JOINTS = ("joint_stiffness_range", "joint_damping_range", "motor_inertia_range")
FIGURES_OF_WALL = ("stiffness", "restitution", "friction", "exponent", "tilt_1", "tilt_2")
_OUTSIDE = 1e-9  # rounding, relative to the announced range


def joints_text(box: LearningBox) -> str:
    """Return the ranges of the joints, which replace those in the robot's YAML."""
    ends = np.stack([box.low[FIGURES:], box.high[FIGURES:]]).reshape(2, 3, -1)
    head = f"# Joints of {box.robot.name}, learned from hits: shares of the YAML's values.\n"
    return head + _text({key: ends[:, row].tolist() for row, key in enumerate(JOINTS)})


def wall_text(box: LearningBox) -> str:
    """Return the ranges of the wall; stiffness in N/m at a depth of .1 mm, tilts in rad.

    The tilts turn the announced normal about the first, then the second tangent of its contact
    axes.
    """
    figures = dict(zip(FIGURES_OF_WALL, np.stack([box.low, box.high], axis=1), strict=False))
    figures["stiffness"] = np.exp(figures["stiffness"])
    return "# A wall, learned from hits.\n" + _text({k: v.tolist() for k, v in figures.items()})


def with_joints(box: LearningBox, text: str) -> LearningBox:
    """Return a box with the joints of a text of :func:`joints_text`.

    Raises:
        PredictionError: the text is no such YAML, or a range is not inside that of the box.
    """
    entries, n = _entries(text, JOINTS), box.robot.dof
    low, high = np.concatenate([_range(key, entries[key], n) for key in JOINTS], axis=1)
    wall = slice(0, FIGURES)
    return _inside(box, np.append(box.low[wall], low), np.append(box.high[wall], high))


def with_wall(box: LearningBox, text: str) -> LearningBox:
    """Return a box with the wall of a text of :func:`wall_text`.

    Raises:
        PredictionError: the text is no such YAML, or a range is not inside that of the box.
    """
    entries = _entries(text, FIGURES_OF_WALL)
    ranges = {key: _range(key, entries[key], 1)[:, 0] for key in FIGURES_OF_WALL}
    if not ranges["stiffness"][0] > 0.0:
        raise PredictionError(f"stiffness: expected above 0, got {entries['stiffness']}")
    ranges["stiffness"] = np.log(ranges["stiffness"])
    low, high = np.array(list(ranges.values())).T
    joints = slice(FIGURES, None)
    return _inside(box, np.append(low, box.low[joints]), np.append(high, box.high[joints]))


def _text(entries: dict) -> str:
    return str(yaml.safe_dump(entries, sort_keys=False, default_flow_style=None, width=1000))


def _entries(text: str, keys: tuple[str, ...]) -> dict:
    """Return the mapping of a YAML with these keys and no others."""
    try:
        entries = read_yaml(text)
    except RobotError as error:
        raise PredictionError(f"learned ranges: {error}") from None
    if not isinstance(entries, dict) or set(entries) != set(keys):
        got = ", ".join(map(str, entries)) if isinstance(entries, dict) else repr(entries)
        raise PredictionError(f"learned ranges: expected the keys {', '.join(keys)}, got {got}")
    return entries


def _range(key: str, value: object, n: int) -> np.ndarray:
    """Return the ends of a range, shape (2, n)."""
    try:
        ends = np.array(value, dtype=float).reshape(2, n)
    except (TypeError, ValueError):
        ends = np.full((2, n), np.nan)
    if not (np.isfinite(ends).all() and (ends[0] <= ends[1]).all()):
        of = "" if n == 1 else f", {n} numbers each"
        raise PredictionError(f"{key}: expected [low, high] with low <= high{of}, got {value}")
    return ends


def _inside(box: LearningBox, low: np.ndarray, high: np.ndarray) -> LearningBox:
    """Return the box between these figures, which must not leave it."""
    out = np.flatnonzero((low < box.low - _OUTSIDE) | (high > box.high + _OUTSIDE))
    if len(out):
        place = int(out[0])
        got, most = (low[place], high[place]), (box.low[place], box.high[place])
        if place == 0:
            got, most = ((exp(each[0]), exp(each[1])) for each in (got, most))
        raise PredictionError(
            f"{_name(place, box.robot.dof)}: expected inside {most[0]:.4g} to {most[1]:.4g} as"
            f" announced, got {got[0]:.4g} to {got[1]:.4g}"
        )
    return box.narrowed(np.maximum(low, box.low), np.minimum(high, box.high))


def _name(place: int, n: int) -> str:
    if place < FIGURES:
        return FIGURES_OF_WALL[place]
    row, joint = divmod(place - FIGURES, n)
    return f"{JOINTS[row]} of joint {joint + 1}"
