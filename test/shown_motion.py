# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The push of a scenario as a kinematic motion of its arm, recorded in a table with noise."""

import numpy as np
import pinocchio as pin

from impact_qp.arms.plans import spread_plans
from impact_robots.dynamics import ArmDynamics
from impact_sim.cell.spreading_file import load_spreading

STEP, WAIT = 1e-3, 0.3  # [s]
NAME = "rs_push_catfood_case2"
Q_NOISE, DQ_NOISE = 1e-5, 4e-3  # of a Panda's sensors [rad], [rad/s]
PULL = 50.0  # [1/s]


def plan():
    """Return the scenario's references."""
    return spread_plans(load_spreading(NAME).task)[0].reference


def shown(seed=0, turn=0.0, end=None, start=-WAIT):
    """Return times from the begin of the motion on, positions and velocities, (N,), (N, 7) twice.

    Args:
        seed: of the noise.
        turn: by which the contact frame turns about the vertical [rad].
        end: of the recording; None: some time after the motion [s].
        start: of the recording [s].
    """
    scenario = load_spreading(NAME)
    robot, reference = scenario.robots[0], plan()
    dynamics, q = ArmDynamics(robot), np.array(scenario.q_start[0])
    T, last = reference.nominal_time, reference.post.end
    times = np.arange(-WAIT, last + WAIT, STEP)
    rows, still, first = [], np.zeros(7), np.eye(1, 7)
    for time in times:
        motion = (reference.ante if time < T else reference.post)(min(max(time, 0.0), last))
        velocity = motion.velocity if time > 0.0 else np.zeros(4)
        point = dynamics(q, still)
        away = motion.position - np.append(point.position, point.q[0])
        yaw = turn * min(max(time / last, 0.0), 1.0)
        spin = PULL * pin.log3(pin.utils.rotate("z", yaw) @ reference.rotation @ point.rotation.T)
        straight = velocity + PULL * away
        wanted = np.concatenate([straight[:3], spin, straight[3:]])
        dq = np.linalg.solve(np.vstack([point.J, first]), wanted)
        rows.append((q, dq))
        q = q + STEP * dq
    noise = np.random.default_rng(seed).standard_normal((2, len(times), 7))
    found_q, found_dq = np.array(rows).transpose(1, 0, 2)
    kept = (times >= start) & (times <= (np.inf if end is None else end))
    found_q = found_q + Q_NOISE * noise[0]
    return times[kept], found_q[kept], (found_dq + DQ_NOISE * noise[1])[kept]


def write_table(path, times, q, dq):
    """Write a recording as a CSV, without torques."""
    names = [f"{name}{i}_{unit}" for name, unit in UNITS for i in range(1, 8)]
    rows = np.column_stack([times - times[0], q, dq, np.zeros_like(q)])
    np.savetxt(path, rows, delimiter=",", header=",".join(["time_s", *names]), comments="")
    return path


UNITS = (("q", "rad"), ("dq", "radps"), ("tau", "nm"))
