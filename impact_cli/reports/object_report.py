# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of an impact of arms on an object, as text and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from impact_analysis.present.plain import json_text
from impact_predictor.prediction.object_question import ObjectAnswer, ObjectQuestion
from impact_robots import Robot

_UNITS = "velocities in m/s and rad/s, world axes"


def object_json(question: ObjectQuestion, robot: Robot, answers: Sequence[ObjectAnswer]) -> str:
    """Return one JSON document; null for numbers that are not finite."""
    document = {
        "robot": robot.name,
        "joint_names": list(robot.joint_names),
        "arms": list(question.arms),
        "object_mass_kg": question.body.mass,
        "stands": question.footing is not None,
        "object_maps": [_document(answer) for answer in answers],
    }
    return json_text(document)


def object_text(question: ObjectQuestion, robot: Robot, answers: Sequence[ObjectAnswer]) -> str:
    """Return a table: velocities of object and plates, one line per map."""
    arms, mass = " and ".join(question.arms), question.body.mass
    stands = "stays on its support" if question.footing is not None else "is free"
    lines = [
        f"{robot.name}: {arms} hit an object of {mass:g} kg, which {stands}; {_UNITS}",
        "",
        f"{'inertia':<12}{'map':<10}{'of':<10}{'linear':<28}{'angular':<28}",
    ]
    for answer in answers:
        twists = {"object": answer.result.body, **answer.result.plates}
        for place, (name, twist) in enumerate(twists.items()):
            head = (answer.inertia, answer.kind) if place == 0 else ("", "")
            lines.append(
                f"{head[0]:<12}{head[1]:<10}{name:<10}{_three(twist[:3]):<28}{_three(twist[3:])}"
            )
    return "\n".join(lines)


def _document(answer: ObjectAnswer) -> dict[str, Any]:
    """Return the prediction of one map."""
    result = answer.result
    return {
        "inertia": answer.inertia,
        "map": answer.kind,
        "object_velocity_mps": result.body[:3],
        "object_angular_velocity_radps": result.body[3:],
        "plates": {
            name: {"velocity_mps": twist[:3], "angular_velocity_radps": twist[3:]}
            for name, twist in result.plates.items()
        },
        "joint_velocity_after_radps": result.joints,
        "energy_gain_j": result.impact.energy_gain,
    }


def _three(vector: np.ndarray) -> str:
    return " ".join(f"{round(float(value), 4) + 0.0:8.4f}" for value in vector)  # no -0
