# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of a predicted impact, as text and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from impact_analysis.present.number import number, span
from impact_analysis.present.plain import json_text, plain
from impact_analysis.present.table import aligned
from impact_cli.options.impact_options import GivenImpact
from impact_cli.reports.load_report import load_document, load_table
from impact_predictor import Flag, Prediction, caveats
from impact_predictor.inertia.approximation import approximate_to_exact_ratio
from impact_predictor.inertia.inertia_models import InverseInertia, normal_impulse
from impact_predictor.inertia.jacobian import contact_jacobian, jacobian_condition
from impact_predictor.prediction.robot_contacts import impulsive_torque
from impact_robots import Surface

if TYPE_CHECKING:
    from impact_predictor.prediction.predicted_load import PredictedLoad


class MapAnswer(NamedTuple):
    """Prediction of one impact map."""

    prediction: Prediction
    low: np.ndarray  # joint velocities after, shape (n,) [rad/s]
    high: np.ndarray  # shape (n,) [rad/s]


def as_json(
    impact: GivenImpact,
    models: Sequence[InverseInertia],
    answers: Sequence[MapAnswer],
    load: PredictedLoad,
) -> str:
    """Return one JSON document; null for numbers that are not finite."""
    document = {
        **_impact(impact),
        "models": {model.name: _model(impact, model) for model in models},
        "maps": {answer.prediction.inertia: _map(impact, answer) for answer in answers},
        "joint_load": load_document(load),
    }
    return json_text(document)


def _impact(impact: GivenImpact) -> dict[str, Any]:
    """Return state and surface, common to all models."""
    state, surface, rotation = impact.state, impact.surface, impact.surface.rotation
    J = contact_jacobian(state, rotation)
    return {
        "robot": impact.robot.name,
        "joint_names": list(impact.robot.velocity_names),
        "joint_position_rad": state.q,
        "joint_velocity_before_radps": state.dq,
        "normal": surface.normal,
        "contact_frame": impact.robot.contact_frame,
        "contact_position_m": state.position,
        "contact_velocity_before_mps": J @ state.dq,
        "friction": surface.friction,
        "restitution": surface.restitution,
        "stiffness_npm": surface.stiffness,
        "held_joints": list(impact.held),
        "approximate_to_exact_ratio": approximate_to_exact_ratio(state, rotation),
        "jacobian_condition": jacobian_condition(J)[0],
    }


def _model(impact: GivenImpact, model: InverseInertia) -> dict[str, Any]:
    """Return effective mass and impulses by one inverse inertia."""
    compression, total = _normal_impulses(impact, model)
    return {
        "effective_mass_kg": model.effective_mass,
        "inverse_inertia_per_kg": model.W,
        "compression_impulse_ns": compression,
        "normal_impulse_ns": total,
        "flags": flag_names(model.flags),
    }


def _normal_impulses(impact: GivenImpact, model: InverseInertia) -> tuple[float, float]:
    """Return the normal impulses at the end of compression and in total [N.s]."""
    surface, state = impact.surface, impact.state
    velocity = float(contact_jacobian(state, surface.rotation)[2] @ state.dq)
    return normal_impulse(model.effective_mass, velocity, surface.middle[1])


def _map(impact: GivenImpact, answer: MapAnswer) -> dict[str, Any]:
    """Return the prediction of one impact map."""
    prediction, low, high = answer
    return {
        "joint_velocity_after_radps": prediction.dq_after,
        "joint_velocity_low_radps": low,
        "joint_velocity_high_radps": high,
        "contact_velocity_after_mps": prediction.velocity_after,
        "impulse_ns": prediction.impulse,
        "normal_impulse_ns": float(prediction.impulse[2]),
        "impulsive_torque_nm": impulsive_torque([impact.contact], [prediction]),
        "contact_mode": prediction.mode.name.lower(),
        "friction_law": prediction.friction_law,
        "energy_gain_j": prediction.energy_gain,
        "flags": flag_names(prediction.flags),
        "caveats": list(caveats(prediction)),
    }


def flag_names(flags: Flag) -> list[str]:
    """Return the names of flags."""
    return [str(flag.name).lower() for flag in Flag if flag and flag in flags]


def as_text(
    impact: GivenImpact,
    models: Sequence[InverseInertia],
    answers: Sequence[MapAnswer],
    load: PredictedLoad,
) -> str:
    """Return some tables."""
    blocks = [_heading(impact)]
    if models:
        blocks.append(_mass_table(impact, models))
    if answers:
        blocks += [_velocity_table(answers), _impulse_table(answers)]
    predictions = [answer.prediction for answer in answers]
    blocks.append(load_table(impact.robot.joint_names, load, impact.contact, predictions))
    if answers:
        blocks.append(_doubts(answers))
    return "\n\n".join(block for block in blocks if block)


def _heading(impact: GivenImpact) -> str:
    """Return state and surface before the impact."""
    common = plain(_impact(impact))
    vx, vy, vn = map(_decimals, common["contact_velocity_before_mps"])
    x, y, z = map(_decimals, common["contact_position_m"])
    ratio = number(common["approximate_to_exact_ratio"], ".2f", unknown="unknown")
    condition = number(common["jacobian_condition"], ".1f", unknown="unknown")
    held = [f"held by friction, locked in the maps with motors: {', '.join(impact.held)}"]
    return "\n".join(
        [
            f"{impact.robot.name} hits with {impact.robot.contact_frame} at "
            f"({x:.3f}, {y:.3f}, {z:.3f}) m, normal ({_row(impact.surface.normal.tolist())})",
            f"velocity before {vn:.4f} m/s along the normal, ({vx:.4f}, {vy:.4f}) m/s along the "
            f"surface",
            f"{coefficients(impact.surface)}; e_a {ratio}, condition of the Jacobian {condition}",
            *(held if impact.held else []),
        ]
    )


def _mass_table(impact: GivenImpact, models: Sequence[InverseInertia]) -> str:
    """Return effective mass and impulse by every inverse inertia."""
    lines = [["inverse inertia", "mass [kg]", "impulse [N.s]: compression", "total", ""]]
    for model in models:
        impulses = (f"{each:.4f}" for each in _normal_impulses(impact, model))
        flags = " ".join(flag_names(model.flags))
        lines.append([model.name, f"{model.effective_mass:.3f}", *impulses, flags])
    return "\n".join(aligned(lines, left=(0, -1)))


def _velocity_table(answers: Sequence[MapAnswer]) -> str:
    """Return joint velocities before and after, with intervals."""
    first = answers[0].prediction
    heads = (each for answer in answers for each in (answer.prediction.inertia, "from", "to"))
    lines = [["velocity after [rad/s]", "before", *heads]]
    for i, name in enumerate(first.joint_names):
        values = [first.dq_before[i]]
        for answer in answers:
            values += [answer.prediction.dq_after[i], answer.low[i], answer.high[i]]
        lines.append([name, *(f"{_decimals(value):.4f}" for value in values)])
    return "\n".join(aligned(lines))


def _impulse_table(answers: Sequence[MapAnswer]) -> str:
    """Return impulse, contact mode and energy of every map."""
    lines = [["impact map", "contact", "impulse x", "y", "normal [N.s]", "energy lost [J]"]]
    for prediction, _, _ in answers:
        values = (*prediction.impulse, 0.0 - prediction.energy_gain)
        mode = prediction.mode.name.lower()
        lines.append([prediction.inertia, mode, *(f"{value:.4f}" for value in values)])
    return "\n".join(aligned(lines, left=(0, 1)))


def _doubts(answers: Sequence[MapAnswer]) -> str:
    """Return every caveat once, with the maps concerned."""
    about: dict[str, list[str]] = {}
    for answer in answers:
        for sentence in caveats(answer.prediction):
            about.setdefault(sentence, []).append(answer.prediction.inertia)
    lines = [
        f"  {sentence}" + (f" ({', '.join(names)})" if len(names) < len(answers) else "")
        for sentence, names in about.items()
    ]
    return "\n".join(["caveats:", *lines]) if lines else ""


def _decimals(value: float) -> float:
    """Return ``value`` rounded for a table, without negative zero."""
    return round(value, 4) + 0.0


def _row(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def coefficients(surface: Surface) -> str:
    """Return the ranges of friction and restitution."""
    return f"friction {span(*surface.friction)}, restitution {span(*surface.restitution)}"
