# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A Panda, streams of samples, and the recording of a real arm in free motion."""

import numpy as np
import pytest

from impact_detector import JointSample

MILLISECOND = 1_000_000


@pytest.fixture(scope="session")
def free_motion_file(shared_data):
    file = shared_data / "real" / "panda_free_motion.csv"
    if not file.is_file():
        pytest.skip(f"the recording {file.name} is not there")
    return file


@pytest.fixture(scope="session")
def free_motion(free_motion_file):
    """Rows of time, q (7), dq (7), tau (7)."""
    return np.loadtxt(free_motion_file, delimiter=",", skiprows=1)


@pytest.fixture
def sample():
    """A function that makes a sample of two joints at a millisecond."""

    def make(millisecond, error=(0.0, 0.0), **fields):
        zero = np.zeros(2)
        given = {"q": zero, "dq": zero, "tau": np.array(error, float), "tau_ref": zero}
        return JointSample(time=round(millisecond * MILLISECOND), **{**given, **fields})

    return make
