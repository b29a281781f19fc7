# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A Panda in front of a wall, and the worked cases."""

import json

import numpy as np
import pytest

from impact_robots import ArmDynamics, contact_rotation


@pytest.fixture(scope="session")
def panda_dynamics(panda):
    return ArmDynamics(panda)


@pytest.fixture(scope="session")
def wall():
    """R_Op of a wall in front of the robot."""
    return contact_rotation([-1.0, 0.0, 0.0])


@pytest.fixture
def hitting(panda, panda_dynamics, wall):
    """Dynamics of a Panda whose contact point moves straight at the wall with 0.2 m/s."""
    q = np.array([0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02])
    J = panda_dynamics(q, np.zeros(7)).J[:3]
    return panda_dynamics(q, np.linalg.pinv(J) @ wall @ [0.0, 0.0, -0.2])


@pytest.fixture(scope="session")
def worked_cases(derived_data):
    return json.loads((derived_data / "test_vectors.json").read_text())["cases"]
