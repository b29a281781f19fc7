# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the hits of recordings tell of one wall and of the arm's joints, all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from impact_analysis.analyze.reading.measured import AnalyzedImpact
from impact_bags.exceptions import RecordingError
from impact_bags.reader import BagReader
from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.drive import drive_of
from impact_predictor.learning.knowledge import SIGMAS, nothing_known
from impact_predictor.learning.learned_file import JOINTS
from impact_predictor.learning.learning_box import FIGURES, LearningBox, learning_box
from impact_predictor.learning.touch import aligned
from impact_predictor.learning.wall_change import Learned, learn_hit
from impact_predictor.learning.wall_interval import wall_ranges
from impact_predictor.recorded_hit import RecordedHit
from impact_robots.robot import Robot
from impact_robots.surface import ANY_STIFFNESS, Surface
from impact_ros.exceptions import MessageError
from impact_ros.messages import reorder, to_nanoseconds

COMMANDS = "impact_qp/command"
ANYTHING = (0.0, 1.0)  # friction, and restitution, of a wall of which nothing is known
SAME_WALL = np.cos(np.radians(2.0))  # of the normals of two hits
TORQUE = 1  # JointCommand.INTERFACE_TORQUE


class Commands(NamedTuple):
    """Torques that were commanded in a recording."""

    time: np.ndarray  # rising, shape (N,) [s]
    torque: np.ndarray  # shape (N, n) [N.m]

    def at(self, time: np.ndarray) -> np.ndarray | None:
        """Return what held at times (k,) [s], shape (k, n); none where nothing was recorded."""
        place = np.searchsorted(self.time, time, side="right") - 1
        return None if (place < 0).any() else self.torque[place]


class LearnedImpact(NamedTuple):
    """One impact, and what it added."""

    number: int  # in the analysis
    skipped: str  # why nothing was learned from it, "" if something was
    speed: float = np.nan  # of approach [m/s]
    load: float = np.nan  # largest share of a limit that a measured torque used [-]
    misfit: float = np.nan  # [-]
    contradicted: bool = False  # what was known before: it is the first hit of another wall
    commanded: bool = False  # the commanded torques were recorded


@dataclass(frozen=True, eq=False)
class RecordedLearning:
    """What recordings told."""

    impacts: list[LearnedImpact]
    box: LearningBox | None  # ranges of wall and joints; none: nothing was learned
    reason: str  # why not, "" if something was

    @property
    def used(self) -> list[LearnedImpact]:
        """The impacts that something was learned from."""
        return [each for each in self.impacts if not each.skipped]

    def as_json(self) -> dict[str, Any]:
        """Return all for programs; ranges of the joints are shares of the YAML's values."""
        document: dict[str, Any] = {
            "reason_not_learned": self.reason or None,
            "hits": [each._asdict() for each in self.impacts],
            "sigmas": SIGMAS,
            "wall": None,
            "joints": None,
        }
        if self.box is not None:
            ends = np.stack([self.box.low[FIGURES:], self.box.high[FIGURES:]]).reshape(2, 3, -1)
            document["wall"] = {k: list(v) for k, v in wall_ranges(self.box).items()}
            document["joints"] = {k: ends[:, row].tolist() for row, k in enumerate(JOINTS)}
        return document

    def lines(self) -> list[str]:
        """Return all in words, one line a fact."""
        skipped = [
            f"learned nothing from impact {each.number}: {each.skipped}"
            for each in self.impacts
            if each.skipped
        ]
        if self.box is None:
            return [f"learned nothing: {self.reason}", *skipped]
        wall = wall_ranges(self.box)
        used, joints = self.used, self.box.high[FIGURES:] - self.box.low[FIGURES:]
        before = self.box.announced[1, FIGURES:] - self.box.announced[0, FIGURES:]
        width = float(np.mean(joints[before > 0.0] / before[before > 0.0]))
        lines = [
            f"learned from {len(used)} hits, three standard deviations: stiffness"
            f" {wall['stiffness'][0]:.3g} to {wall['stiffness'][1]:.3g} N/m, restitution"
            f" {wall['restitution'][0]:.2f} to {wall['restitution'][1]:.2f}, friction"
            f" {wall['friction'][0]:.2f} to {wall['friction'][1]:.2f}, exponent"
            f" {wall['exponent'][0]:.2f} to {wall['exponent'][1]:.2f}; joints' ranges {width:.0%}"
            " as wide as announced",
        ]
        lines += [_contradiction(each, used[0]) for each in used if each.contradicted]
        if not all(each.commanded for each in used):
            lines.append("commanded torques were not recorded: taken as constant through the hits")
        return lines + skipped


def _contradiction(each: LearnedImpact, first: LearnedImpact) -> str:
    """Return in words what an alarm of a hit meant."""
    if each is first:
        return f"the model does not explain impact {each.number} (misfit {each.misfit:.1f})"
    return (
        f"impact {each.number} does not agree with those before: taken for the first one of another"
        " wall"
    )


def learn_recorded(
    robot: Robot,
    impacts: Sequence[AnalyzedImpact],
    commands: Mapping[str, Commands | None],
    friction: tuple[float, float] | None = None,
    restitution: tuple[float, float] | None = None,
) -> RecordedLearning:
    """Return what impacts with their traces tell; those of another normal than the first do not.

    Args:
        robot: the arm.
        impacts: of an analysis, in their order.
        commands: of each recording, by its name.
        friction: what is assumed of it [-]; none: 0 to 1.
        restitution: what is assumed of it [-]; none: 0 to 1.
    """
    try:
        drive_of(robot, "torque")
    except PredictionError as error:
        return RecordedLearning([], None, str(error))
    learned: Learned | None = None
    done: list[LearnedImpact] = []
    for number, impact in enumerate(impacts):
        why, hit = _hit_of(impact, commands.get(impact.recording))
        if learned is None and hit is not None:
            surface = Surface(
                None, impact.normal, friction or ANYTHING, restitution or ANYTHING, ANY_STIFFNESS
            )
            learned = Learned(nothing_known(learning_box(robot, surface)))
        if learned is not None and hit is not None:
            why, learned = _learned(learned, impact, hit)
        done.append(
            LearnedImpact(number, why) if why or learned is None else _told(number, learned, hit)
        )
    if learned is None or not learned.known.windows:
        return RecordedLearning(done, None, "no impact was recorded as that needs")
    if learned.known.alarm:
        return RecordedLearning(done, None, "the model does not explain the hits")
    return RecordedLearning(done, learned.known.narrowed, "")


def _hit_of(impact: AnalyzedImpact, commands: Commands | None) -> tuple[str, RecordedHit | None]:
    """Return why an impact is no hit to learn from, or the hit."""
    trace = impact.trace
    if trace is None:
        return "its samples were not kept (only those of the first impacts are)", None
    if not np.isfinite(impact.normal).all():
        return "the normal is not known: give --normal", None
    if not np.isfinite(trace.torque).all():
        return "no torque was recorded", None
    command = None if commands is None else commands.at(impact.time + trace.time)
    return "", replace(trace, command=command)


def _learned(before: Learned, impact: AnalyzedImpact, hit: RecordedHit) -> tuple[str, Learned]:
    """Return why nothing was learned from a hit, "" if it was, and what is known now."""
    box = before.known.box
    if float(box.surface.normal @ impact.normal) < SAME_WALL:
        return "another normal than that of the first one: another wall", before
    try:
        return "", learn_hit(before, aligned(box, hit))
    except PredictionError as error:
        return str(error), before


def _told(number: int, learned: Learned, hit: RecordedHit | None) -> LearnedImpact:
    """Return what the last hit was."""
    window, misfit = learned.known.windows[-1], float(learned.known.misfit[-1])
    commanded = hit is not None and hit.command is not None
    return LearnedImpact(number, "", window.speed, window.used, misfit, learned.changed, commanded)


def read_commands(path: Path, robot: Robot) -> Commands | None:
    """Return the commanded torques of a recording; none: it has none, or not for this robot."""
    if path.suffix.lower() == ".csv":
        return None
    rows: list[tuple[int, np.ndarray]] = []
    try:
        with BagReader(path, salvage=True) as bag:
            topics = [name for name in bag.topics if name.lstrip("/") == COMMANDS]
            for _, _, message in bag.messages(topics) if topics else ():
                order = reorder(message.joint_names, robot.joint_names)
                if message.interface == TORQUE and len(message.values) > order.max():
                    stamp = to_nanoseconds(message.header.stamp)
                    rows.append((stamp, np.array(message.values)[order]))
    except (RecordingError, MessageError):
        return None
    if not rows:
        return None
    rows.sort(key=lambda row: row[0])
    return Commands(1e-9 * np.array([stamp for stamp, _ in rows]), np.array([v for _, v in rows]))
