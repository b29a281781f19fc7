# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Results for arms that hit an object, as plain values with units in their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from impact_analysis.spreading.arm_impact import ArmImpact
from impact_analysis.spreading.cell_sentences import cell_sentences
from impact_analysis.spreading.episodes import CellFindings, Episode
from impact_analysis.spreading.followed import Followed
from impact_trials.truth.spread_figures import FeedbackFigures


def cell_document(found: CellFindings, robot: str) -> dict[str, Any]:
    """Return one recording's entry of ``cells``.

    Args:
        found: results of the recording.
        robot: name of the robot assumed for the arms.
    """
    return {
        "recording": found.recording,
        "arms": list(found.topics.arms),
        "arms_without_states": list(found.topics.silent),
        "object_topic": found.topics.object or None,
        "error": found.error,
        "sentences": [
            {"key": each.key, "text": each.text, "time_s": each.time}
            for each in cell_sentences(found, robot)
        ],
        "impacts": [_episode(each) for each in found.episodes],
    }


def _episode(episode: Episode) -> dict[str, Any]:
    moved = episode.object
    return {
        "time_s": episode.time,
        "arms": [_arm(each) for each in episode.arms],
        "arms_without_impact": episode.untouched,
        "later_impacts": episode.later,
        "object": None
        if moved is None
        else {
            "topic": moved.topic,
            "frame": moved.frame,
            "velocity_before_mps": moved.before,
            "velocity_after_mps": moved.after,
        },
    }


def _arm(arm: ArmImpact) -> dict[str, Any]:
    known = arm.followed if isinstance(arm.followed, Followed) else None
    figures = arm.feedback if isinstance(arm.feedback, FeedbackFigures) else None
    closure = arm.closure if isinstance(arm.closure, dict) else None
    joint, torque = arm.wrong_model
    return {
        "arm": arm.arm,
        "touch_time_s": arm.touch,
        "touch_by_force": arm.by_force,
        "after_first_touch_s": arm.after_first,
        "dq_before_radps": arm.dq_before,
        "dq_after_radps": arm.dq_after,
        "velocity_before_mps": arm.velocity_before,
        "velocity_after_mps": arm.velocity_after,
        "tool_axis": arm.tool,
        "peak_force_n": arm.peak_force,
        "peak_feedback_mps2": figures and figures.peak,
        "feedback_integral_mps": figures and figures.integral,
        "feedback_norm_integral_mps": figures and figures.norm_integral,
        "reference": known
        and {
            "switch_after_touch_s": known.switch,
            "ante_after_touch_s": known.ante_after,
            "post_before_touch_s": known.post_before,
            "wrong_s": known.wrong,
            "neither_s": known.neither,
            "velocity_nearer_post_after_s": known.nearer_post,
        },
        "closure_miss_mps": closure,
        "unexplained_torque_joint": joint + 1 if np.isfinite(torque) else None,
        "unexplained_torque_nm": torque,
    }


def arm_rows(cells: Sequence[CellFindings]) -> list[dict[str, Any]]:
    """Return one flat row per recording, impact and arm, with the same columns in each."""
    inertias = sorted(
        {
            name
            for found in cells
            for episode in found.episodes
            for arm in episode.arms
            if isinstance(arm.closure, dict)
            for name in arm.closure
        }
    )
    return [
        _row(found.recording, number, episode, _arm(arm), inertias)
        for found in cells
        for number, episode in enumerate(found.episodes)
        for arm in episode.arms
    ]


REFERENCE = (
    *("switch_after_touch_s", "ante_after_touch_s", "post_before_touch_s", "wrong_s"),
    *("neither_s", "velocity_nearer_post_after_s"),
)


def _row(
    recording: str, number: int, episode: Episode, arm: dict[str, Any], inertias: Sequence[str]
) -> dict[str, Any]:
    reference, closure = arm.pop("reference") or {}, arm.pop("closure_miss_mps") or {}
    axis = arm.pop("tool_axis")
    moved = episode.object
    nothing = np.full(3, np.nan)
    return (
        {"recording": recording, "impact": number}
        | arm
        | {f"tool_axis_{name}": value for name, value in zip("xyz", axis, strict=True)}
        | {name: reference.get(name) for name in REFERENCE}
        | {f"closure_miss_{name}_mps": closure.get(name) for name in inertias}
        | {"object_velocity_before_mps": nothing if moved is None else moved.before}
        | {"object_velocity_after_mps": nothing if moved is None else moved.after}
    )
