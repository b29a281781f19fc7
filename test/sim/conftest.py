# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arm that is exported, and its scenario."""

import pytest

from impact_robots import load_robot
from impact_sim import load_scenario


@pytest.fixture(scope="module")
def panda():
    return load_robot("panda")


@pytest.fixture(scope="module")
def scenario():
    return load_scenario("qp_panda_demo")
