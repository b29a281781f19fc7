# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What an analysis found, impact by impact and in all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from impact_analysis.analyze.comparing.comparison import Candidate, Cell, Ranked
from impact_analysis.analyze.comparing.identify import Coefficients, Identified
from impact_analysis.analyze.comparing.measured_mass import UNKNOWN, Mass
from impact_analysis.analyze.comparing.payload_identification import CarriedPayload
from impact_analysis.analyze.reading.collected import AnalyzedImpact, Collected
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.spreading.episodes import CellFindings, arm_of
from impact_predictor import Polytope
from impact_predictor.identification.contact_estimate import ContactIdentification
from impact_predictor.identification.joint_estimate import JointIdentification
from impact_robots import Robot, Surface
from impact_robots.surface import ANY_STIFFNESS

if TYPE_CHECKING:  # loads slowly
    from impact_predictor.joint_load.load_interval import JumpComparison, TorqueComparison


Range = tuple[float, float]
ANY = (0.0, 1.0)  # friction or restitution of which nothing is known [-]


@dataclass(frozen=True)
class Membership:
    """Does the measured impulse lie in the set that was to be expected?"""

    friction: float  # of the set [-]
    restitution: tuple[float, float]  # of the set [-]
    source: str  # of these: ANNOUNCED, ASSUMED or IDENTIFIED
    strict: bool  # in it, but for two standard deviations of the measurement
    hull: bool  # likewise in the convex hull of the set and zero: no worse
    polytope: Polytope  # contact axes [N.s]
    impulse: np.ndarray  # contact axes, shape (3,) [N.s]


@dataclass(frozen=True)
class Judged:
    """One impact and all that is made of it."""

    measured: AnalyzedImpact
    predicted: dict[str, np.ndarray]  # velocities after by each model, (n,) [rad/s]
    approach_speed: float  # [m/s]
    effective_mass: float  # along the normal: the model's, or the hit's own if that differs [kg]
    mass_interval: tuple[float, float]  # 95 % of it, errors of the model counted [kg]
    membership: Membership | None
    laws: list[ContactIdentification] = field(default_factory=list)  # best first
    impulses: dict[str, float] = field(default_factory=dict)  # normal, by each inertia [N.s]
    mass_of_model: Mass = UNKNOWN  # of M + B_theta, or of M if that is unknown, along the normal
    measured_mass: Mass = UNKNOWN  # as impulse and velocities of the hit show it
    torques: TorqueComparison | None = None  # measured changes of the joints' and predicted ones
    jumps: JumpComparison | None = None  # when joints jumped and when they are predicted to


@dataclass(frozen=True)
class Statistic:
    """A mean over impacts with its 95 % interval (Student's; of contact laws: of all fits)."""

    value: float
    low: float
    high: float
    impacts: int


SAME_WALL = float(np.cos(np.radians(2.0)))  # of the normals of two impacts


@dataclass(frozen=True)
class IdentifiedSurface:
    """Ranges of the surface's coefficients; None: these impacts do not tell."""

    friction: Range | None  # [-]
    restitution: Range | None  # [-]
    stiffness: Range | None  # of the contact [N/m]
    assumed: tuple[str, ...] = ()  # coefficients that the user gave: these impacts do not show them

    @property
    def options(self) -> str:
        """Options of `plan` for what the impacts show, rounded outwards."""
        named = {
            "stiffness": self.stiffness and _outwards(self.stiffness),
            "friction": self.friction and _hundredths(self.friction),
            "restitution": self.restitution and _hundredths(self.restitution),
        }
        shown = {name: text for name, text in named.items() if name not in self.assumed}
        return " ".join(f"--{name} {text}" for name, text in shown.items() if text)

    def surface(self, normal: np.ndarray) -> Surface:
        """Return the surface, with what is not known open.

        Args:
            normal: of it, base axes, shape (3,).
        """
        restitution = self.restitution or ANY
        return Surface(
            None, normal, self.friction or ANY, restitution, self.stiffness or ANY_STIFFNESS
        )


def _outwards(bounds: Range) -> str:
    """Return a range in two digits, rounded outwards."""
    low, high = bounds
    unit_low, unit_high = (10.0 ** (floor(log10(value)) - 1) for value in bounds)
    return f"{floor(low / unit_low) * unit_low:.2g},{ceil(high / unit_high) * unit_high:.2g}"


def _hundredths(bounds: Range) -> str:
    low, high = bounds
    return f"{floor(100.0 * low) / 100.0:.2f},{ceil(100.0 * high) / 100.0:.2f}"


@dataclass(frozen=True)
class Analysis:
    """All that an analysis found."""

    settings: AnalysisSettings
    robot: Robot
    recordings: list[Collected]
    impacts: list[Judged]
    candidates: list[Candidate]
    ranking: list[Ranked]  # best first, empty without comparable impacts
    cells: list[Cell]
    coefficients: dict[str, Coefficients]  # of each inertia
    free_friction: Identified | None  # what the data say where a friction was assumed
    measured_restitution: Statistic | None
    impulse_ratios: dict[str, Statistic]  # predicted over measured normal impulse, by inertia
    contact: dict[str, dict[str, Statistic]]  # by law: stiffness, damping, rms
    contact_units: dict[str, tuple[str, str]]  # of stiffness and damping, by law
    surface: IdentifiedSurface  # its ranges
    joints: JointIdentification | None  # none: the robot's YAML does not say enough of them
    warnings: list[str]
    answer: list[str]  # in words
    arms: list[CellFindings] = field(default_factory=list)  # of several arms, or an object
    payload: CarriedPayload | None = None  # by gravity before the impacts; none: it does not tell

    @property
    def files(self) -> list[str]:
        """Names of the recordings; one of several arms is one recording."""
        whole = {
            arm_of(found.recording, arm): found.recording
            for found in self.arms
            for arm in found.topics.arms
        }
        names = (each.recording for each in self.recordings)
        return list(dict.fromkeys(whole.get(name, name) for name in names))

    @property
    def one_surface(self) -> bool:
        """Whether the impacts may be on one surface, by their normals."""
        normals = np.array([each.measured.normal for each in self.impacts]).reshape(-1, 3)
        known = normals[np.isfinite(normals).all(axis=1)]
        return bool((known @ known.T >= SAME_WALL).all())

    @property
    def best(self) -> Ranked | None:
        """The model that explains the impacts best."""
        return self.ranking[0] if self.ranking else None

    @property
    def mean_errors(self) -> dict[str, float]:
        """Mean absolute error of each inertia with the friction law of the settings [rad/s]."""
        return {
            each.candidate.inertia: each.error
            for each in self.ranking
            if each.candidate.law == self.settings.law
        }

    def records(self) -> list[dict[str, Any]]:
        """Return one record per impact, joint and model, ready for a pandas.DataFrame."""
        return list(self.each_record())

    def each_record(self) -> Iterator[dict[str, Any]]:
        """Yield the records one by one."""
        for number, impact in enumerate(self.impacts):
            measured = impact.measured
            for name, after in impact.predicted.items():
                for j, joint in enumerate(self.robot.joint_names):
                    yield {
                        "impact": number,
                        "recording": measured.recording,
                        "group": measured.group,
                        "time_s": measured.time,
                        "joint": joint,
                        "model": name,
                        "dq_before_degps": float(np.degrees(measured.dq_before[j])),
                        "dq_after_degps": float(np.degrees(measured.dq_after[j])),
                        "predicted_degps": float(np.degrees(after[j])),
                        "error_degps": float(np.degrees(after[j] - measured.dq_after[j])),
                    }
