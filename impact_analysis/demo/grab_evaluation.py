# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The figures of one grab by a humanoid, for the demo's table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from impact_bags.exceptions import AnalysisError
from impact_qp.body.pair import SIDES
from impact_robots import ArmDynamics
from impact_robots.task.palm_task import PALMS
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_trials.grab.grab_cycle import GrabCycle
from impact_trials.grab.grab_notes import GrabNotes
from impact_trials.grab.outcome import GrabOutcome, PalmOutcome
from impact_trials.grab.palm_truth import PalmTruth

LIFTED = 0.9  # fraction of the requested lift from which a box is lifted [-]


@dataclass(frozen=True)
class GrabEvaluation:
    """Figures of one mode."""

    mode: str  # one of ``haste.MODES``
    asked: float  # requested speed of each palm [m/s]
    lift: float  # requested of each box [m]
    outcome: GrabOutcome

    @property
    def palms(self) -> tuple[PalmOutcome, ...]:
        """All impacts."""
        return tuple(palm for box in self.outcome.boxes for palm in box.palms)

    @property
    def speed(self) -> float:
        """Highest speed of a palm at its contact [m/s]."""
        return max(palm.speed for palm in self.palms)

    @property
    def over_bound(self) -> float:
        """Largest ratio of a palm's speed to the robust bound at that configuration [-]."""
        return max(palm.speed / palm.bound for palm in self.palms)

    @property
    def wrist(self) -> float:
        """Largest wrist torque of an impact over the motor's limit [-]."""
        return max(palm.wrist_load for palm in self.palms)

    @property
    def margin(self) -> float:
        """Smallest margin of the zero-moment point up to the end of a lift [m]."""
        return min(box.margin for box in self.outcome.boxes)

    def as_json(self) -> dict[str, Any]:
        """Return the figures under keys that name their unit; NaN: unknown."""
        outcome = self.outcome
        return {
            "mode": self.mode,
            "asked_mps": self.asked,
            "fell": outcome.fell,
            "gave_up": outcome.failure,
            "lifted": sum(box.lifted >= LIFTED * self.lift for box in outcome.boxes),
            "cycles_without_solution": outcome.unsolved,
            "boxes": [
                {
                    "palms": [_palm(palm) for palm in box.palms],
                    "lift_m": box.lifted,
                    "distance_m": box.distance,
                    "zmp_margin_m": box.margin,
                    "zmp_margin_toss_m": box.toss_margin,
                }
                for box in outcome.boxes
            ],
        }


def _palm(palm: PalmOutcome) -> dict[str, Any]:
    return {
        "touch_time_s": palm.time,
        "speed_mps": palm.speed,
        "robust_bound_mps": palm.bound,
        "detection_delay_s": palm.latency,
        "impulse_ns": palm.impulse,
        "impulse_announced": bool(palm.is_announced),
        "peak_force_n": palm.peak_force,
        "wrist_torque_over_limit": palm.wrist_load,
    }


class GrabRun(NamedTuple):
    """One mode with the data of the pictures."""

    evaluation: GrabEvaluation
    notes: GrabNotes
    cycles: list[GrabCycle]

    @property
    def touch(self) -> float:
        """Time of the first contact of a palm with the first box [s]."""
        return min(truth.time for truth in self.truths if truth is not None)

    @property
    def truths(self) -> tuple[PalmTruth | None, ...]:
        """Contacts of the left and the right palm with the first box."""
        return self.notes.truths[0]

    def approach(self) -> list[GrabCycle]:
        """Return the cycles up to the first contact."""
        return [cycle for cycle in self.cycles if cycle.time <= self.touch]


def evaluate_grab(scenario: GrabScenario, mode: str, outcome: GrabOutcome) -> GrabEvaluation:
    """Return the figures of a trial.

    Args:
        scenario: that was run.
        mode: for the figures' name.
        outcome: of the trial.

    Raises:
        AnalysisError: no palm touched the first box.
    """
    if not outcome.boxes[0].palms:
        raise AnalysisError(f"{scenario.name}: {mode}: expected a palm to touch the box, none did")
    return GrabEvaluation(mode, scenario.reference_speed, scenario.lift, outcome)


def palm_speeds(run: GrabRun) -> np.ndarray:
    """Return the palms' approach speeds, cycle by cycle up to the first contact, (k, 2) [m/s]."""
    dynamics = ArmDynamics(run.notes.robot, "all")
    speeds = []
    for cycle in run.approach():
        state = dynamics.state(cycle.q, cycle.v)
        speeds.append([-s * state.at(p).velocity[1] for p, s in zip(PALMS, SIDES, strict=True)])
    return np.array(speeds)
