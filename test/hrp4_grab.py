# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""HRP-4 before a box: the grab postures of the carried figures, and its palms' arrivals there."""

import csv
from pathlib import Path

from impact_qp import Contact
from impact_qp.whole_body import Arrival
from impact_robots import floating_position
from impact_trials.grab.outcome import PalmOutcome

POSTURES = Path(__file__).parent / "data" / "hrp4_grab_postures.csv"
FRICTION, RESTITUTION = 0.79, (0.0, 0.3)
# of a palm that arrived as planned
GOOD_PALM = PalmOutcome(
    1.5, 0.245, 0.001, 0.245, 0.268, 0.006, 0.4, 0.4, 1.1, 0.85, 0.7, True, True, 60.0, 0.7
)


def grab_posture(robot, half_width):
    """Return q, shape (nq,), with both palms on a box of a half-width [m]."""
    with POSTURES.open() as rows:
        found = [row for row in csv.DictReader(rows) if float(row["half_width_m"]) == half_width]
    numbers = {name: float(value) for name, value in found[0].items()}
    place = [numbers[f"base_{axis}_m"] for axis in "xyz"]
    turn = [numbers[f"base_q{axis}"] for axis in "xyzw"]
    return floating_position(place, turn, [numbers[name] for name in robot.joint_names])


def palm_arrivals(half_width, friction=FRICTION, restitution=RESTITUTION):
    """Return the arrivals of the left and the right palm on a box of a half-width [m]."""
    return [
        Arrival(
            palm,
            Contact((0.4, side * half_width, 0.93), (0.0, side, 0.0), friction, restitution),
        )
        for palm, side in (("left_palm", 1.0), ("right_palm", -1.0))
    ]
