# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads recorded landings of the biped Cassie (DAIRLab/cassie_impact_dataset).

A file holds ``t`` (k,) [s], ``x`` (k, 45) and ``u`` (k, 10) [N.m]. x is the base's quaternion w, x,
y, z and position, 16 joint positions, the base's angular and linear velocity in world axes, and 16
joint velocities. The recorded velocities of some joints lag their positions by 5 ms; positions are
differentiated instead (Savitzky, Golay 1964).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from impact_analysis.landings.landing import Landing, LossWeights
from impact_bags.exceptions import RecordingError
from impact_bags.reading.npz import read_npz
from impact_robots import Robot, floating_position, floating_velocity
from impact_robots.exceptions import RobotError

_PAIRS = ("hip_roll", "hip_yaw", "hip_pitch", "knee")
MOTORS = tuple(f"{joint}_{side}" for joint in (*_PAIRS, "toe") for side in ("left", "right"))
JOINTS = (
    *MOTORS[:8],
    "knee_joint_left",
    "knee_joint_right",
    "ankle_joint_left",
    "ankle_joint_right",
    "ankle_spring_joint_left",
    "toe_left",
    "ankle_spring_joint_right",
    "toe_right",
)
PERIOD = 5e-4  # of the samples; their stamps jitter by half of it [s]
_DRIFT = 0.02  # of the mean period
WINDOW, DEGREE = 9, 2  # of the differentiation
_WIDTHS = {"x": 45, "u": len(MOTORS)}
# Of the joints' velocities, in the file's order: Acosta, Yang, Posa, RA-L 2022, as published with
# the data set; springs and the joints beside them count little, or not at all.
_VELOCITY_WEIGHTS = (0.01, 0.01, 1, 1, 1, 1, 1, 1, 0.01, 0.01, 1, 1, 0, 0.01, 0, 0.01)


def read_cassie_landing(path: Path, robot: Robot) -> Landing:
    """Return the landing in a file.

    Args:
        path: of the file, ``.npz``.
        robot: whose joints are those of the file.

    Raises:
        RecordingError: no such file, or not a landing.
        RobotError: the robot has other joints, or a fixed base.
    """
    if robot.base != "floating" or set(robot.joint_names) != set(JOINTS):
        raise RobotError(
            f"robot {robot.name}: expected a floating base and the joints {', '.join(JOINTS)}"
        )
    x, u = _arrays(path)
    order = [JOINTS.index(name) for name in robot.joint_names]
    motors = [robot.joint_names.index(name) for name in MOTORS]
    joints = x[:, 7:23][:, order]
    torques = np.zeros(joints.shape)
    torques[:, motors] = u
    q = np.array(
        [
            floating_position(row[4:7], [*row[1:4], row[0]], at)
            for row, at in zip(x, joints, strict=True)
        ]
    )
    return Landing(
        path.name,
        PERIOD,
        q,
        _velocities(q, x, x[:, 29:][:, order]),
        _velocities(q, x, _differentiated(joints)),
        torques,
        LossWeights(10.0, 1.0, 10.0, 100.0, 5.0, np.array(_VELOCITY_WEIGHTS)[order]),
    )


def _arrays(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return x and u; the times, whose stamps jitter, are checked."""
    arrays = read_npz(path, ("t", "x", "u"))
    if other := [name for name, array in arrays.items() if array.dtype.kind not in "iuf"]:
        raise RecordingError.at(path, f"expected {other[0]} to be numbers")
    t, x, u = (array.astype(float) for array in arrays.values())
    k = len(t) if t.ndim == 1 else 0
    for name, array in (("x", x), ("u", u)):
        if array.shape != (k, _WIDTHS[name]):
            expected = f"{name} of shape (number of times, {_WIDTHS[name]})"
            raise RecordingError.at(path, f"expected {expected}, got {array.shape}")
    if k < 2 * WINDOW or not all(np.isfinite(each).all() for each in (t, x, u)):
        raise RecordingError.at(path, f"expected at least {2 * WINDOW} samples, finite numbers")
    steps = np.diff(t)
    if not (steps > 0.0).all() or abs(steps.mean() / PERIOD - 1.0) > _DRIFT:
        raise RecordingError.at(path, f"expected increasing times, {PERIOD:g} s apart on average")
    return x, u


def _velocities(q: np.ndarray, x: np.ndarray, joints: np.ndarray) -> np.ndarray:
    """Return the robot's velocities, shape (k, nv): the base's as recorded, and the joints'."""
    rows = zip(q, x, joints, strict=True)
    return np.array([floating_velocity(at, row[26:29], row[23:26], dq) for at, row, dq in rows])


def _differentiated(joints: np.ndarray) -> np.ndarray:
    """Return the derivative of joint positions, shape (k, n) [rad/s]."""
    from scipy.signal import savgol_filter  # as all of its module, a third of a second

    found = savgol_filter(joints, WINDOW, DEGREE, deriv=1, delta=PERIOD, axis=0)
    return np.asarray(found)
