# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of an arm and of its commands in every phase: the invariants of a move."""

from __future__ import annotations

from typing import Any

import numpy as np
from adversary_checks import SentChecks

from impact_msgs.msg import ControllerStatus
from impact_qp.limits import IMPACT_LIMITS, Contact, RobustImpactLimit
from impact_robots import ArmDynamics, PointState, Robot, Surface

GRACE = 0.3  # in which what was asked for before comes to its end [s]
TOWARDS = 0.03  # towards the surface, that nobody asked for; a held arm comes back [m/s]
RESTS_WITHIN = 2.0  # of the end of what was asked for [s]
STILL, SLOW = 0.05, 0.01  # at rest [rad/s], [m/s]
CAP_MARGIN, CAP_ROUNDING = 1.1, 0.01  # of speed_cap [-], [m/s]
BOUND_MARGIN, BOUND_ROUNDING = 1.05, 0.002  # of speeds at contact [-], [m/s]
SLOWS = 0.1  # within which an arm is slowed down whose states are back [s]
THROWN = 0.4  # after a contact, or after somebody let go, motion is not that of commands [s]
FINISHED = (ControllerStatus.MODE_HOLD, ControllerStatus.MODE_BRAKE)
RETRACTS_WITHIN = 6.0  # an approach that nobody gave as a goal [s]
UNCHECKED = ("torque rate", "torque rate, rounding", "torque")  # of a driver that has lost states


class MoveChecks:
    """Judges what the node sends and how the arm moves; knows what was asked for.

    Attributes:
        broken: what did not hold, the first time of each, by name.
        active: whether the node is.
        over: nothing is judged any more.
        goals: that were accepted and have not ended.
        fastest: of the contact point while nobody has moved it [m/s].
        noticed_within: in which what is too fast must be slowed down [s].
    """

    def __init__(self, rig: Any) -> None:
        """Judge a rig from its beginning."""
        self._rig = rig
        robot, interface = rig.arm.robot, rig.interface
        self._sent = SentChecks(robot, interface, rig.period, exact=False)
        self.broken: dict[str, str] = {}
        self.active = self.approaches = self.over = False
        self.goals: list[Any] = []
        self.asked_at = self.free_at = self.silent_at = self.touched = -1e9
        self.retracts_at = np.inf
        self.first = True  # the next command is the first one since it had no authority
        self.fastest, self.judged_hits = 0.0, 0
        self.noticed_within, self._slow_at, self._blind_at = 0.0, 0.0, -1e9
        self.cap = rig.settings["speed_cap"]

    # --- what happens -----------------------------------------------------------------------------

    def activated(self, *, approach: bool) -> None:
        """The node is active."""
        self.active, self.approaches, self.first = True, approach, True
        self.asked_at, self.retracts_at = self._rig.now, np.inf

    def deactivated(self) -> None:
        """The node is no longer active."""
        self.active = self.approaches = False
        self.silent_at = self._rig.now

    def faulted(self) -> None:
        """Something has happened that must end what was asked for."""
        self.approaches, self.first = False, True

    def taken(self) -> None:
        """Somebody has the arm."""
        self.free_at = np.inf

    def let_go(self) -> None:
        """Nobody has it any more."""
        self.free_at = self._rig.now
        self._sent.put_to_rest()

    def hear_mode(self, mode: int) -> None:
        """An approach that nobody gave as a goal ends with what follows it."""
        if mode == ControllerStatus.MODE_RETRACT:
            self.retracts_at = min(self.retracts_at, self._rig.now)
        late = self._rig.now - self.retracts_at > RETRACTS_WITHIN
        if mode in FINISHED or late:
            self.approaches = False

    def note(self, name: str, text: str) -> None:
        """Note what is broken, once."""
        if name not in self.broken:
            self.broken[name] = f"{name}: {text}; at {self._rig.now - 1000.0:.2f} s"

    @property
    def asked(self) -> bool:
        """Whether somebody has asked for motion."""
        return self.active and (self.approaches or bool(self.goals))

    # --- what is sent -----------------------------------------------------------------------------

    def judge_command(self, values: np.ndarray) -> None:
        """Judge one command."""
        rig = self._rig
        if self.over:
            return
        for name in self._sent.judge(rig.now, values, rig.arm.state):
            if name not in UNCHECKED:
                self.note(f"sent {name}", self._described(values))
        if self.first and rig.interface == "velocity":
            limits = rig.arm.robot.limits
            step = 1.5 * limits.acceleration * rig.period + 0.02
            if (np.abs(values) > np.abs(rig.arm.dq) + step).any():
                self.note("first command", np.array2string(values, precision=3))
        self.first = False
        if not self.active and rig.now - self.silent_at > RESTS_WITHIN:
            self.note("silent", f"an inactive node sends {np.array2string(values, precision=3)}")

    def _described(self, values: np.ndarray) -> str:
        if self._rig.interface == "position":
            return f"{np.abs(values - self._rig.arm.q).max():.3f} rad from the arm"
        return np.array2string(values, precision=3)

    # --- the arm ----------------------------------------------------------------------------------

    def judge_arm(self) -> None:
        """Judge how the arm moves."""
        rig, arm = self._rig, self._rig.arm
        if self.over:
            return
        self._judge_hits()
        if arm.touches:
            self.touched = rig.now
        if self.asked:
            self.asked_at = rig.now
        free = rig.now - max(self.free_at, self.touched) > THROWN and np.isfinite(self.free_at)
        if not np.isfinite(arm.q).all():
            self.note("arm", "its positions are not finite")
        if not free:
            return
        state, since = arm.state, rig.now - max(self.asked_at, self.free_at, self.touched)
        speed = float(np.linalg.norm(state.velocity))
        self.fastest = max(self.fastest, speed)
        if rig.interface == "torque" and not rig.states:
            self._blind_at = rig.now  # nobody can control it then
        blind = rig.now - self._blind_at < SLOWS
        if blind or speed <= CAP_MARGIN * self.cap + CAP_ROUNDING:
            self._slow_at = rig.now
        elif rig.now - self._slow_at > self.noticed_within:
            self.note("speed cap", f"{speed:.3f} m/s, speed_cap {self.cap:g}")
        towards = -float(rig.normal @ state.velocity)
        if since > GRACE and towards > TOWARDS:
            self.note("nobody asked", f"{towards:.3f} m/s towards the surface")
        rests = blind or (np.abs(arm.dq).max() <= STILL and speed <= SLOW)
        if since > RESTS_WITHIN and not rests:
            self.note("rest", f"{np.abs(arm.dq).max():.3f} rad/s, {speed:.3f} m/s")

    def _judge_hits(self) -> None:
        """Hold the speed of new contacts against what is safe there."""
        arm = self._rig.arm
        for surface, state in arm.hits[self.judged_hits :]:
            self._judge_hit(surface, state)
        self.judged_hits = len(arm.hits)

    def _judge_hit(self, surface: Surface, state: PointState) -> None:
        rig, velocity = self._rig, state.velocity
        speed = float(np.linalg.norm(velocity))
        if rig.now - max(self.free_at, self.touched) < THROWN:
            return  # thrown there, or put there
        if speed < BOUND_ROUNDING or not np.isfinite(self.free_at):
            return
        announced = surface is rig.arm.walls[0] and rig.announced
        normal = surface.normal if announced else -velocity / speed
        towards = -float(normal @ velocity)
        bound = rigid_bound(rig.arm.robot, rig.contact, normal, state, self._limits(announced))
        if towards > BOUND_MARGIN * bound + BOUND_ROUNDING:
            what = "the surface" if announced else "an obstacle"
            self.note("contact speed", f"{what} at {towards:.3f} m/s, bound {bound:.3f}")

    def _limits(self, announced: bool) -> dict[str, Any]:
        """Return which limits are in use, and which stiffness they must expect."""
        settings = self._rig.settings
        if settings["impact_limits"] != "joint_load":
            return {}
        low, high = settings["stiffness"]
        return {"kind": "joint_load", "stiffness": (low, high if announced else np.inf)}


def rigid_bound(
    robot: Robot,
    contact: Contact,
    normal: np.ndarray,
    state: PointState,
    limits: dict[str, Any] | None = None,
) -> float:
    """Return what is safe against something rigid with this normal, friction as announced [m/s].

    Args:
        robot: the arm.
        contact: that is announced.
        normal: of what is hit, shape (3,).
        state: of the contact point there.
        limits: ``kind`` and ``stiffness`` that it must expect; none: robust, which needs none.
    """
    kind = RobustImpactLimit if not limits else IMPACT_LIMITS[limits["kind"]].limit
    rigid = Contact(
        state.position,
        normal,
        (0.0, contact.friction[1]),
        contact.restitution,
        contact.peak_factor,
        contact.impact_duration,
        *((limits["stiffness"],) if limits else ()),
    )
    still = ArmDynamics(robot)(state.q, np.zeros(robot.dof))
    return max(0.0, kind(robot, rigid).speed_bound(still).speed)


def contact_of(values: dict[str, Any]) -> Contact:
    """Return the contact that parameters announce, with friction from 0 up to theirs."""
    return Contact(
        values["contact_point"],
        values["contact_normal"],
        (0.0, float(np.max(values["friction"]))),
        values["restitution"],
        values["peak_factor"],
        values["impact_duration"],
    )
