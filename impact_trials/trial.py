# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One trial of a scenario: its settings, its detections, its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.session import DetectorSession
from impact_detector.signals.sample import FUSED, TORQUE_ERROR, Detection
from impact_robots.robot import Robot
from impact_ros.parameters import from_values
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.scenarios import Scenario
from impact_trials.lockstep import Cycle

Value = str | int | float | None
DETECTORS = (FUSED, TORQUE_ERROR)  # the controller uses the first, the node's default
Record = Callable[[Cycle, bool], None]  # a cycle, and whether the trial's event has happened


Kind = TypeVar("Kind", Scenario, SpreadingScenario, covariant=True)


def recording_name(scenario: str, number: int) -> str:
    """Return the name of a trial's recording."""
    return f"{scenario}_{number:03d}"


@dataclass(frozen=True)
class Trial(Generic[Kind]):
    """Settings of a trial."""

    scenario: Kind  # at this trial's reference speed
    number: int  # within its scenario, from 0
    seed: int

    @property
    def name(self) -> str:
        """Name of the recording."""
        return recording_name(self.scenario.name, self.number)

    def with_absolute_paths(self) -> Trial[Any]:
        """Return the trial with absolute paths of its scenario's files."""
        return replace(self, scenario=self.scenario.with_absolute_paths())


@dataclass(frozen=True)
class TrialResult:
    """Result of a trial."""

    row: dict[str, Value]  # of trials.csv, None for what is unknown
    detections: tuple[Detection, ...]  # as the detector reported them


@dataclass
class DetectorLog:
    """The detections of a trial."""

    detections: list[Detection] = field(default_factory=list)
    threshold: float | None = None  # of the first one [its unit]
    largest: float | None = None  # statistic of the first one before contact [its unit]

    def add(self, cycle: Cycle, contact: bool) -> None:
        """Take one cycle, with or without contact up to now."""
        self.detections += cycle.detections
        self.threshold = cycle.status.threshold
        if cycle.status.ready and not contact:
            self.largest = max(cycle.status.statistic, self.largest or 0.0)

    def of(self, detector: str) -> list[Detection]:
        """Return the detections of one detector."""
        return [found for found in self.detections if found.detector == detector]


def detector_session(scenario: Scenario, robot: Robot) -> DetectorSession:
    """Return the session that the detector's node would create: its defaults, in lockstep.

    The published detector of torque errors runs alongside at the scenario's threshold. The effects
    of impacts are taken from the plant, not estimated.
    """
    normal = [float(component) for component in scenario.normal]
    values = {
        "robot": scenario.robot,
        "detectors": list(DETECTORS),
        "threshold": scenario.detection_threshold,
        "contact_normal": normal,
        "wrench_normal": normal,
        "lockstep": True,
    }
    return session_for(from_values(DetectorParameters, values), robot, estimates=False)
