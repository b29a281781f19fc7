# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo's Panda, its contact, and random states in front of it."""

import numpy as np
import pytest

from impact_qp import Contact
from impact_robots import ArmDynamics


@pytest.fixture(scope="session")
def contact(panda, scenario):
    return Contact(
        scenario.surface_point(panda),
        np.array(scenario.normal),
        scenario.friction,
        scenario.restitution,
        scenario.peak_factor,
        scenario.impact_duration,
    )


@pytest.fixture(scope="session")
def at_impact(panda, scenario):
    """The dynamics at the configuration of contact, at rest."""
    return ArmDynamics(panda)(np.array(scenario.q_impact), np.zeros(7))


@pytest.fixture(scope="module")
def foreign(benchmarks):
    """Arms, walls and controllers that this project did not make."""
    import governor_contacts

    return governor_contacts


@pytest.fixture
def random_states(panda):
    """A function that draws states within the limits."""

    def draw(count, seed=0, speed=0.3):
        random, dynamics = np.random.default_rng(seed), ArmDynamics(panda)
        limits = panda.limits
        for _ in range(count):
            q = random.uniform(limits.position_lower, limits.position_upper)
            yield dynamics(q, speed * random.uniform(-1, 1, 7) * limits.velocity)

    return draw


@pytest.fixture
def make_bench(context, panda, scenario):
    """A function that makes a node's bench for the demo's contact, patient unless told not."""
    from controller_bench import PATIENT, Bench

    made = []

    def make(**changes):
        parameters = scenario.controller_parameters(panda) | PATIENT
        parameters |= {"impact_limits": "robust"} | changes
        parameters = {name: value for name, value in parameters.items() if value is not None}
        made.append(Bench(context, panda, scenario.start(panda), parameters))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


@pytest.fixture
def often_diagnosed(monkeypatch):
    """Let nodes publish their diagnostics ten times a second, not once."""
    monkeypatch.setattr("impact_qp.ros.diagnostics.PERIOD", 0.1)
