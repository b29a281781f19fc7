# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arm behind the protocol: plant, sensors and safety, one cycle after another."""

from __future__ import annotations

from collections import deque
from time import perf_counter

import numpy as np

from impact_drivers.fake_fr3.faults import NO_FAULTS, Faults
from impact_drivers.fake_fr3.safety import COMMUNICATION, LOST_IN_A_ROW, ArmSafety
from impact_drivers.franka.arm.arm_state import IDLE, MOVE, REFLEX, USER_STOPPED, ArmState
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_sim.driver.simulation import Measurement, Simulation

COMMANDS = 100  # in the window of the success rate


class FakeArm:
    """An FR3 in torque control, or at rest.

    Its state is rounded to 32 bits, as in the protocol. Until the first motion simulated time does
    not advance, so that a run does not depend on the start-up time of its driver.

    Attributes:
        simulation: plant and sensors.
        mode: of the arm, by libfranka's names.
        errors: that prevent motion, by libfranka's names.
        motion_errors: that ended the last motion.
        safety: checks of the arm's electronics.
        highest_thresholds: largest collision thresholds since the start.
        load: configured mass [kg] and centre of mass (3,) [m].
        log: every measurement since the start, or the last ones.
        lost_in_a_row: commands lost since the last one received.
    """

    def __init__(
        self,
        simulation: Simulation,
        q: np.ndarray,
        faults: Faults = NO_FAULTS,
        keep: int | None = None,
    ) -> None:
        """Put the arm at ``q``, shape (7,) [rad].

        Args:
            simulation: plant and sensors.
            q: initial positions, shape (7,) [rad].
            faults: to inject.
            keep: number of measurements in the log; None: all.
        """
        self.simulation, self._faults = simulation, faults
        self.safety = ArmSafety(simulation.arm)
        self.highest_thresholds = self.safety.behavior
        self.log: deque[Measurement] = deque([simulation.reset(q)], keep)
        self.errors = self.motion_errors = self._faults.errors_at_connect
        self.mode = REFLEX if self.errors else IDLE
        self.load: tuple[float, np.ndarray] = (0.0, np.zeros(3))
        self._tau_d = np.zeros(simulation.arm.dof)
        self._success: deque[bool] = deque(maxlen=COMMANDS)
        self._cycle = self.lost_in_a_row = 0
        self._said: Measurement | None = None  # last
        self._fresh = True

    def state(self) -> ArmState:
        """Return the arm's current state."""
        now, moving = self.log[-1], self.mode == MOVE
        period = 0 if self._said is None or not moving else now.time_ns - self._said.time_ns
        self._said = now
        spoilt = moving and self._faults.spoils(self._cycle)
        q = np.full_like(now.q, np.nan) if spoilt else _rounded(now.q)
        rate = sum(self._success) / len(self._success) if self._success else 1.0
        return ArmState(
            q,
            _rounded(now.dq),
            _rounded(now.tau),
            _rounded(self._tau_d),
            self.mode,
            self.errors,
            self.motion_errors,
            float(np.float32(rate)) if moving else 0.0,
            period,
            now.time_ns,
            perf_counter(),
            _rounded(self.safety.external_torque),
        )

    @property
    def loses_command(self) -> bool:
        """Whether the command for this state is lost."""
        return self._faults.loses(self._cycle)

    def begin_motion(self) -> bool:
        """Begin torque control; return whether it is possible."""
        if self.mode != IDLE:
            return False
        self.mode, self.motion_errors, self._cycle, self.lost_in_a_row = MOVE, (), 0, 0
        self._said = self.log[-1]
        self._success.clear()
        return True

    def command(self, torque: np.ndarray | None) -> None:
        """Advance one cycle with a torque without gravity (7,) [N.m], None if it was lost."""
        self._fresh = False
        skips = self._cycle == self._faults.skip
        self._take(torque)
        if skips and self.mode == MOVE:
            self._take(None)

    def finish_motion(self) -> None:
        """End torque control; the arm then holds its position."""
        self.mode, self._tau_d = IDLE, np.zeros_like(self._tau_d)

    def wait(self) -> None:
        """Advance one cycle outside of torque control."""
        if not self._fresh:
            self._remember(self.simulation.brake())

    def recover(self) -> bool:
        """Clear the errors; return whether the arm can move again."""
        if self.mode == REFLEX:
            self.mode, self.errors = IDLE, ()
            self.safety.reset()
        return self.mode == IDLE

    def set_thresholds(self, behavior: CollisionBehavior) -> bool:
        """Set the collision thresholds; return whether it is possible: not during a motion."""
        if self.mode == MOVE or (self._faults.refuses_thresholds and self.mode == REFLEX):
            return False
        self.safety.behavior = behavior
        self.highest_thresholds = CollisionBehavior(
            np.maximum(self.highest_thresholds.torque, behavior.torque),
            np.maximum(self.highest_thresholds.force, behavior.force),
        )
        return True

    def stop_by_user(self) -> None:
        """Press the user stop."""
        self.mode, self._tau_d = USER_STOPPED, np.zeros_like(self._tau_d)

    def release_button(self) -> None:
        """Release the user stop."""
        self.mode = IDLE

    def _take(self, torque: np.ndarray | None) -> None:
        self._success.append(torque is not None)
        self.lost_in_a_row = self.lost_in_a_row + 1 if torque is None else 0
        applied = self._tau_d if torque is None else torque
        wrong = self.safety.of_command(applied, self._tau_d)
        if self.lost_in_a_row > LOST_IN_A_ROW:
            wrong = (COMMUNICATION,)
        if wrong:
            self._stop(wrong)
            return
        self._tau_d, self._cycle = applied, self._cycle + 1
        self._remember(self.simulation.step(applied))
        now = self.log[-1]
        if wrong := self.safety.of_state(now.time_ns, now.q, now.dq, now.tau):
            self._stop(wrong)
        elif self._cycle == self._faults.user_stop:
            self.stop_by_user()

    def _stop(self, errors: tuple[str, ...]) -> None:
        """Stop for a fault: the arm brakes itself from the next cycle on."""
        self.mode, self.errors, self.motion_errors = REFLEX, errors, errors
        self._tau_d = np.zeros_like(self._tau_d)

    def _remember(self, measurement: Measurement) -> None:
        self.log.append(measurement)

    @property
    def time(self) -> int:
        """Simulated time [ns]."""
        return self.log[-1].time_ns


def _rounded(values: np.ndarray) -> np.ndarray:
    """Return values rounded as in the protocol."""
    return values.astype(np.float32).astype(float)
