# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of an impact of arms on an object, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from impact_analysis.present.plain import json_text
from impact_analysis.present.table import aligned
from impact_predictor.prediction.object_question import ObjectAnswer, ObjectQuestion
from impact_robots import Robot

_UNITS = "velocities in m/s and rad/s, world axes"
_HEAD = ("inertia", "map", "of", "linear x", "y", "z", "angular x", "y", "z")


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
        *aligned([_HEAD, *(row for answer in answers for row in _rows(answer))], left=range(3)),
    ]
    return "\n".join(lines)


def _rows(answer: ObjectAnswer) -> Iterator[list[str]]:
    """Return the lines of one map: the object's twist, then those of the plates."""
    head = [answer.inertia, answer.kind]
    for name, twist in {"object": answer.result.body, **answer.result.plates}.items():
        yield [*head, name, *(f"{round(float(value), 4) + 0.0:.4f}" for value in twist)]  # no -0
        head = ["", ""]


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
