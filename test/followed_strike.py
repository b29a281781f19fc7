# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A strike of a Panda, and an arm that follows its controller with nothing in its way."""

import numpy as np

from impact_qp.control.phases import Phase
from impact_qp.learning.wall_approach import WallApproach
from impact_robots import ArmDynamics, Surface
from impact_robots.kinematics import inverse_kinematics
from impact_robots.tools.tool import Tool, with_tool

Q = np.array([0.2147, 0.0538, -0.2143, -2.3784, 0.0175, 2.4309, 0.0])  # rad, flange downwards
TOOL = Tool((0.0, 0.0, 0.12), (0.0, 0.0, 1.0), (0.3, 0.3), (3e4, 3e4), (0.05, 0.05))
SPEED, RUN_UP, WINDOW = 0.5, 0.12, 0.03


def approach_of(robot):
    """Return the approach of a strike downwards."""
    arm = with_tool(robot, TOOL, 0.3)
    point = ArmDynamics(arm)(Q, np.zeros(7))
    along = point.rotation[:, 2]
    start = inverse_kinematics(arm, Q, -RUN_UP * along)
    surface = Surface(point.position, -along, 0.1, (0.02, 0.5), (1e5, 1e6))
    return WallApproach(arm, surface, start, point, RUN_UP)


def never(_phase, _cycles):
    """Report no impact."""
    return False


def follow(controller, q, seconds=4.0, impact=never):
    """Let an arm follow a controller exactly, nothing in its way; returns phases, q, rows.

    Rows are command, joint positions and velocities. ``impact`` says whether the detector reports
    one, of the phase and the number of its cycles up to now.
    """
    q, dq, phases, rows, count = np.array(q), np.zeros(7), [Phase.APPROACH], [], 0
    for _ in range(round(seconds / 1e-3)):
        command = controller.update(q, dq, impact=impact(phases[-1], count))
        rows.append((command, q.copy(), dq.copy()))
        count = count + 1 if phases[-1] is command.phase else 0
        if phases[-1] is not command.phase:
            phases.append(command.phase)
        if command.phase is Phase.HOLD:
            break
        q = q + 1e-3 * (dq + 0.5e-3 * command.ddq)
        dq = dq + 1e-3 * command.ddq
    return phases, q, rows
