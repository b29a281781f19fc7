# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of predicted joint loads in an impact, and of a tool's cover, as text and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from impact_analysis.present.number import number, span
from impact_analysis.present.table import aligned
from impact_predictor import Prediction, RobotContact
from impact_predictor.prediction.robot_contacts import impulsive_torque
from impact_robots import Robot, Surface

if TYPE_CHECKING:
    from impact_predictor.prediction.predicted_load import PredictedLoad

_SHOWN = "M+B_theta"  # the impact map whose published torque is shown beside


def load_document(load: PredictedLoad) -> dict[str, Any]:
    """Return the joint loads for JSON."""
    return {
        "change_nm": load.change,
        "change_low_nm": load.change_low,
        "change_high_nm": load.change_high,
        "torque_nm": load.torque,
        "torque_low_nm": load.torque_low,
        "torque_high_nm": load.torque_high,
        "peak_time_s": load.time,
        "note": load.note,
        **({} if load.cover is None else {"cover_m": load.cover._asdict()}),
    }


def cover_document(robot: Robot, bottoms: float | None) -> dict[str, Any]:
    """Return the entry of a cover for JSON, none without one.

    Args:
        robot: the arm.
        bottoms: lowest speed at which it bottoms out [m/s]; none: the limit does not know it.
    """
    cover = robot.cover
    if cover is None:
        return {}
    return {
        "cover": {
            "stiffness_npm": cover.stiffness,
            "damping_nspm": cover.damping,
            "thickness_m": cover.thickness,
            "in_limit": bottoms is not None,
            "bottoms_out_mps": bottoms,
        }
    }


def cover_lines(robot: Robot, bottoms: float | None) -> list[str]:
    """Return a line about a cover, none without one; arguments as of :func:`cover_document`."""
    cover = robot.cover
    if cover is None:
        return []
    if bottoms is None:
        return ["  the cover of the tool is not in this limit, which knows no compliance"]
    words = f"cover of {1e3 * cover.thickness:g} mm, {cover.stiffness:g} N/m"
    return [f"  {words}, bottoms out from {bottoms:.4f} m/s on in the worst case"]


def load_table(
    joint_names: Sequence[str],
    load: PredictedLoad,
    contact: RobotContact,
    predictions: Sequence[Prediction],
) -> str:
    """Return peak joint torques with their intervals, and those of the published formula."""
    if load.note:
        return f"no joint loads: {load.note}"
    published = [_published(contact, each) for each in predictions if each.inertia == _SHOWN]
    head = ["load [N.m]", "change", "from", "to", "with gravity", "from", "to", "after [ms]"]
    lines = [[*head, *(f"published, {_SHOWN}" for _ in published)]]
    change = (load.change, load.change_low, load.change_high)
    torque = (load.torque, load.torque_low, load.torque_high)
    for i, name in enumerate(joint_names):
        loads = (f"{each[i]:.3f}" for each in (*change, *torque))
        after = number(load.time[i], ".2f", 1e3)
        lines.append([name, *loads, after, *(f"{each[i]:.3f}" for each in published)])
    stiffness = f"stiffness of the surface {_stiffness(contact.surface)}"
    return "\n".join([stiffness, *_cover(load), *aligned(lines)])


def _cover(load: PredictedLoad) -> list[str]:
    """Return a line about the cover of the tool, none without one."""
    if (use := load.cover) is None:
        return []
    most, low, high = (f"{1e3 * each:.2f}" for each in (use.expected, use.low, use.high))
    ends = "bottoms out" if use.high >= use.thickness else "does not bottom out"
    thick = f"{1e3 * use.thickness:g} mm"
    return [f"cover compressed by {most} mm [{low}, {high}] of {thick}: {ends} in the ranges"]


def _published(contact: RobotContact, prediction: Prediction) -> np.ndarray:
    """Return the published formula's torques [N.m]."""
    return impulsive_torque([contact], [prediction])


def _stiffness(surface: Surface) -> str:
    """Return a range of stiffness as text."""
    low, high = surface.stiffness
    if high == math.inf:
        return f"{low:.3g} N/m to rigid"
    return f"{span(low, high, '.3g')} N/m"
