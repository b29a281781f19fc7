# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One trial of the study: its net feedback, and the residual with each inertia."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from impact_predictor.prediction.predict import motor_inertia
from impact_qp.arms.plans import SpreadChoice, spread_plans, usual_gains
from impact_qp.spreading import Mode
from impact_robots import ArmDynamics, Robot, load_robot
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_trials.in_process.spreading_trial import SpreadingRun, spread
from impact_trials.processes import check_stopped
from studies.published import parameter
from studies.validation.held_feedback import held_feedback
from studies.validation.momentum_closure import closure_miss
from studies.validation.spread_friction import learned_frictions
from studies.validation.val2_case import INERTIAS, UseCase

ROBOT = "panda_plate"
PERIOD = 1e-3  # of control [s]
AFTER = 0.65  # the first contact, how long a trial goes on: the window and an early touch [s]
CLOSED = (-0.02, 0.1)  # about first contact, in which momentum is closed [s]


LEARNED = ("all tasks", "position")  # what feed-forward stands in for


class Change(NamedTuple):
    """By what plant or controller differ from what is announced to the controller, or is usual."""

    name: str = ""
    support_friction: float = 0.0  # in addition [-]
    mass: float = 1.0  # of the box, times what is announced [-]
    stiffness: float = 1.0  # of the contacts, times what is usual [-]
    position_gain: float | None = None  # k_p; none: the usual one [1/s^2]
    motor_friction: bool = False  # the motors have friction
    learned: str = ""  # before, without the box: what of the friction, of LEARNED; empty: nothing


class NetTask(NamedTuple):
    """A trial that is to be run."""

    use: UseCase
    level: float  # of the reference velocity after the impact, over the map's [-]
    number: int  # of the trial at that level
    seed: int
    change: Change = Change()

    @property
    def key(self) -> str:
        """Return a name that no other trial of the study has."""
        name = f"{self.use.kind}_{self.use.object}_case{self.use.case}"
        return "/".join([name, f"{self.level:g}", str(self.number), self.change.name])


class NetTrial(NamedTuple):
    """What a trial gave, the mean of the arms; velocities are along the use case's axis."""

    key: str
    reference: float  # velocity after the impact [m/s]
    net: float  # net feedback of the contact points, as published [m/s]
    held: float | None  # what all feedback asks of a held object; none: none is held [m/s]
    misses: tuple[float, ...]  # of momentum closure, their size, by each of INERTIAS [m/s]
    stopped: bool  # the impact was not noticed, or not when it was due

    @property
    def judged(self) -> float:
        """Net feedback by which an impact is judged: of a grab that of what is held [m/s]."""
        return self.net if self.held is None else self.held


def run_task(task: NetTask) -> NetTrial:
    """Run a trial.

    Raises:
        ImpactError: it failed.
    """
    robot, announced = load_robot(ROBOT), replace(task.use.scenario, after_contact=AFTER)
    truth, choice = changed(announced, task.change), _choice(task, announced)
    run = spread(truth, task.seed, choice, announced=announced, record=_stoppable)
    plans = spread_plans(announced, choice)
    references = [plan.reference.jump[1][:3] @ task.use.axis for plan in plans]
    holds = task.use.kind == "grab"
    modes = {command.mode for answer in run.answers for command in answer.commands}
    return NetTrial(
        task.key,
        float(np.mean(references)),
        net_feedback(run, announced.run_up, task.use.axis),
        float(held_net(run, robot, announced.run_up) @ task.use.axis) if holds else None,
        closure(run, robot),
        Mode.STOP in modes,
    )


def _stoppable(*_: object) -> None:
    check_stopped()


def changed(announced: SpreadingScenario, change: Change) -> SpreadingScenario:
    """Return a scenario with what is not announced to the controller."""
    friction = {"coulomb": 0.3, "viscous": 0.2}  # [N.m], [N.m.s/rad]
    return replace(
        announced,
        support_friction=announced.support_friction + change.support_friction,
        box_mass=announced.box_mass * change.mass,
        contact_frequency=announced.contact_frequency * change.stiffness**0.5,
        motor_friction=friction if change.motor_friction else announced.motor_friction,
    )


def _choice(task: NetTask, announced: SpreadingScenario) -> SpreadChoice:
    """Return how the arms of a trial are controlled."""
    change, choice = task.change, task.use.choice._replace(level=task.level)
    if change.position_gain is not None:
        choice = choice._replace(
            gains=replace(usual_gains(announced), position=change.position_gain)
        )
    if change.learned:
        truth, alone = changed(announced, change), change.learned == "position"
        learned = learned_frictions(truth, choice, seed=task.seed, position_only=alone)
        choice = choice._replace(friction=learned)
    return choice


def net_feedback(run: SpreadingRun, nominal: float, axis: np.ndarray) -> float:
    """Return a_fb,net, the mean of the arms [m/s]; van Steen et al. 2025 (28).

    Args:
        run: of the trial.
        nominal: time of the impact [s].
        axis: along which, shape (3,).
    """
    feedback = np.array([[each.feedback for each in arm.commands] for arm in run.answers])
    return float((feedback[:, _window(run, nominal)] @ axis).sum(axis=1).mean() * PERIOD)


def held_net(run: SpreadingRun, robot: Robot, nominal: float) -> np.ndarray:
    """Return the integral of :func:`held_feedback` over the same window, shape (3,) [m/s].

    Args:
        run: of the trial.
        robot: every arm.
        nominal: time of the impact [s].
    """
    dynamics, net = ArmDynamics(robot), np.zeros(3)
    for cycle in _window(run, nominal):
        points = [dynamics(q, dq) for q, dq in run.log.links[cycle]]
        wanted = [arm.commands[cycle].task_feedback[:6] for arm in run.answers]
        net += held_feedback(points, robot.apparent_motor_inertia, wanted) * PERIOD
    return net


def _window(run: SpreadingRun, nominal: float) -> np.ndarray:
    """Return the cycles over which feedback is summed up."""
    start, end = (nominal + value for (value,) in map(parameter, ("rs.t1_offset", "rs.t2_offset")))
    times = np.array(run.log.times)
    return np.flatnonzero((times > start - PERIOD / 2) & (times < end - PERIOD / 2))


def closure(run: SpreadingRun, robot: Robot) -> tuple[float, ...]:
    """Return the size of the miss by each of INERTIAS [m/s]; nan without a touch."""
    touch = run.log.plant.first_contact_time
    if touch is None:
        return (float("nan"),) * len(INERTIAS)
    first, last = np.searchsorted(run.log.times, [touch + each for each in CLOSED])
    states = slice(first, last + 1)  # at the beginning of each cycle, and at the end of the last

    def size(inertia: str, arm: int) -> float:
        links = [each[arm] for each in run.log.links[states]]
        torques = [command.torque for command in run.answers[arm].commands[first:last]]
        impulses = np.diff([each[arm] for each in run.log.joint_impulses[states]], axis=0)
        sensed, B = [each[arm] for each in run.log.torques[states]], motor_inertia(robot, inertia)
        miss = closure_miss(robot, B, links, torques, list(impulses), sensed, PERIOD)
        return float(np.linalg.norm(miss))

    arms = range(len(run.answers))
    return tuple(float(np.mean([size(name, arm) for arm in arms])) for name in INERTIAS)
