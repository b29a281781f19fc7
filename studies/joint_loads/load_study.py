# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Accuracy of predicted joint loads, and safety and value of the speeds bounded by them.

At each of many drawn poses: impacts of the arm left to itself, bounds, hits in the closed loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.load_case import scale_ends
from impact_robots import load_robot
from impact_trials.processes import check_stopped, in_order
from studies.joint_loads.grab_loads import DrawnGrab
from studies.joint_loads.load_bounds import PoseBounds, pose_bounds
from studies.joint_loads.load_formula import ScenarioImpact, scenario_impacts
from studies.joint_loads.load_hits import LoadedHit, hit_once, worst_case
from studies.joint_loads.load_model import PassiveImpact, passive_impacts
from studies.joint_loads.load_poses import draw_case, draw_poses, wall_pose
from studies.study_folder import StudyFolder

STUDY = "load"
POSES, IMPACTS, HITS = 200, 2, 5  # drawn poses; at each: impacts, and hits of drawn cases
ROBOT = "panda"


class PoseResult(NamedTuple):
    """What was found at one pose."""

    key: str  # its number
    q: np.ndarray  # shape (n,) [rad]
    impacts: list[PassiveImpact]
    bounds: PoseBounds
    hits: list[LoadedHit | None]  # of drawn cases; none: the approach ended before
    worst: LoadedHit | None  # of the case that the bound is about


class LoadStudy(NamedTuple):
    """What was found."""

    seed: int
    scenarios: list[ScenarioImpact]
    poses: list[PoseResult]  # in the order in which they were drawn
    grabs: list[DrawnGrab] | None = None  # of two arms; none: not asked for

    @property
    def impacts(self) -> list[PassiveImpact]:
        """Impacts of the arm left to itself."""
        return [each for pose in self.poses for each in pose.impacts]

    @property
    def bounds(self) -> list[PoseBounds]:
        """Bounds at the poses."""
        return [pose.bounds for pose in self.poses]

    @property
    def hits(self) -> list[LoadedHit]:
        """Hits in the closed loop of drawn cases."""
        return [each for pose in self.poses for each in pose.hits if each is not None]

    @property
    def worst_hits(self) -> list[LoadedHit]:
        """Hits in the closed loop of the worst cases."""
        return [pose.worst for pose in self.poses if pose.worst is not None]

    @property
    def missed(self) -> int:
        """Approaches that ended before a hit."""
        asked = sum(len(pose.hits) + 1 for pose in self.poses)
        return asked - len(self.hits) - len(self.worst_hits)


def run(
    poses: int,
    seed: int,
    jobs: int,
    progress: Callable[[float, str], None],
    finished: StudyFolder[PoseResult],
) -> LoadStudy:
    """Return what was found; the number of processes changes nothing.

    Args:
        poses: how many.
        seed: of everything that is drawn.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.
        finished: poses that need not be studied; gets the others.
    """
    robot = load_robot(ROBOT)
    drawn = [pose.point.q for pose in draw_poses(robot, poses, seed)]
    work = [(q, (seed, k)) for k, q in enumerate(drawn) if str(k) not in finished.trials]
    done = poses - len(work)
    for result in in_order(study_pose, work, jobs, "reproduce load"):
        finished.add(result)
        done += 1
        progress(done / poses, f"{done} of {poses} poses")
    results = [finished.trials[str(k)] for k in range(poses)]
    return LoadStudy(seed, scenario_impacts(robot), results)


def study_pose(q: np.ndarray, seed: tuple[int, int]) -> PoseResult:
    """Study one pose (n,) [rad] with what is drawn from a seed, that of the study and a number."""
    robot = load_robot(ROBOT)
    pose, random = wall_pose(robot, q), np.random.default_rng(seed)
    impacts = passive_impacts(robot, pose, IMPACTS, random)
    ends = scale_ends(robot.joint_ranges, robot.dof)
    cases = [draw_case(random, ends) for _ in range(HITS)]
    hits = []
    for case in [*cases, worst_case(robot, pose)]:
        check_stopped()
        hits.append(hit_once(robot, pose, case, int(random.integers(2**31))))
    return PoseResult(str(seed[1]), q, impacts, pose_bounds(robot, pose), hits[:-1], hits[-1])
