# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An FR3 before a surface, and the node that controls it."""

import re
from pathlib import Path

import numpy as np
import pytest

from impact_robots import load_robot
from impact_sim import load_scenario

PATIENT = {"state_timeout": 10.0, "answer_timeout": 20.0}  # as a test's machine is
ROBOTS = Path(__file__).resolve().parents[3] / "impact_robots"


@pytest.fixture(scope="session")
def urdf(tmp_path_factory):
    """The Panda's links under the FR3's names: its own URDF is the maker's."""
    path = tmp_path_factory.mktemp("urdf") / "fr3.urdf"
    path.write_text((ROBOTS / "panda.urdf").read_text().replace("panda_", "fr3_"))
    return str(path)


@pytest.fixture(scope="session")
def fr3(urdf):
    return load_robot("fr3", urdf=urdf)


@pytest.fixture(scope="session")
def surface(fr3):
    """Parameters that say where the surface is, 0.1 m before the contact point."""
    scenario = load_scenario("qp_panda_demo")
    return {
        "contact_point": scenario.surface_point(fr3).tolist(),
        "contact_normal": list(scenario.normal),
    }


@pytest.fixture(scope="session")
def stance(fr3):
    """Where the arm stands, shape (7,) [rad]."""
    return np.array(load_scenario("qp_panda_demo").start(fr3))


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """The FR3's own URDF under its names in ROS, and the demo's surface before it."""
    franky = pytest.importorskip("franky_sim.urdf", reason="the FR3's URDF is in franky-sim")
    from impact_drivers.fake_fr3.fake_setup import FakeSetup, load_fr3

    path = tmp_path_factory.mktemp("fr3") / "fr3.urdf"
    text = Path(franky.URDF_PATH).read_text()
    path.write_text(re.sub(r'"(joint|link)(\d)', r'"fr3_\1\2', text))
    scenario = FakeSetup().load_scenario()
    return {
        "urdf": str(path),
        "contact_point": scenario.surface_point(load_fr3()).tolist(),
        "contact_normal": list(scenario.normal),
        "friction": [scenario.friction, scenario.friction],
    }


@pytest.fixture
def make_bench(context, fr3, surface, stance, urdf):
    """A function that makes a bench with a scripted loop; None leaves a parameter out."""
    from franka_bench import FrankaBench, ScriptedLoop

    made = []

    def make(make_loop=lambda settings: ScriptedLoop(settings, fr3, stance), **changes):
        parameters = {"address": "fr3.local", "urdf": urdf, "impact_limits": "robust"}
        parameters |= surface | PATIENT | changes
        given = {name: value for name, value in parameters.items() if value is not None}
        made.append(FrankaBench(context, given, make_loop))
        return made[-1]

    yield make
    for bench in made:
        bench.close()
