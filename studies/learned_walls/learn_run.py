# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One drawn wall and arm: some hits in closed loop, each at a speed safe by the last ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.learning.knowledge import Knowledge
from impact_predictor.learning.learning_box import FIGURES
from impact_predictor.learning.next_speed import speed_of_known
from impact_predictor.recorded_hit import RecordedHit
from impact_qp.learning.wall_approach import WallApproach
from impact_robots import Robot, load_robot
from impact_sim.scenarios import load_scenario
from impact_trials.in_process.learning_loop import LearningStep, learning_steps
from impact_trials.in_process.wall_hit import wall_hit
from impact_trials.processes import check_stopped
from impact_trials.trial import detector_session
from studies.joint_loads.load_poses import draw_poses
from studies.learned_walls.learn_truth import KINDS, LearnTruth, draw_truth

ROBOT, SCENARIO = "panda", "qp_panda_demo"  # the scenario: whose detector looks for the impact
HITS, POSES = 5, 12
RUN_UP = 0.15  # [m]


class LearnTask(NamedTuple):
    """A run that is to be made."""

    kind: int  # index of KINDS
    number: int  # of the truth in its case
    seed: int  # of the study

    @property
    def key(self) -> str:
        """Return a name that no other run of the study has."""
        return f"{KINDS[self.kind].name}/{self.number}"


class LearnRun(NamedTuple):
    """What a run gave; one number a hit, none: the approach or the series ended before it."""

    key: str
    kind: str
    stiffness: float  # of the wall, secant at .1 mm [N/m]
    restitution: float  # [-]
    friction: float  # [-]
    safe: tuple[float | None, ...]  # speed that was found safe [m/s]
    speed: tuple[float | None, ...]  # at contact along the announced normal [m/s]
    best: tuple[float, ...]  # at which perfect knowledge would just keep all limits there [m/s]
    fastest: tuple[float, ...]  # that the arm keeps on the run-up [m/s]
    change: tuple[float | None, ...]  # most of a limit of the change of torque that was used [-]
    range: tuple[float | None, ...]  # and of one of the range [-]
    changed: tuple[bool, ...]  # whether the hit contradicted what was known before it
    misfit: tuple[float, ...]  # of the hit [-]
    detected: tuple[bool, ...]
    wall_covered: int  # figures of the wall whose interval holds the truth, at the end
    wall_figures: int
    joints_covered: int
    joints_figures: int

    @property
    def shares(self) -> np.ndarray:
        """Speed over that of perfect knowledge, or what the arm keeps if less, one a hit [-]."""
        speed = np.array([np.nan if each is None else each for each in self.speed])
        return np.asarray(speed / np.minimum(self.best, self.fastest))

    @property
    def arm_limits(self) -> bool:
        """Whether at any hit more is safe than the arm keeps."""
        return bool((np.array(self.best) > np.array(self.fastest)).any())

    @property
    def loads(self) -> np.ndarray:
        """What is used of the limit that is used most, one a hit; nan without one [-]."""
        both = np.array([self.change, self.range], dtype=float)
        return np.asarray(both.max(axis=0))


def run_task(task: LearnTask) -> LearnRun:
    """Let a drawn arm hit and learn."""
    robot, kind = load_robot(ROBOT), KINDS[task.kind]
    truth = draw_truth(robot, kind, (task.seed, task.kind, task.number))
    poses = draw_poses(robot, POSES, task.seed, RUN_UP)
    places = [(task.number + hit * kind.poses) % POSES for hit in range(HITS)]
    ways = {place: truth.approach(poses[place], RUN_UP) for place in places}
    approaches = [ways[place] for place in places]

    def strike(number: int, speed: float) -> RecordedHit | None:
        check_stopped()
        seed = (task.seed, task.kind, task.number, number)
        simulation = truth.simulation(approaches[number], speed, number, seed)
        session = detector_session(load_scenario(SCENARIO), robot)
        return wall_hit(approaches[number], speed, simulation, session)

    steps = list(learning_steps(truth.box, approaches, strike))
    return _result(task, truth, approaches, steps, robot)


def _result(
    task: LearnTask,
    truth: LearnTruth,
    approaches: list[WallApproach],
    steps: list[LearningStep],
    robot: Robot,
) -> LearnRun:
    case, n, made = truth.box.case(truth.figures), robot.dof, len(steps)
    hits = [each.hit for each in steps] + [None] * (HITS - made)
    truths = [None if hit is None else hit.truth for hit in hits]
    best = [
        speed_of_known(
            truth.box,
            each.point if true is None else true.point,
            truth.of_hit(number),
            each.direction,
        )
        for number, (each, true) in enumerate(zip(approaches, truths, strict=True))
    ]
    known, skipped = steps[-1].learned.known, [False] * (HITS - made)
    return LearnRun(
        task.key,
        truth.kind.name,
        case.stiffness,
        case.restitution,
        case.friction,
        (*(float(each.safe.speed) for each in steps), *[None] * (HITS - made)),
        tuple(None if true is None else true.speed for true in truths),
        tuple(map(float, best)),
        tuple(each.fastest for each in approaches),
        tuple(None if true is None else float(true.used[:n].max()) for true in truths),
        tuple(None if true is None else float(true.used[n:].max()) for true in truths),
        (*(each.hit is not None and each.learned.changed for each in steps), *skipped),
        (*(_misfit(each.learned.known) for each in steps), *[0.0] * (HITS - made)),
        tuple(hit is not None and hit.detected for hit in hits),
        *_covered(known, truth.of_hit(HITS - 1)),
    )


def _misfit(known: Knowledge) -> float:
    return float(known.misfit[-1]) if len(known.misfit) else 0.0


def _covered(known: Knowledge, figures: np.ndarray) -> tuple[int, int, int, int]:
    """Return of how many figures the interval holds the truth, and of how many: wall, joints."""
    interval = known.narrowed
    holds = (interval.low - 1e-9 <= figures) & (figures <= interval.high + 1e-9)
    wall, free = np.arange(len(figures)) < FIGURES, known.box.free
    both = [(int(holds[free & part].sum()), int((free & part).sum())) for part in (wall, ~wall)]
    return (*both[0], *both[1])
