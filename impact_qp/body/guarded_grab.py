# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller of a grab between its guards: of measured states, and of commands."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from impact_qp.body.grab_balance import grab_margin
from impact_qp.body.grab_phases import GrabPhases, box_arrivals
from impact_qp.body.phases import OPEN_SPEED, GrabState
from impact_qp.body.progress import GrabProgress, mode_of
from impact_qp.body.state_check import HumanoidState, HumanoidStateCheck
from impact_qp.control.guarded_arm import Guarded
from impact_qp.control.state_machine import Event, Fault, MotionState
from impact_qp.exceptions import ControlError
from impact_qp.guards.last_check import LastCheck
from impact_qp.guards.tracking import TrackingWatch
from impact_qp.interface import PositionInterface, TorqueInterface
from impact_qp.limits.impact_limits.contact import NO_BOUND
from impact_qp.whole_body import WholeBodyCommand, WholeBodyController
from impact_qp.whole_body.position_hold import PositionHold
from impact_robots.description.loader import load_robot
from impact_robots.dynamics import ArmDynamics
from impact_robots.task.palm_task import PALMS, PERIOD, PalmTask

HOLD_DISTANCE = 0.05  # displacement of a joint beyond which it is held at its new position [rad]
UNSOLVED = 4  # consecutive cycles for which the last torques are held


class GrabAnswer(NamedTuple):
    """Command for a state."""

    positions: np.ndarray  # of the joints, shape (n,) [rad]
    velocities: np.ndarray  # the same [rad/s]
    active: tuple[str, ...]  # constraints that bind
    said: GrabProgress
    problem: str  # why positions are held; empty: not held
    torques: np.ndarray | None = None  # of the motors, (n,) [N.m]; None: servos hold the positions
    fault: Fault = Fault.NONE  # whether and how motion is blocked

    @property
    def infeasible(self) -> bool:
        """Whether the program of the cycle had no solution."""
        return not (self.problem or self.said.solved)

    @property
    def status(self) -> dict[str, Any]:
        """Additions to :func:`.status_fields`; surface quantities are unknown."""
        return {
            "text": self.problem or self.said.phase,
            "fault": self.fault,
            "mode": mode_of(self.said.phase, held=bool(self.problem)),
            "active_constraints": list(self.active),
            "speed_bound": self.said.bound,
        }


class GuardedGrab(Guarded):
    """Answers each state with positions that can be sent, or torques by the task's choice.

    A humanoid must not go limp: on every failure its position servos hold it in place. A single
    unusable state is answered with the last positions and unchanged phases; too many of them, or an
    invalid command, end the grab until the next activation.

    Attributes:
        robot: with a floating base.
        infeasible: cycles whose program had no solution.
    """

    def __init__(
        self,
        task: PalmTask,
        *,
        hold_distance: float = HOLD_DISTANCE,
        speed_cap: float = inf,
    ) -> None:
        """Make the controller of a task; nothing is answered before :meth:`activate`.

        Args:
            task: object and grasp.
            hold_distance: of a pushed joint, beyond which its new position is held [rad].
            speed_cap: of the palms [m/s].

        Raises:
            ControlError: the robot cannot stand where the task starts, the task is faster than
                the cap, or the grab makes the robot fall.
            RobotError: the start is out of its reach, or its YAML lacks something.
        """
        super().__init__()
        self.robot, self._task = load_robot(task.robot), task
        _check_speeds(task, speed_cap)
        self._start = task.start(self.robot)
        self._arrivals = box_arrivals(task, self.robot)
        grab_margin(self.robot, task, self._arrivals)  # refuses a grab that makes it fall
        self._state_check = HumanoidStateCheck(self.robot, self._start)
        self._hold = PositionHold(self.robot, PERIOD, hold_distance)
        self._dynamics = ArmDynamics(self.robot)
        self._cap = speed_cap
        # the base sways, so palms are tracked less exactly than an arm's position
        self._tracking = [TrackingWatch(TorqueInterface, PERIOD) for _ in PALMS]
        self.machine.take(Event.CONFIGURED)
        self.begin_anew()

    # --- the life cycle -----------------------------------------------------------------------

    def begin_anew(self) -> None:
        """Restart; earlier states are discarded."""
        self._state_check.reset()
        self.refusal = ""
        task, robot = self._task, self.robot
        self._phases = GrabPhases(task, PERIOD, self._arrivals)
        self._controller = WholeBodyController(
            robot,
            self._start,
            self._phases,
            mode=task.interface,
            impact_limits=task.impact_limits,
        )
        self._unsolved = 0  # consecutive cycles without a solution
        self._last_check = LastCheck(robot, PositionInterface, PERIOD)
        self._hold.begin()
        for watch in self._tracking:
            watch.reset(0.0)
        self._zero: int | None = None  # stamp of the first state
        self._usable = 0  # stamp of the last state that could be used
        self._begun, self.infeasible = False, 0

    def _brake(self) -> None:
        self.machine.take(Event.AT_REST)  # positions that are held do not move

    def _hold_anew(self) -> None:
        self._hold.begin()
        self.machine.take(Event.AT_REST)

    def _rest(self, _reason: str) -> None:
        self.machine.take(Event.RAMPED)  # servos keep the last positions

    @property
    def state(self) -> GrabState:
        """Progress of the grab; its times count from the first state that was answered."""
        return self._phases.state

    def look(self, stamp: int, state: HumanoidState) -> None:
        """Take a state that is not answered, of an inactive robot; arguments as of `answer`."""
        finding = self._state_check.finding(stamp, state)
        self.refusal = finding.problem or self._state_check.not_at_start(state)

    def activate(self) -> None:
        """Begin with the next state."""
        self.machine.take(Event.ACTIVATED_TO_MOVE)

    # --- answers ------------------------------------------------------------------------------

    def answer(self, stamp: int, state: HumanoidState, timeout: float) -> GrabAnswer | None:
        """Return the answer to a state; None: nothing may be sent yet.

        Args:
            stamp: of the measurement [ns].
            state: that was measured.
            timeout: longest time without a usable state, by the stamps [s].
        """
        if self._zero is None:
            self._zero = self._usable = stamp
        finding = self._state_check.finding(stamp, state)
        if finding.fault:
            self.distrust(f"implausible {finding.problem}")
        if finding.problem or self.latched:
            return self.held(stamp, finding.problem, timeout)
        self._usable = stamp
        self.machine.take(Event.STATES_BACK)  # somebody may have moved it: held where it is then
        problem = self._state_check.fall(state)
        if not problem and not self._begun:
            problem = self._state_check.not_at_start(state)
        if problem:
            self.stop(problem)
        if self.machine.situation.motion is MotionState.MOVE:
            return self._controlled((stamp - self._zero) * 1e-9, state)
        return self._held(self.fault, state.q[7:])

    def held(self, stamp: int, problem: str, timeout: float) -> GrabAnswer | None:
        """Return the answer to a state that cannot be used; arguments as of :meth:`answer`."""
        if self._zero is None:
            self._zero = self._usable = stamp
        silent = (stamp - self._usable) * 1e-9
        if silent > timeout:
            self.lose(f"no usable state for {silent:.3f} s: {problem}")
        return self._held(self.fault or problem)

    def _controlled(self, time: float, state: HumanoidState) -> GrabAnswer | None:
        """Return the command of the controller, if it can be sent."""
        q, v, joints = state.q, state.v, state.q[7:]
        by_torque = self._task.interface == "torque"
        if not (self._begun or by_torque):  # at the servos' targets, not positions bent by loads
            q, v = self._start, np.zeros(self.robot.nv)
        self._begun = True
        command = self._controller.update(time, q, v, state.palm_forces)
        if by_torque:
            return self._by_torque(command, state)
        positions = self._hold.moved(command.positions, joints)
        problem = self._last_check.position_problem(positions, joints)
        if problem := problem or self._hold.leads(positions, joints):
            self.stop(f"command withheld: {problem}")
        elif problem := self._too_fast(state):
            self.stop(problem)
        if problem:
            return self._held(self.fault, joints)
        self._hold.note(positions)
        self.infeasible += not command.solved
        said = GrabProgress.of(self._phases.state, command.bound.speed, command.solved)
        return GrabAnswer(positions, command.velocities, command.active, said, "")

    def _by_torque(self, command: WholeBodyCommand, state: HumanoidState) -> GrabAnswer | None:
        """Return torques, if they can be sent; servos would hold the robot where it is measured."""
        joints = state.q[7:]
        self._unsolved = 0 if command.solved else self._unsolved + 1
        self.infeasible += not command.solved
        if problem := self._last_check.motor_problem(command.torques):
            self.stop(f"command withheld: {problem}")
        elif self._unsolved > UNSOLVED:
            self.stop(f"{self._unsolved} cycles without a solution")
        elif problem := self._too_fast(state):
            self.stop(problem)
        if self.fault:
            return self._held(self.fault, joints)
        self._hold.note(joints)
        said = GrabProgress.of(self._phases.state, command.bound.speed, command.solved)
        none = np.zeros(self.robot.dof)
        return GrabAnswer(joints, none, command.active, said, "", command.torques)

    def _too_fast(self, state: HumanoidState) -> str:
        """Return why the palms are too fast, "" if they are not."""
        phases = self._phases.state
        approaches = phases.phase == "approach" and np.isnan(phases.touched).all()
        measured = self._dynamics.state(state.q, state.v)
        wanted = self._dynamics.state(*self._controller.reference) if approaches else None
        for palm, watch in zip(PALMS, self._tracking, strict=True):
            speed = inf if wanted is None else float(np.linalg.norm(wanted.at(palm).velocity))
            commanded = np.array([min(speed, self._cap), 0.0, 0.0])  # its direction does not count
            if problem := watch.problem(measured.at(palm).position, commanded):
                return f"{palm}: {problem}"
        return ""

    def _held(self, problem: str, q: np.ndarray | None = None) -> GrabAnswer | None:
        """Return held positions of a robot at ``q``, (n,) [rad]; None: position unknown."""
        self._controller.hold()
        if q is not None:
            positions = self._hold.held(q)
        elif self._hold.begins or self._hold.sent is None:
            return None
        else:
            positions = self._hold.sent
        state = replace(self._phases.state, failure=self.fault or self._phases.state.failure)
        said = GrabProgress.of(state, NO_BOUND.speed, solved=False)
        still = np.zeros(self.robot.dof)
        return GrabAnswer(positions, still, (), said, problem, fault=self.fault_kind)


def _check_speeds(task: PalmTask, cap: float) -> None:
    """Refuse a task whose palms would be faster than a cap [m/s].

    Raises:
        ControlError: names the speed.
    """
    tossing = ("toss_speed", task.toss_speed), ("the palms' opening", OPEN_SPEED)
    speeds = [("reference_speed", task.reference_speed), *(tossing if task.tosses else ())]
    for name, speed in speeds:
        if speed > cap:
            raise ControlError(
                f"{task.name}: {name}: expected at most speed_cap {cap:g} m/s, got {speed:g}"
            )
