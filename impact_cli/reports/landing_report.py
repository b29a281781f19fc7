# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of impact maps and simulations on recorded landings, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from impact_analysis.landings.forward_loss import INERTIAS, STEPS
from impact_analysis.landings.jump_models import JUMP_MODELS
from impact_analysis.landings.jump_score import FootJump, rms_error, skill
from impact_analysis.landings.landing_evaluation import LandingEvaluation, LandingResult
from impact_analysis.present.number import number
from impact_analysis.present.plain import json_text
from impact_analysis.present.table import aligned

_NAMES = tuple(model.name for model in JUMP_MODELS)
_HEAD = ("impact map", "skill", "from", "to", "joints without motor", "error [rad/s]")


def as_json(found: LandingEvaluation) -> str:
    """Return one JSON document."""
    jumps = found.jumps
    document = {
        "robot": found.robot.name,
        "landings": len(found.results),
        "feet": len(jumps),
        "skill": found.skills,
        "skill_interval_95": {name: [*pair] for name, pair in found.intervals.items()} or None,
        "skill_passive": found.passive,
        "jump_rms_radps": rms_error(jumps),
        "error_rms_radps": {name: rms_error(jumps, name) for name in _NAMES},
        "forward_loss": {
            floor: {inertia: found.mean_loss(floor, inertia) for inertia in INERTIAS}
            for floor in STEPS
        },
        "forward_loss_velocity_held": found.held,
        "files": [_of_file(result) for result in found.results],
    }
    return json_text(document)


def _of_file(result: LandingResult) -> dict[str, Any]:
    return {
        "file": result.landing.name,
        "duration_s": result.landing.period * (len(result.landing.q) - 1),
        "skill": {name: skill(result.jumps, name) for name in _NAMES},
        "forward_loss": result.losses,
        "forward_loss_velocity_held": result.held,
        "feet": [_of_foot(jump, result.landing.period) for jump in result.jumps],
    }


def _of_foot(jump: FootJump, period: float) -> dict[str, Any]:
    return {
        "foot": jump.touch.foot,
        "touch_s": period * jump.touch.sample,
        "height_m": jump.touch.height,
        "joints": jump.joints,
        "jump_radps": jump.measured.tolist(),
        "predicted_jump_radps": {name: each.tolist() for name, each in jump.predicted.items()},
    }


def as_text(found: LandingEvaluation) -> str:
    """Return tables of the skills and of the losses."""
    jumps = found.jumps
    lines = [
        f"{found.robot.name}: {len(found.results)} landings, impacts of {len(jumps)} feet;"
        " nothing is fitted; brackets: 95 %, bootstrap over landings",
        "",
        f"velocity jump of the legs' joints, {rms_error(jumps):.2f} rad/s rms",
        *(f"  {line}" for line in aligned([_HEAD, *_skill_rows(found, jumps)])),
        "",
        "simulation from the first state, mean loss",
        *(f"  {line}" for line in aligned([*_loss_rows(found)])),
    ]
    return "\n".join(lines)


def _skill_rows(found: LandingEvaluation, jumps: list[FootJump]) -> Iterator[list[str]]:
    for name in _NAMES:
        values = (found.skills[name], *found.intervals.get(name, (None, None)))
        values = (*values, found.passive[name])
        yield [name, *(number(each, ".3f") for each in values), f"{rms_error(jumps, name):.2f}"]


def _loss_rows(found: LandingEvaluation) -> Iterator[list[str]]:
    yield ["floor", *INERTIAS]
    for floor in STEPS:
        yield [floor, *(f"{found.mean_loss(floor, inertia):.1f}" for inertia in INERTIAS)]
    yield ["velocity held", f"{found.held:.1f}", ""]
