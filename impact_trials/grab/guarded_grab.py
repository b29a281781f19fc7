# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller of a grab between its guards: of what is measured, and of what is commanded."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from impact_qp.control.last_check import LastCheck
from impact_qp.control.plausibility import StateGate
from impact_qp.whole_body import WholeBodyController
from impact_qp.whole_body.announced import NO_BOUND
from impact_robots.loader import load_robot
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.simulation import PERIOD
from impact_trials.grab.grab_phases import GrabPhases, scenario_arrivals
from impact_trials.grab.plan import GrabPlan
from impact_trials.grab.progress import GrabProgress

NEAR = 0.05  # of where the grab starts, where all joints must be [rad]
STANDING = 0.05  # of where the base is at the start [m]
SUNK, TILTED = 0.3, 0.7  # of the base since the start: it falls [m], [rad]
UNIT = 1e-3  # by which a quaternion's norm may be off [-]
STRONGEST = 5000.0  # force that a palm or a sole may be told to feel [N]


class HumanoidState(NamedTuple):
    """What is measured at one time."""

    q: np.ndarray  # base's position [m] and quaternion x, y, z, w, joints [rad], shape (7 + n,)
    v: np.ndarray  # base's velocity in its own axes, joints, shape (6 + n,) [m/s, rad/s]
    palm_forces: np.ndarray  # on the palms, world axes, shape (2, 3) [N]
    sole_forces: np.ndarray  # of the floor on the soles, world axes, shape (k, 3) [N]


class GrabAnswer(NamedTuple):
    """What the robot is sent for a state."""

    positions: np.ndarray  # of the joints, shape (n,) [rad]
    velocities: np.ndarray  # the same [rad/s]
    active: tuple[str, ...]  # constraints that bind
    said: GrabProgress
    problem: str  # why the last positions are held; empty: they are not


class GuardedGrab:
    """Answers each state with positions that can be sent.

    A humanoid with position servos must not go limp: whatever goes wrong, the answer is what was
    commanded last. One state that cannot be used is answered so, with the phases as they are; too
    many of them, or a command that must not be sent, end the grab for good.

    Attributes:
        robot: with a floating base.
        fault: why the grab was ended, "" while it was not.
        infeasible: cycles whose program had no solution.
    """

    def __init__(self, scenario: GrabScenario) -> None:
        """Make the controller of a scenario.

        Raises:
            ControlError: the robot cannot stand where the scenario starts.
            RobotError: the start is out of its reach, or its YAML lacks something.
        """
        self.robot, self._scenario = load_robot(scenario.robot), scenario
        self._start = scenario.start(self.robot)
        self._gate = StateGate(self.robot)
        self.reset()

    def reset(self) -> None:
        """Start over, as of an activation."""
        scenario, robot = self._scenario, self.robot
        self._phases = GrabPhases(GrabPlan.of(scenario), PERIOD, scenario_arrivals(scenario))
        self._controller = WholeBodyController(
            robot, self._start, self._phases, impact_limits=scenario.impact_limits
        )
        self._check = LastCheck(robot, "position", PERIOD)
        self._gate.reset()
        self._positions = np.array(self._start[7:])
        self._zero: int | None = None  # stamp of the first state
        self._usable = 0  # stamp of the last state that could be used
        self.fault, self._begun, self.infeasible = "", False, 0

    @property
    def phase(self) -> str:
        """What the grab does."""
        return self._phases.state.phase

    def stop(self, reason: str) -> None:
        """End the grab where it is; the first reason is kept as the fault."""
        self.fault = self.fault or reason

    def answer(self, stamp: int, state: HumanoidState, timeout: float) -> GrabAnswer:
        """Return the answer to a state.

        Args:
            stamp: of the measurement [ns].
            state: that was measured.
            timeout: for which no state may be usable, by the stamps [s].
        """
        if self._zero is None:
            self._zero = self._usable = stamp
        if problem := self._problem(stamp, state):
            return self.held(stamp, problem, timeout)
        self._usable = stamp
        if not self._begun and not self.fault:
            self.stop(self._not_at_start(state))
        if self.fault:
            return self._held(self.fault)
        return self._controlled((stamp - self._zero) * 1e-9, state)

    def held(self, stamp: int, problem: str, timeout: float) -> GrabAnswer:
        """Return the answer to a state that cannot be used; arguments as of :meth:`answer`."""
        if self._zero is None:
            self._zero = self._usable = stamp
        silent = (stamp - self._usable) * 1e-9
        if silent > timeout:
            self.stop(f"no usable state for {silent:.3f} s: {problem}")
        return self._held(self.fault or problem)

    def _controlled(self, time: float, state: HumanoidState) -> GrabAnswer:
        """Return what the controller says, where it can be sent."""
        q, v, joints = state.q, state.v, state.q[7:]
        if not self._begun:  # as servos were told to stand, not as loads bend them
            q, v, self._begun = self._start, np.zeros(self.robot.nv), True
        command = self._controller.update(time, q, v, state.palm_forces)
        if problem := self._check.position_problem(command.positions, joints):
            self.stop(f"command withheld: {problem}")
            return self._held(self.fault)
        self.infeasible += not command.solved
        self._positions = command.positions
        said = GrabProgress.of(self._phases.state, command.bound.speed, command.solved)
        return GrabAnswer(command.positions, command.velocities, command.active, said, "")

    def _held(self, problem: str) -> GrabAnswer:
        """Return the last positions."""
        self._controller.hold()
        state = replace(self._phases.state, failure=self.fault or self._phases.state.failure)
        said = GrabProgress.of(state, NO_BOUND.speed, solved=False)
        return GrabAnswer(self._positions, np.zeros(self.robot.dof), (), said, problem)

    # --- what is measured ---------------------------------------------------------------------

    def _problem(self, stamp: int, state: HumanoidState) -> str:
        """Return why a state cannot be used."""
        for name, values in (
            ("odom", state.q[:7]),
            ("odom's twist", state.v[:6]),
            ("wrench of a palm", state.palm_forces),
            ("wrench of a sole", state.sole_forces),
        ):
            if not np.isfinite(values).all():
                return f"{name}: expected finite numbers, got {values.ravel().tolist()}"
        norm = float(np.linalg.norm(state.q[3:7]))
        if abs(norm - 1.0) > UNIT:
            return f"odom: expected a unit quaternion, got one of norm {norm:.4g}"
        most = max(np.abs(each).max() for each in (state.palm_forces, state.sole_forces))
        if most > STRONGEST:
            return f"wrench: expected forces up to {STRONGEST:g} N, got {most:.4g}"
        finding = self._gate.check(stamp, state.q[7:], state.v[6:], impact=True)
        if finding.fault:
            self.stop(f"implausible joint_states: {finding.problem}")
        elif not finding.problem and (fall := self._fall(state)):
            self.stop(fall)
            return fall
        return finding.problem and f"joint_states: {finding.problem}"

    def _fall(self, state: HumanoidState) -> str:
        """Return how far the robot has fallen, if it has."""
        sunk = float(self._start[2] - state.q[2])
        up = 1.0 - 2.0 * float(state.q[3:5] @ state.q[3:5])  # of the base's z axis
        tilt = float(np.arccos(np.clip(up, -1.0, 1.0)))
        if sunk < SUNK and tilt < TILTED:
            return ""
        return f"it falls: the base is {sunk:.2f} m lower than at the start, tilted by {tilt:.2f}"

    def _not_at_start(self, state: HumanoidState) -> str:
        """Return what is not where the grab starts."""
        off = np.abs(state.q[7:] - self._start[7:])
        joint, base = int(np.argmax(off)), np.linalg.norm(state.q[:3] - self._start[:3])
        if off[joint] > NEAR:
            name = self.robot.joint_names[joint]
            return f"{name} is {off[joint]:.3g} rad from where the grab starts, at most {NEAR:g}"
        if base > STANDING:
            return f"the base is {base:.3g} m from where the grab starts, at most {STANDING:g}"
        return ""
