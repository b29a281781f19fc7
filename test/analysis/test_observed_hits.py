# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The hit of a recording in which no impact is detected: a push as soft as foam."""

import numpy as np
import pinocchio as pin
import pytest

from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.franka.observed_hits import observed_hits
from impact_robots import ArmDynamics

NORMAL = np.array([-1.0, 0.0, 0.0])
SPEED, PEAK, PUSHED = 0.02, 20.0, 1.5  # of approach [m/s], of the force [N], its time [s]
END = 3.0  # of the recording [s]


@pytest.fixture
def pushed(tmp_path, panda):
    """A function that writes an arm pushed slowly, and how it is called, from a time on [s]."""
    dynamics, q = ArmDynamics(panda), panda.stance
    dq = np.linalg.pinv(dynamics(q, np.zeros(panda.dof)).J[:3]) @ (-SPEED * NORMAL)
    jacobian = dynamics(q, dq).J[:3]
    weight = pin.computeGeneralizedGravity(panda.model, panda.model.createData(), q)
    names = [f"{kind % j}" for kind in ("q%d_rad", "dq%d_radps", "tau%d_nm") for j in range(1, 8)]

    def write(begin):
        rows = []
        for t in np.arange(0.0, END, 1e-3):
            push = PEAK * np.exp(-(((t - PUSHED) / 0.2) ** 2))
            tau = weight - jacobian.T @ (push * NORMAL)
            rows.append(np.concatenate([[begin + t], q, dq, tau]))
        path = tmp_path / f"from_{begin:g}.csv"
        np.savetxt(path, rows, "%.9f", ",", header=",".join(["time_s", *names]), comments="")
        return path

    return write


@pytest.mark.parametrize("begin", [0.0, -2.0, -10.0])
def test_a_soft_push_is_found_wherever_time_begins(pushed, begin):
    (hit,) = observed_hits(pushed(begin), AnalysisSettings(normal=tuple(NORMAL)))
    assert begin < hit.time < begin + PUSHED
    assert hit.observed.speed == pytest.approx(SPEED, rel=1e-3)
    assert hit.observed.force[0] == pytest.approx(PEAK, rel=0.1)
