# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks whether a measured state is plausible for the arm, before the controller."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_qp.compiled.records import JITTER
from impact_qp.exceptions import ControlError
from impact_robots.robot import Robot

BEYOND = 0.1  # tolerance beyond the position limits: end stops are softer than limits [rad]
FASTER = 2.0  # factor on the velocity limits: impacts exceed them
DISAGREE = 0.08  # of the velocity limits; the real Panda's recorded motion: at most 0.025
EXCUSED = 0.2  # no such comparison for this time after an impact: sensors lag velocity jumps [s]
HELD = 2.0  # bad states in a row that are skipped
FORGIVEN = 0.05  # reduction of the count of bad states per good one
RECOVERY = 50  # plausible states in a row after a fault, until states are trusted again


class Finding(NamedTuple):
    """Finding for a state: usable, to be skipped, or a fault."""

    problem: str  # "" if the state is plausible
    fault: bool  # there were too many implausible ones


FINE = Finding("", fault=False)


class StateGate:
    """Compares each state with the robot's limits and with the states before it.

    One or two implausible states are skipped. More of them, in a row or scattered (as with two
    publishers on a topic), are a fault; after that each state is compared with the previous one,
    plausible or not, until ``RECOVERY`` of them in a row were plausible.
    """

    def __init__(self, robot: Robot) -> None:
        """Create the gate for a robot's states."""
        from impact_qp.compiled.guards import GOOD, IMPLAUSIBLE, judged  # loads slowly

        self._judge, self._good, self._is_implausible = judged, GOOD, IMPLAUSIBLE
        self._names, limits = robot.joint_names, robot.limits
        self._low, self._high = limits.position_lower - BEYOND, limits.position_upper + BEYOND
        self._fastest, self._limits = FASTER * limits.velocity, limits
        self._tolerance = DISAGREE * limits.velocity
        self._bounds = np.stack([self._low, self._high, self._fastest, self._tolerance])
        self.reset()

    def reset(self) -> None:
        """Forget all states."""
        self._time: int | None = None
        self._q = self._dq = self._apart = np.zeros(len(self._names))
        self._excused, self._badness, self._quarantine = 0.0, 0.0, 0

    @property
    def doubts(self) -> bool:
        """Whether states are not yet trusted again after a fault."""
        return self._quarantine > 0

    def check(self, time: int, q: np.ndarray, dq: np.ndarray, *, impact: bool = False) -> Finding:
        """Take one state and check it.

        Args:
            time: of the measurement [ns]; an earlier one restarts.
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            impact: an impact is detected.
        """
        if self._time is not None and time < self._time:
            self._time = None
        dt = 0.0 if self._time is None else (time - self._time) * 1e-9
        since, after = -1.0 if self._time is None else dt, np.empty(len(self._names))
        q, dq = np.array(q, dtype=float), np.array(dq, dtype=float)  # the caller may write into its
        before = self._q, self._dq, self._apart
        finding = self._judge(q, dq, *before, self._bounds, since, after)
        problem = ""
        if finding == self._is_implausible:
            problem = self._implausible(q, dq) or self._moved_too_far(q, dt)
        if not problem:
            problem = self._disagreement(since, after, finding != self._good, impact)
        elif not self._quarantine and self._badness <= HELD - 1.0:
            return self._judged(problem)  # compared with the last plausible state again
        finite = not problem or bool(np.isfinite(q).all() and np.isfinite(dq).all())
        self._time, self._q, self._dq = (time, q, dq) if finite else (None, self._q, self._dq)
        return self._judged(problem)

    def fault_in(self, time: int, q: np.ndarray, dq: np.ndarray, *, impact: bool = False) -> str:
        """Take one state, and return why the arm must be ramped to rest, "" if it need not.

        Args:
            time: as of :meth:`check`.
            q: see there.
            dq: see there.
            impact: see there.

        Raises:
            ControlError: the state is skipped; gives the reason.
        """
        finding = self.check(time, q, dq, impact=impact)
        if finding.fault:
            return f"implausible joint states: {finding.problem}"
        if finding.problem:
            raise ControlError(finding.problem)
        return ""

    def _judged(self, problem: str) -> Finding:
        """Count, and return the finding."""
        if self._quarantine:
            self._quarantine = RECOVERY if problem else self._quarantine - 1
            return Finding(problem or "not trusted again yet", fault=True)
        if not problem:
            self._badness = max(self._badness - FORGIVEN, 0.0)
            return FINE
        self._badness += 1.0
        fault = self._badness > HELD
        if fault:
            self._badness, self._quarantine = 0.0, RECOVERY
        return Finding(problem, fault)

    def _implausible(self, q: np.ndarray, dq: np.ndarray) -> str:
        """Return the part of a state that is impossible for this robot."""
        within = (q >= self._low) & (q <= self._high) & (np.abs(dq) <= self._fastest)
        if within.all() and q.any():
            return ""
        for values, what in ((q, "position"), (dq, "velocity")):
            bad = np.flatnonzero(~np.isfinite(values))
            if bad.size:
                return "not finite: " + ", ".join(f"{self._names[i]} {what}" for i in bad)
        if not q.any() and len(q) > 1:
            return "all positions are exactly zero: the driver is not ready"
        bad = np.flatnonzero((q < self._low) | (q > self._high))
        if bad.size:
            i, limits = int(bad[0]), self._limits
            low, high = limits.position_lower[i], limits.position_upper[i]
            return f"{self._names[i]} position {q[i]:.4g}, limits {low:g} to {high:g}"
        bad = np.flatnonzero(np.abs(dq) > self._fastest)
        if bad.size:
            i = int(bad[0])
            return f"{self._names[i]} velocity {dq[i]:.4g}, limit {self._limits.velocity[i]:g}"
        return ""

    def _moved_too_far(self, q: np.ndarray, dt: float) -> str:
        """Return the joint that moved too far since the last state."""
        if self._time is None:
            return ""
        moved = q - self._q
        bad = np.abs(moved) > JITTER + self._fastest * dt
        if not bad.any():
            return ""
        i = int(bad.argmax())
        return f"{self._names[i]} moved by {moved[i]:.4g} within {dt * 1e3:.3g} ms"

    def _disagreement(self, since: float, apart: np.ndarray, bad: bool, impact: bool) -> str:
        """Return the joint whose velocity has disagreed with its positions for some time."""
        if since > 0.0:
            self._excused = EXCUSED if impact else max(0.0, self._excused - since)
            if self._excused:
                apart, bad = np.zeros(len(apart)), False
        self._apart = apart
        if not bad:
            return ""
        i = int((np.abs(apart) > self._tolerance).argmax())
        return f"{self._names[i]} positions and velocities disagree by {apart[i]:.3g} per second"
