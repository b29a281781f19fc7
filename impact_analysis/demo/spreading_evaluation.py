# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The figures of one mode of reference spreading, for the demo's table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from impact_bags.exceptions import AnalysisError
from impact_qp.spreading import Mode, Variant
from impact_qp.spreading.modes import DETECTING
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_trials.in_process.spreading_trial import SpreadingRun
from impact_trials.truth.cell_truth import START, CellLog
from impact_trials.truth.spread_figures import feedback_figures

MODES = tuple(variant.value for variant in Variant)
HEARING = tuple(variant.value for variant in DETECTING)  # modes that use the detector


@dataclass(frozen=True)
class GrabFigures:
    """Motion of a box between two arms; NaN if unknown."""

    tilt: float  # largest angle that it turned by [rad]
    slip: float  # of the plates upwards along it, since the first contact [m]
    lift: float  # at the end of the trial [m]
    apart: float  # second arm's first contact after the first one's [s]


@dataclass(frozen=True)
class SpreadingEvaluation:
    """Figures of one mode."""

    mode: str  # one of MODES
    touch: float  # first one of any arm, since the start [s]
    axis: int  # of the approach, 0 to 2
    peak_feedback: float  # of a_fb along the approach, of all arms [m/s^2]
    feedback_integral: float  # of the size of a_fb: see `evaluate_spreading` [m/s]
    peak_joint_torque: np.ndarray  # sensed, absolute, within 0.15 s, worst arm, shape (n,) [N.m]
    peak_force: float  # of the box on a plate, the larger one [N]
    detection_delay: tuple[float, ...] | None  # of each arm [s], NaN: missed; None: unused
    stopped: bool  # a controller braked
    grab: GrabFigures | None  # of two arms
    why: tuple[str, ...] = ()  # controllers braked, each reason once

    def as_json(self) -> dict[str, Any]:
        """Return the figures under keys that name their unit; unknown values are NaN."""
        entry: dict[str, Any] = {
            "mode": self.mode,
            "touch_time_s": round(START + self.touch, 9),  # as in the recording
            "peak_feedback_mps2": self.peak_feedback,
            "feedback_integral_mps": self.feedback_integral,
            "peak_joint_torque_nm": self.peak_joint_torque.tolist(),
            "peak_force_n": self.peak_force,
            "detection_delay_s": self.detection_delay and list(self.detection_delay),
            "stopped": self.stopped,
        }
        if self.grab is not None:
            entry["tilt_deg"] = float(np.degrees(self.grab.tilt))
            entry |= {"slip_m": self.grab.slip, "lift_m": self.grab.lift}
            entry["arms_apart_s"] = self.grab.apart
        return entry


def evaluate_spreading(
    scenario: SpreadingScenario, mode: str, run: SpreadingRun
) -> SpreadingEvaluation:
    """Return the figures of a run, from the plant's truth and the commands.

    Feedback is evaluated from 2 ms before the first contact to 0.5 s after it, or the trial's end.
    Its integral is that of its part along the approach in a push, of its norm in a grab, the mean
    of the arms.

    Args:
        scenario: that was run.
        mode: one of ``MODES``, for the figures' name.
        run: the whole trial.

    Raises:
        AnalysisError: no plate touched the box.
    """
    log, touch = run.log, run.log.plant.first_contact_time
    if touch is None:
        raise AnalysisError(f"{scenario.name}: {mode}: expected a plate to touch the box, none did")
    axis = int(np.argmax(np.abs(scenario.direction(0))))
    figures = feedback_figures(np.array(log.times), feedback_of(run), touch, axis)
    push = scenario.kind == "push"
    return SpreadingEvaluation(
        mode,
        touch,
        axis,
        figures.peak,
        figures.integral if push else figures.norm_integral,
        log.largest_torques(touch).max(axis=0),
        max(_largest(plate.force) for plate in log.plant.plates),
        _delays(scenario, log) if mode in HEARING else None,
        any(command.mode is Mode.STOP for answer in run.answers for command in answer.commands),
        None if push else _grab(log, touch),
        tuple(dict.fromkeys(a.controller.stop.value for a in run.answers if a.controller.stop)),
    )


def feedback_of(run: SpreadingRun) -> np.ndarray:
    """Return a_fb of every cycle and arm, shape (k, arms, 3) [m/s^2]."""
    rows = [[command.feedback for command in answer.commands] for answer in run.answers]
    return np.array(rows).transpose(1, 0, 2)


def _grab(log: CellLog, touch: float) -> GrabFigures:
    rise = log.boxes[-1].position - log.boxes[0].position
    times = [
        plate.contact_start.time if plate.contact_start else np.nan for plate in log.plant.plates
    ]
    return GrabFigures(
        float(log.tilts.max()), log.slip(touch), float(rise[2]), float(np.ptp(times))
    )


def _delays(scenario: SpreadingScenario, log: CellLog) -> tuple[float, ...]:
    """Return the delay of each arm's first detection after its contact [s]."""
    delays = []
    for plate, detector in zip(log.plant.plates, log.detectors, strict=True):
        touch = np.inf if plate.contact_start is None else START + plate.contact_start.time
        found = (each.detection_time * 1e-9 for each in detector.of(scenario.detector))
        delays.append(min((time - touch for time in found if time > touch), default=np.nan))
    return tuple(delays)


def _largest(force: np.ndarray) -> float:
    """Return the largest norm of forces, shape (K, 3); 0 without any [N]."""
    return float(np.linalg.norm(force, axis=1).max(initial=0.0))
