# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Location of a contact on the robot, from the generalized impulse of each joint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pinocchio as pin

from impact_detector.attribution.generalized_impulse import GeneralizedImpulse
from impact_robots import Robot

SIGNIFICANCE = 1e-4  # of all tests: probability of a false positive by noise alone
_WRENCH = 6  # joints needed to distinguish force and moment on a link
_CERTAIN = (
    0.5  # largest standard deviation over magnitude of an impulse whose direction is reported
)


@dataclass(frozen=True)
class Location:
    """Result of :func:`locate`."""

    link: str = ""  # that was hit, or a more distal one; empty: unknown
    contact: str = ""  # frame of the contact point, if it explains all joints
    direction: np.ndarray | None = None  # of the impulse on the robot, base axes, (3,); unknown


def locate(robot: Robot, impulse: GeneralizedImpulse) -> Location:
    r"""Return the link that was hit, from the joints with a significant impulse.

    A force on a link loads no joint distal to it: the last joint whose generalized impulse, with
    those of all joints distal to it, noise does not explain (:math:`\chi^2`) carries the link. If
    the contact point of the impulse's state explains every joint, the contact was there. The
    direction is known in that case, and for a link carried by six joints or more. A force whose
    line passes through the axes of the outermost joints does not load them: the reported link is
    then closer to the base than the link that was hit.

    De Luca, Mattone, "Sensorless robot collision detection and hybrid force/motion control", ICRA
    2005, and Haddadin, De Luca, Albu-Schaeffer, "Robot collisions: a survey", T-RO 2017, section
    V, name the link by the last residual above a threshold; here the threshold is the noise's.
    """
    n = len(impulse.jump)
    loaded = [joint for joint in range(n) if _tail(impulse, joint) > limit(n - joint)]
    if not loaded:
        return Location()
    last = loaded[-1]
    frame = impulse.state.frame
    if (
        last + 1 not in robot.model.supports[_carrier(robot, frame)]
    ):  # a branch without the contact point
        return Location(_link(robot, last + 1))
    force = impulse.state.J[:3]
    if n > 3 and misfit(impulse, force) <= limit(n - 3):
        return Location(contact_link(robot, frame), frame, _direction(impulse, force))
    if last + 1 < _WRENCH:
        return Location(_link(robot, last + 1))
    wrench = impulse.state.J.copy()
    wrench[:, last + 1 :] = 0.0
    return Location(_link(robot, last + 1), direction=_direction(impulse, wrench))


def contact_link(robot: Robot, frame: str | None = None) -> str:
    """Return the name of the link with a frame; None: that of the robot's contact point."""
    return _link(robot, _carrier(robot, frame or robot.contact_frame))


@cache
def limit(degrees: int) -> float:
    r"""Return the :math:`\chi^2` that noise exceeds with probability ``SIGNIFICANCE``."""
    # scipy.stats.chi2.ppf, whose import takes a third of a second
    from scipy.special import gammaincinv  # slow import, too

    return 2.0 * float(gammaincinv(degrees / 2.0, 1.0 - SIGNIFICANCE))


def misfit(impulse: GeneralizedImpulse, J: np.ndarray) -> float:
    """Return chi^2 of the residual of an impulse at the point with Jacobian ``J`` (3, n) [-]."""
    return _weighed(impulse, J)[1]


def _weighed(impulse: GeneralizedImpulse, J: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    """Return the least-squares impulse or wrench (k,), its chi^2 and covariance (k, k)."""
    whiten = np.linalg.inv(np.linalg.cholesky(impulse.covariance))
    A, b = whiten @ J.T, whiten @ impulse.jump
    found = np.linalg.lstsq(A, b, rcond=1e-6)[0]
    left = b - A @ found
    return found, float(left @ left), np.linalg.pinv(A.T @ A, rcond=1e-9)


def _tail(impulse: GeneralizedImpulse, joint: int) -> float:
    """Return chi^2 of the generalized impulses of a joint and all joints distal to it."""
    tail, covariance = impulse.jump[joint:], impulse.covariance[joint:, joint:]
    return float(tail @ np.linalg.solve(covariance, tail))


def _direction(impulse: GeneralizedImpulse, J: np.ndarray) -> np.ndarray | None:
    """Return the unit vector of the impulse (3,), None if it is too uncertain; J is (3 or 6, n)."""
    found, _, covariance = _weighed(impulse, J)
    size = float(np.linalg.norm(found[:3]))
    if np.sqrt(np.trace(covariance[:3, :3])) > _CERTAIN * size:
        return None
    return found[:3] / size


def _carrier(robot: Robot, frame: str) -> int:
    """Return the joint, counted from 1, that carries a frame."""
    return int(robot.model.frames[robot.model.getFrameId(frame)].parentJoint)


def _link(robot: Robot, joint: int) -> str:
    """Return the name of the first body that a joint, counted from 1, moves."""
    frames = robot.model.frames
    names = (f.name for f in frames if f.type == pin.FrameType.BODY and f.parentJoint == joint)
    return next(names, robot.model.names[joint])
