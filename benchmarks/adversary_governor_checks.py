# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of what a governor sends, and of the arm behind it; none of them asks the governor."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from adversary_moves import BOUND_ROUNDING, THROWN, rigid_bound

from impact_msgs.msg import ControllerStatus
from impact_robots import PointState, Surface

SILENT = 0.1 + 0.01 + 0.004  # without commands, within which the arm is sent a rest [s]
FASTER, FASTER_ROUNDING = 1.05, 0.01  # than anywhere_speed, the arm at most [-], [m/s]
SENT_FASTER = 1.05  # the same of what is sent: by a state that is a little older [-]
FRESH = 0.02  # states by which what is sent is judged [s]
SAME = 1e-6  # positions, but for noise [rad]
NEAR_PATH = 0.02  # of a path, what is sent along it: it goes there while the path goes on [rad]
ROUNDING = 1e-9  # of what is sent [-]
PASSED = 1.0  # after an activation within which something is passed on [s]
CRASHED = re.compile(r"dropped: [A-Z]\w*(Error|Exception):")  # of the node's own, in its log


def part_of(values: np.ndarray, whole: np.ndarray) -> float:
    """Return the factor between two vectors (n,), NaN if they are not parallel."""
    size = np.abs(whole).max()
    if size == 0.0:
        return 0.0 if not values.any() else np.nan
    scaled = whole / size
    factor = float(values @ scaled) / float(scaled @ scaled) / size
    off = np.abs(values - factor * whole).max()
    return factor if off <= ROUNDING * max(np.abs(values).max(), 1e-3) else np.nan


def off_path(values: np.ndarray, path: np.ndarray) -> float:
    """Return the distance of positions (n,) to straight lines between points (m, n) [rad]."""
    begins, ways = path[:-1], np.diff(path, axis=0)
    squares = np.maximum((ways * ways).sum(axis=1), 1e-30)
    along = np.clip(((values - begins) * ways).sum(axis=1) / squares, 0.0, 1.0)
    return float(np.linalg.norm(begins + along[:, None] * ways - values, axis=1).min())


class GovernorChecks:
    """Judges outputs and the arm; knows what was given, not why.

    Attributes:
        broken: what did not hold, the first time of each, by name.
        active: whether the node is.
        command: given last: a vector (n,) [as of the interface], or a path (m, n) [rad].
        command_at, state_at, free_at: of the last command, usable state, and since when nobody
            holds the arm [s].
        hits: judged contacts: speed over bound.
    """

    def __init__(self, rig: Any) -> None:
        """Judge a rig from its beginning."""
        self._rig = rig
        self.broken: dict[str, str] = {}
        self.active = self.over = False
        self.command: np.ndarray | None = None
        self.command_at = self.state_at = self.free_at = self.active_at = -1e9
        self.hits: list[float] = []
        self._judged, self._touched = 0, -1e9
        self._sent: np.ndarray | None = None
        self._before = -1e9  # of the command before [s]
        self._passed = self._faulty = False
        self._frames = tuple(rig.arm.robot.joint_names)

    def note(self, name: str, text: str) -> None:
        """Note what is broken, once."""
        if name not in self.broken and not self.over:
            self.broken[name] = f"{name}: {text}; at {self._rig.now - 1000.0:.3f} s"

    # --- what happens -----------------------------------------------------------------------------

    def activated(self) -> None:
        """The node is active, and was given nothing."""
        self.active, self.command, self._sent = True, None, None
        self.active_at = self._rig.now
        self._passed = self._faulty = False

    def give(self, command: np.ndarray) -> None:
        """A command is about to be given."""
        self._before, self.command_at, self.command = self.command_at, self._rig.now, command

    def taken(self) -> None:
        """Somebody has the arm."""
        self.free_at = np.inf

    def let_go(self) -> None:
        """Nobody has it any more."""
        self.free_at = self._rig.now

    # --- what is sent -----------------------------------------------------------------------------

    def judge_sent(self, values: np.ndarray) -> None:
        """Judge one output, in the robot's joint order or as a twist."""
        if not self.active:
            self.note("inactive", "it sends")
        if not np.isfinite(values).all():
            self.note("finite", "what is sent is not")
            return
        judge = self._judge_moving if self._rig.moves else self._judge_positions
        judge(values)
        if self._rig.moves:
            self._passed |= bool(values.any())
        elif self._sent is not None:
            self._passed |= bool((values != self._sent).any())
        self._sent = values

    def _judge_moving(self, values: np.ndarray) -> None:
        """Judge velocities or a twist: part of the command, nothing for one that is none."""
        command = self.command
        usable = command is not None and np.isfinite(command).all()
        if not usable or command.shape != values.shape:
            if values.any():
                self.note("unusable", "something was passed on")
            return
        factor = part_of(values, command)
        if not -ROUNDING <= factor <= 1.0 + ROUNDING:
            self.note("steered", f"factor {factor:.3g}")
        dq = self._rig.joint_velocities(values)
        over = np.abs(dq) > self._rig.arm.robot.limits.velocity * (1.0 + ROUNDING)
        if self._rig.interface == "velocity" and over.any():
            self.note("joint velocity", np.array2string(dq, precision=3))
        speed = self._fastest(dq) if self._rig.now - self.state_at < FRESH else 0.0
        if speed > SENT_FASTER * self._rig.anywhere:
            self.note("sent speed", f"{speed:.3f} m/s, anywhere_speed {self._rig.anywhere:g}")

    def _judge_positions(self, values: np.ndarray) -> None:
        """Judge positions: on the way from those sent last to the command, or on its path."""
        command, sent = self.command, self._sent
        anew = sent is None or (self._rig.now - self._before > 0.1 and not self._rig.on_path)
        if anew and np.abs(values - self._rig.measured).max() < SAME:
            return None  # a first one
        if sent is None:
            return self.note("first", f"{np.abs(values - self._rig.measured).max():.3g} rad off")
        if np.array_equal(values, sent):
            return None
        if command is None or not np.isfinite(command).all():
            return self.note("unusable", "something was passed on")
        if command.ndim == 2:
            off = off_path(values, command)
            return self.note("steered", f"{off:.3g} rad off the path") if off > NEAR_PATH else None
        factor = part_of(values - sent, command - sent)
        if np.abs(values - sent).max() < SAME:
            return None
        if not -ROUNDING <= factor <= 1.0 + 1e-6:
            self.note("steered", f"factor {factor:.3g}")
        return None

    def hear_status(self, status: ControllerStatus) -> None:
        """Judge a status: factor, mode, fault."""
        moves = status.mode == ControllerStatus.MODE_GOVERN
        self._faulty = status.fault != ControllerStatus.FAULT_NONE
        if not 0.0 <= status.factor <= 1.0 or (not moves and status.factor > 0.0):
            self.note("status", f"mode {status.mode}, factor {status.factor:g}")
        if self._faulty and self._rig.undisturbed and self._touched < self.active_at:
            self.note("fault undisturbed", status.message)
        if self._faulty and (moves or not status.message):
            self.note("fault", "it goes on, or does not say why")

    # --- the arm ----------------------------------------------------------------------------------

    def judge_arm(self) -> None:
        """Judge how the arm moves, and what it is sent in silence."""
        rig, arm = self._rig, self._rig.arm
        if self.over:
            return
        thrown = rig.now - max(self.free_at, self._touched) < THROWN
        for surface, state in arm.hits[self._judged :] if not thrown else ():
            self._judge_hit(surface, state)
        self._judged = len(arm.hits)
        if arm.touches:
            self._touched, thrown = rig.now, True
        speed = float(np.linalg.norm(arm.state.velocity))
        if not thrown and speed > FASTER * rig.anywhere + FASTER_ROUNDING:
            self.note("speed", f"{speed:.3f} m/s, anywhere_speed {rig.anywhere:g}")
        if self.active:
            self._judge_silence()

    def _judge_silence(self) -> None:
        """Judge what the driver was sent last, after silence, and in the first second."""
        rig = self._rig
        by_states = rig.now - self.state_at > rig.state_timeout + SILENT
        by_commands = rig.now - self.command_at > SILENT and not rig.on_path
        if (by_states or by_commands) and self.command is not None and not rig.rests:
            self.note("silence", "of states" if by_states else "of commands")
        if self.command is not None and rig.undisturbed and not self._faulty:
            late = rig.now - max(self.active_at, self._touched, self.free_at) > PASSED
            if late and not self._passed:
                self.note("passed on", "nothing in the first second")

    def _judge_hit(self, surface: Surface, state: PointState) -> None:
        """Hold the speed of a contact against the bound of the impact limits."""
        rig = self._rig
        if surface is not rig.announced or not self.active:
            return  # the speed is judged everywhere
        speed = -float(surface.normal @ state.velocity)
        bound = rigid_bound(rig.arm.robot, rig.contact, surface.normal, state)
        bound = min(bound, FASTER * rig.anywhere)
        self.hits.append(speed / bound)
        if speed > bound + BOUND_ROUNDING:
            self.note("contact speed", f"{speed:.3f} m/s, bound {bound:.3f}")

    def judge_log(self) -> None:
        """Judge what the node logged: no exceptions of its own."""
        for line in self._rig.host.log.errors:
            if CRASHED.search(line):
                self.note("raised", line)

    def _fastest(self, dq: np.ndarray) -> float:
        """Return the speed of the fastest of contact point and joints' origins [m/s]."""
        state: PointState = self._rig.arm.state
        at = state.robot_state.at
        moved = [state.J[:3] @ dq]
        if self._rig.interface == "velocity":  # whoever turns twists into velocities has the elbow
            moved += [at(name).J[:3] @ dq for name in self._frames]
        return max(float(np.linalg.norm(each)) for each in moved)
