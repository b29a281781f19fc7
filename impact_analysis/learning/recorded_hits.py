# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Estimate of one wall and of the arm's joints from all hits of recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from impact_analysis.analyze.page.documents import LEARNED
from impact_analysis.analyze.reading.collected import AnalyzedImpact
from impact_analysis.analyze.reading.recordings import named_recordings
from impact_analysis.analyze.result import SAME_WALL, Analysis
from impact_analysis.spreading.episodes import arm_of
from impact_bags.bag_recording import BagRecording, TopicChoice
from impact_bags.new_files import write_file
from impact_bags.open_recording import open_recording
from impact_bags.reading.cell_topics import cell_topics
from impact_bags.reading.run_record import read_cell
from impact_bags.series import Series
from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.drive import drive_of
from impact_predictor.learning.alignment import aligned
from impact_predictor.learning.knowledge import SIGMAS, nothing_known
from impact_predictor.learning.learned_file import JOINTS, joints_text, wall_text
from impact_predictor.learning.learning_box import FIGURES, LearningBox, learning_box
from impact_predictor.learning.wall_change import Learned, LearnedHit, learn_hit
from impact_predictor.learning.wall_interval import wall_ranges
from impact_predictor.recorded_hit import RecordedHit
from impact_robots.robot import Robot
from impact_robots.surface import ANY_STIFFNESS, Surface

ANYTHING = (0.0, 1.0)  # friction, and restitution, of an unknown wall


@dataclass(frozen=True, eq=False)
class RecordedLearning:
    """Result of learning from recordings."""

    hits: list[LearnedHit]  # one of each impact of the analysis
    box: LearningBox | None  # ranges of wall and joints; None: nothing was learned
    reason: str  # why not, "" if something was

    @property
    def used(self) -> dict[int, LearnedHit]:
        """Hits that something was learned from, by number of the impact."""
        return {number: each for number, each in enumerate(self.hits) if not each.skipped}

    def as_json(self) -> dict[str, Any]:
        """Return the JSON document; ranges of the joints are fractions of the YAML's values."""
        document: dict[str, Any] = {
            "reason_not_learned": self.reason or None,
            "hits": [
                {"number": number, "skipped": each.skipped} | each._asdict()
                for number, each in enumerate(self.hits)
            ],
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
        """Return the results as lines of text."""
        skipped = [
            f"learned nothing from impact {number + 1}: {each.skipped}"
            for number, each in enumerate(self.hits)
            if each.skipped
        ]
        if self.box is None:
            return [f"learned nothing: {self.reason}", *skipped]
        wall = wall_ranges(self.box)
        used, joints = self.used, self.box.high[FIGURES:] - self.box.low[FIGURES:]
        before = self.box.announced[1, FIGURES:] - self.box.announced[0, FIGURES:]
        width = float(np.mean(joints[before > 0.0] / before[before > 0.0]))
        wall_from = max((number for number, each in used.items() if each.contradicted), default=0)
        of_wall = sum(number >= wall_from for number in used)
        only = f" (the wall from {of_wall} of them)" if of_wall < len(used) else ""
        lines = [
            f"learned from {len(used)} hits{only}, three standard deviations: stiffness"
            f" {wall['stiffness'][0]:.3g} to {wall['stiffness'][1]:.3g} N/m, restitution"
            f" {wall['restitution'][0]:.2f} to {wall['restitution'][1]:.2f}, friction"
            f" {wall['friction'][0]:.2f} to {wall['friction'][1]:.2f}, exponent"
            f" {wall['exponent'][0]:.2f} to {wall['exponent'][1]:.2f}; joints' ranges {width:.0%}"
            " as wide as announced",
        ]
        lines += [
            f"the model does not explain impact {number + 1} (misfit {each.misfit:.1f})"
            if number == min(used)
            else f"impact {number + 1} does not agree with those before: taken for the first one of"
            " another wall"
            for number, each in used.items()
            if each.contradicted
        ]
        if not all(each.commanded for each in used.values()):
            lines.append("commanded torques were not recorded: taken as constant through the hits")
        return lines + skipped


def learn_analysis(path: Path, analysis: Analysis) -> RecordedLearning:
    """Learn from the impacts of an analysis; ``path`` is of its recordings.

    Raises:
        RecordingError: a recording can no longer be read.
    """
    robot, (friction, restitution) = analysis.robot, analysis.settings.assumed
    impacts = [each.measured for each in analysis.impacts]
    hit = {each.recording for each in impacts}
    arms = {each.recording: each.topics.arms for each in analysis.arms}
    commands = {
        own: read_commands(file, robot, analysis.settings.topics(arm))
        for file, name in named_recordings(path)
        for arm in arms.get(name, ("",))
        if (own := arm_of(name, arm)) in hit
    }
    return learn_recorded(robot, impacts, commands, friction, restitution)


def write_learned(learned: RecordedLearning, folder: Path) -> None:
    """Write the ranges of wall and joints into an analysis's folder, if there are any.

    Raises:
        WriteError: the disk refused.
    """
    if learned.box is None:
        return
    for name, text in zip(LEARNED, (wall_text, joints_text), strict=True):
        (folder / name).parent.mkdir(exist_ok=True)
        write_file(folder / name, text(learned.box))


def learn_recorded(
    robot: Robot,
    impacts: Sequence[AnalyzedImpact],
    commands: Mapping[str, Series | None],
    friction: tuple[float, float] | None = None,
    restitution: tuple[float, float] | None = None,
) -> RecordedLearning:
    """Learn from impacts with their traces; those of another normal than the first are skipped.

    Args:
        robot: the arm.
        impacts: of an analysis, in their order.
        commands: of each recording, by its name.
        friction: assumed range [-]; None: 0 to 1.
        restitution: assumed range [-]; None: 0 to 1.
    """
    try:
        drive_of(robot, "torque")
    except PredictionError as error:
        return RecordedLearning([], None, str(error))
    learned: Learned | None = None
    done: list[LearnedHit] = []
    for impact in impacts:
        why, hit = _hit_of(impact, commands.get(impact.recording))
        if learned is None and hit is not None:
            surface = Surface(
                None, impact.normal, friction or ANYTHING, restitution or ANYTHING, ANY_STIFFNESS
            )
            learned = Learned(nothing_known(learning_box(robot, surface)))
        if learned is not None and hit is not None:
            why, learned = _learned(learned, impact, hit)
        if why or learned is None or hit is None:
            done.append(LearnedHit(skipped=why))
        else:
            done.append(learned.last(commanded=hit.command is not None))
    if learned is None or not learned.known.windows:
        return RecordedLearning(done, None, "no impact was recorded as that needs")
    if learned.known.alarm:
        return RecordedLearning(done, None, "the model does not explain the hits")
    return RecordedLearning(done, learned.known.narrowed, "")


def _hit_of(impact: AnalyzedImpact, commands: Series | None) -> tuple[str, RecordedHit | None]:
    """Return why an impact cannot be used, or the hit."""
    trace = impact.trace
    if trace is None:
        return "its samples were not kept (only those of the first impacts are)", None
    if not np.isfinite(impact.normal).all():
        return "the normal is not known: give --normal", None
    if not np.isfinite(trace.torque).all():
        return "no torque was recorded", None
    command = None if commands is None else _held(commands, impact.time + trace.time)
    return "", replace(trace, command=command)


def _learned(before: Learned, impact: AnalyzedImpact, hit: RecordedHit) -> tuple[str, Learned]:
    """Return why nothing was learned from a hit, else "", and the updated estimate."""
    box = before.known.box
    if float(box.surface.normal @ impact.normal) < SAME_WALL:
        return "another normal than that of the first one: another wall", before
    try:
        return "", learn_hit(before, aligned(box, hit))
    except PredictionError as error:
        return str(error), before


def read_commands(path: Path, robot: Robot, choice: TopicChoice) -> Series | None:
    """Return the torques commanded to the arm whose joint states are read; None: not recorded.

    Args:
        path: of the recording.
        robot: the arm.
        choice: of topics, as its joint states were read by.

    Raises:
        RecordingError: it cannot be read.
    """
    recording = open_recording(path, robot, choice)
    if not isinstance(recording, BagRecording):
        return None
    cell = cell_topics(path, joints=robot.joint_names)
    arms = cell.arms if cell else ()
    arm = next((each for each in arms if recording.state_topic.startswith(f"/{each}/")), "")
    commands = read_cell(path, robot, [arm], names=["commands"]).arms[arm].commands
    return commands if len(commands.time) else None


def _held(commands: Series, time: np.ndarray) -> np.ndarray | None:
    """Return the torques in force at times (k,) [s], shape (k, n); None: a time is too early."""
    place = np.searchsorted(commands.seconds, time, side="right") - 1
    return None if (place < 0).any() else commands.values[place, :-1]
