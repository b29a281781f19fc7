# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drawn pushes of a humanoid in a grab: whether it falls, beside what is predicted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from impact_predictor.balance.push_limit import StandingBody, carrying, footing_of, push_limit
from impact_robots import ArmDynamics, RobotState, load_robot
from impact_robots.state.frames import frame_index
from impact_sim.humanoid.grab_file import load_grab
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.grab_stage import SETTLING
from impact_sim.humanoid.plant import HumanoidPlant
from impact_trials.grab.grab_trial import GrabTrial
from studies.in_turn import made_in_turn
from studies.study_folder import StudyFolder

PUSHES = 200
STUDY, SCENARIO, STREAM = "balance", "qp_hrp4_grab", 37
PLACES = {"base": "", "chest": "CHEST_Y", "left palm": "left_palm", "right palm": "right_palm"}
BEGINS = {"approach": SETTLING, "box lifted": SETTLING + 2.8}  # of a push, plant's time [s]
NEAR, FAR = (0.75, 1.25), (0.4, 1.8)  # force over the predicted limit [-]
OFTEN, SUSTAINED = 0.65, 0.2  # fraction of pushes near the limit; of sustained ones
SHORTEST, LONGEST, FOR_EVER = 0.005, 1.0, 4.0  # duration [s]
STEEPEST = 0.3  # of a push, up or down [rad]
WATCHED = 2.0  # after a push [s]


class DrawnPush(NamedTuple):
    """A push that is to be made, at the centre of mass of a link."""

    number: int
    seed: int  # of the trial
    place: str  # of PLACES
    begins: str  # of BEGINS
    direction: tuple[float, float, float]  # world axes, unit
    duration: float  # [s]; FOR_EVER is predicted as sustained
    limit: float  # predicted [N]
    force: float  # [N]

    @property
    def key(self) -> str:
        """Its number."""
        return str(self.number)


class PushOutcome(NamedTuple):
    """A push and what came of it."""

    push: DrawnPush
    fell: bool
    stopped: bool  # guards ended the grab: servos hold the joints

    @property
    def key(self) -> str:
        """The push's."""
        return self.push.key

    @property
    def said_to_fall(self) -> bool:
        """Whether a fall was predicted."""
        return self.push.force > self.push.limit


def drawn(number: int, seed: int) -> DrawnPush:
    """Return a push of a study."""
    rng = np.random.default_rng([seed, STREAM, number])
    place, begins = rng.choice(list(PLACES)), rng.choice(list(BEGINS))
    heading, steep = rng.uniform(-np.pi, np.pi), rng.uniform(-STEEPEST, STEEPEST)
    level = np.cos(steep)
    way = np.array([level * np.cos(heading), level * np.sin(heading), np.sin(steep)])
    cycles = np.exp(rng.uniform(np.log(SHORTEST), np.log(LONGEST))) / SHORTEST
    sustained = rng.random() < SUSTAINED
    duration = FOR_EVER if sustained else round(SHORTEST * round(float(cycles)), 4)
    footing, points = stance(str(begins))
    limit = push_limit(footing, points[str(place)], way, np.inf if sustained else duration)
    (low, high), (least, most) = NEAR, FAR
    share = rng.uniform(low, high)
    if rng.random() > OFTEN:
        share = rng.uniform(least, low) if rng.random() < 0.5 else rng.uniform(high, most)
    x, y, z = way.tolist()
    at = (x, y, z)
    return DrawnPush(
        number, seed + number, str(place), str(begins), at, duration, limit, float(share * limit)
    )


@cache
def stance(begins: str) -> tuple[StandingBody, dict[str, np.ndarray]]:
    """Return the footing at the beginning of pushes, and where each place is, (3,) [m]."""
    scenario, robot = _scenario(), load_robot(_scenario().robot)
    lifted = replace(scenario.task, palm_z=scenario.palm_z + scenario.lift)
    q = scenario.task.start(robot) if begins == "approach" else lifted.grabbing(robot)
    state = ArmDynamics(robot, "all").state(q, np.zeros(robot.nv))
    footing = footing_of(robot, state)
    if footing is None:
        raise ValueError(f"{robot.name}: expected soles on level ground")
    if begins != "approach":
        footing = carrying(footing, scenario.box_masses[0], lifted.box_position)
    return footing, {name: place(state, contact) for name, contact in PLACES.items()}


def place(state: RobotState, contact: str) -> np.ndarray:
    """Return where :meth:`.HumanoidPlant.push` pushes, world axes, shape (3,) [m]."""
    robot = load_robot(_scenario().robot)
    model = robot.model
    joint = model.frames[frame_index(model, contact)].parentJoint if contact else 1
    frame = model.names[joint] if contact else robot.base_frame
    return state.at(frame, model.inertias[joint].lever).position


def _scenario() -> GrabScenario:
    """Return the grab of one box, which ends with the lift."""
    return replace(load_grab(SCENARIO), box_masses=(1.08,), tosses=False)


def pushed(push: DrawnPush) -> PushOutcome:
    """Make a push in the closed loop of the guarded controller."""
    begin, force = BEGINS[push.begins], push.force * np.array(push.direction)

    def disturb(plant: HumanoidPlant, _phase: str, _since: float) -> None:
        now = plant.time - begin + 1e-6  # sums of steps
        on = 0.0 <= now < push.duration
        plant.push(force if on else np.zeros(3), PLACES[push.place])

    trial = GrabTrial(_scenario(), seed=push.seed, disturb=disturb)
    seen, end = trial.begin(), begin + push.duration + WATCHED
    while not trial.stage.fell and trial.plant.time < end:
        seen = trial.cycle(seen)
    return PushOutcome(push, trial.stage.fell, bool(trial.notes.outcome().failure))


def run(
    pushes: int,
    seed: int,
    jobs: int,
    progress: Callable[[float, str], None],
    finished: StudyFolder[PushOutcome] | None = None,
) -> list[PushOutcome]:
    """Return the outcomes of pushes; the number of processes changes nothing.

    Args:
        pushes: how many; those of fewer stay as they are with more.
        seed: of the study.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.
        finished: folder that keeps what is finished; None: nothing is kept.

    Raises:
        AnalysisError: a process died.
    """
    wanted = [drawn(number, seed) for number in range(pushes)]
    if finished is not None:
        work = {each.key: (each,) for each in wanted}
        return finished.completed(pushed, work, jobs, progress, "pushes")
    pieces = [(each,) for each in wanted]
    return made_in_turn(pushed, pieces, jobs, progress, study="hrp4", what="pushes")
