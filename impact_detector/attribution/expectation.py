# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Whether an impact was expected: at the announced time and point, in the predicted set."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import quadprog

from impact_detector.attribution.generalized_impulse import GeneralizedImpulse
from impact_detector.attribution.localization import limit, misfit
from impact_detector.exceptions import DetectorError
from impact_detector.signals.sample import from_seconds
from impact_predictor.inertia.inverse_inertia import crb, generalized_momentum
from impact_predictor.sets.feasible_sets import friction_half_spaces
from impact_robots import PointState, Surface

TIME_TOLERANCE = from_seconds(0.01)  # around the announced window
MASS_MARGIN = 1.5  # the arm's impulse exceeds the composite body's by up to 48 %
_KEPT = 10  # announcements
_FREE = 6  # joints of an arm whose point moves like one of a free body, or more
_REGULAR = 1e-9  # added to the diagonal of the quadratic program, relative

# Why an impact was not expected.
TIME = "time"  # no impact was announced for that time
PLACE = "place"  # no impulse at the announced contact point explains the measured joint torques
DIRECTION = "direction"  # only an impulse outside the friction cone does, or there was no approach
SIZE = "size"  # only an impulse outside the predicted set does


@dataclass(frozen=True)
class Announcement:
    """The announcement of an impact, or its withdrawal."""

    time: int  # of the announcement [ns]
    surface: Surface | None = None  # that will be hit; None: withdrawn, other fields unused
    start: int = 0  # of the contact window [ns]
    end: int | None = None  # of that window [ns]; None: until the next announcement
    frame: str = ""  # of the contact point; empty: the robot's contact frame
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in that frame [m]

    def __post_init__(self) -> None:
        """Check the window.

        Raises:
            DetectorError: it ends before it starts.
        """
        if not self.withdrawn and self.end is not None and self.end < self.start:
            raise DetectorError("announcement: expected a window that ends after its start")

    @property
    def withdrawn(self) -> bool:
        """Whether no impact is announced."""
        return self.surface is None


class Announcements:
    """The last announcements, in order of time."""

    def __init__(self) -> None:
        self._kept: deque[Announcement] = deque(maxlen=_KEPT)

    def add(self, announcement: Announcement) -> None:
        """Add one; it ends earlier windows and replaces announcements from its own time on."""
        while self._kept and self._kept[-1].time >= announcement.time:
            self._kept.pop()
        self._kept.append(announcement)

    def restart(self, time: int) -> None:
        """Delete announcements later than ``time`` [ns], after a jump back in time."""
        while self._kept and self._kept[-1].time > time:
            self._kept.pop()

    def known(self, time: int) -> bool:
        """Return whether there is an announcement at or before ``time`` [ns]."""
        return any(each.time <= time + TIME_TOLERANCE for each in self._kept)

    def at(self, time: int) -> Announcement | None:
        """Return the announcement whose window contains ``time`` [ns], or None."""
        ended = None
        for each in reversed(self._kept):
            ends = [end for end in (each.end, ended) if end is not None]
            early = time < each.start - TIME_TOLERANCE
            late = bool(ends) and time > min(ends) + TIME_TOLERANCE
            if not (each.withdrawn or early or late):
                return each
            ended = each.time
        return None


def unexpected_because(
    surface: Surface, impulse: GeneralizedImpulse, motor_inertia: np.ndarray | None = None
) -> str:
    r"""Return why an impulse is not the announced one: PLACE, DIRECTION or SIZE; empty if it is.

    The impulse :math:`\iota` at the announced point is fitted to the measured joint torques by
    least squares three times: without constraint; in the friction cone (a pyramid around it); in
    the convex hull of zero and the predicted set, :math:`z^T W \iota \le (1 + e) |v_n|`,
    Wang 2023 (8), (10), (11), with W of the composite body, or of arm and motors for fewer than six
    joints, which hold the composite body. The first fit whose residual noise
    does not explain (:math:`\chi^2`) is the reason. An impulse that is still growing is inside if
    its final value is; a smaller one than predicted is harmless, so the lower bounds of friction
    and restitution are not constraints. An impulse at any point explains three joints or fewer, so
    the place is not judged there.

    Args:
        surface: that was announced.
        impulse: its state's contact point is the announced one.
        motor_inertia: largest that counts, shape (n,) [kg.m^2]; None: unknown, so that the size is
            not judged for fewer than six joints.
    """
    state, n = impulse.state, len(impulse.jump)
    if n > 3 and misfit(impulse, state.J[:3]) > limit(n - 3):
        return PLACE
    rotation = surface.rotation
    J = rotation.T @ state.J[:3]
    approach = -float(J[2] @ state.dq)
    if approach <= 0.0:
        return DIRECTION
    cone = -friction_half_spaces(surface.friction[1], circumscribed=True)
    if _constrained(impulse, J, cone, np.zeros(len(cone))) > limit(n):
        return DIRECTION
    if n < _FREE and motor_inertia is None:
        return ""
    rows = np.vstack([cone, -_inverse_inertia(state, rotation, motor_inertia)[2]])
    largest = MASS_MARGIN * (1.0 + surface.restitution[1]) * approach
    if _constrained(impulse, J, rows, np.append(np.zeros(len(cone)), -largest)) > limit(n):
        return SIZE
    return ""


def _inverse_inertia(
    state: PointState, rotation: np.ndarray, motor_inertia: np.ndarray | None
) -> np.ndarray:
    """Return W of the predicted set, shape (3, 3) [1/kg]."""
    if len(state.dq) < _FREE:
        return generalized_momentum(state, rotation, motor_inertia)
    return crb(state, rotation)


def _constrained(
    impulse: GeneralizedImpulse, J: np.ndarray, rows: np.ndarray, bounds: np.ndarray
) -> float:
    """Return the smallest chi^2 of an impulse with rows (k, 3) times it >= bounds (k,)."""
    whiten = np.linalg.inv(np.linalg.cholesky(impulse.covariance))
    A, b = whiten @ J.T, whiten @ impulse.jump
    G = A.T @ A
    G += _REGULAR * np.trace(G) * np.eye(3)
    found = quadprog.solve_qp(G, A.T @ b, rows.T, bounds)[0]
    left = b - A @ found
    return float(left @ left)
