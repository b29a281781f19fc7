# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Momentum closure of a recorded impact by motor inertias, without a contact wrench."""

from __future__ import annotations

import numpy as np

from impact_bags.reading.run_record import RunRecord
from impact_robots import ArmDynamics, Robot

WINDOW = (-0.02, 0.1)  # about contact, in which momentum is closed [s]
ENDS = 0.01  # half the length of the lines through velocities at the window's ends [s]
SLOWEST = 2.1e-3  # period of joint states and commands [s]
_FEWEST = 10  # joint states about contact, to know their period


def recorded_closure(robot: Robot, arm: RunRecord, touch: int) -> dict[str, float] | str:
    r"""Return the contact point's change of velocity that the torques do not explain.

    Van Steen et al. 2025 (section II) explain it by
    :math:`\dot J\dot q + J (M + B)^{-1}(\tau_d - h + J^T f)`. A force sensor does not measure
    the point of a plate where a force acts; links and joint torque sensors give
    :math:`J^T f = M\ddot q + h - \tau`. The residual is

    .. math:: \int J (M + B)^{-1} (B\ddot q - \tau_d + \tau)\,dt

    which vanishes for the motors' true inertia, for any contact law. The sensors measure the
    torques of the joints' springs; if stiffness K and damping D of the joints are known, the
    dampers' :math:`\dot\tau D/K` is added, as the robot's own torque loop does.

    Args:
        robot: the arm.
        arm: its record.
        touch: stamp [ns].

    Returns:
        Norm of the residual by inertia [m/s], or the missing data as text.
    """
    inertias = robot.motor_inertias
    if len(inertias) < 2:
        return "the robot's motor inertias are unknown"
    start, end = WINDOW[0] - ENDS, WINDOW[1] + ENDS
    states = arm.states.within(touch, start, end)
    times = states.time
    if len(times) < _FEWEST:
        return "joint states are missing there"
    if not len(arm.commands.time):
        return "commanded torques were not recorded"
    if not len(arm.torques.time):
        return "joint torques were not recorded"
    slow = max(states.period, arm.commands.period, arm.torques.period)
    if not slow <= SLOWEST:
        return f"joint states, torques or commands come every {1e3 * slow:.1f} ms, expected 2 ms"
    if times[0] > touch + start * 1e9 + 2e9 * slow or times[-1] < touch + end * 1e9 - 2e9 * slow:
        return f"not recorded from {-1e3 * start:.0f} ms before contact to {1e3 * end:.0f} ms after"
    sensed, commands = arm.torques.at(times), arm.commands.at(times)
    if np.diff(times).max() > 2.5e9 * slow or not np.isfinite(sensed + commands[:, :-1]).all():
        return "joint states, torques or commands have a gap there"
    return _misses(robot, inertias, states.since(touch), states.values, sensed, commands)


def _misses(
    robot: Robot,
    inertias: dict[str, np.ndarray],
    t: np.ndarray,
    states: np.ndarray,
    sensed: np.ndarray,
    commands: np.ndarray,
) -> dict[str, float]:
    """Return the residuals of samples that cover the window."""
    dynamics, n = ArmDynamics(robot), robot.dof
    lag = np.nan_to_num(robot.damping_time)  # D/K [s]
    q, dq = states[:, :n], states[:, n:].copy()
    first, last = np.searchsorted(t, WINDOW)
    for end in (first, last):
        near = np.abs(t - t[end]) <= ENDS
        dq[end] = np.polynomial.polynomial.polyfit(t[near] - t[end], states[near, n:], 1)[0]
    miss = {name: np.zeros(3) for name in inertias}
    for k in range(first, last):
        point = dynamics((q[k] + q[k + 1]) / 2, dq[k])
        state = point.robot_state
        gravity = (1.0 - commands[k, -1]) * state.g
        between = (sensed[k] + sensed[k + 1]) / 2
        given = (commands[k, :-1] + gravity - between) * (t[k + 1] - t[k])
        given -= lag * (sensed[k + 1] - sensed[k])
        for name, B in inertias.items():
            rest = B * (dq[k + 1] - dq[k]) - given
            miss[name] += point.J[:3] @ np.linalg.solve(state.inertia(B), rest)
    return {name: float(np.linalg.norm(each)) for name, each in miss.items()}
