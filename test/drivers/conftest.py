# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A Franka Research 3 that is not there, and what asks it to move."""

import pytest
from direct_arm import DirectArm

from impact_drivers.exceptions import DriverError
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.franka.arm.fr3_model import load_fr3
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.hit_need import hit_need
from impact_drivers.franka.hit_process import HitJob, detector
from impact_drivers.franka.loop.loop import FrankaLoop
from impact_qp.parameters import ControllerParameters
from impact_ros.parameters import from_values
from impact_sim.driver.simulation import START_NS


@pytest.fixture(scope="session")
def fr3():
    try:
        return load_fr3()
    except DriverError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def make_job(fr3):
    """Return what makes a job of the demo: by limits, address, and raised thresholds."""
    scenario = FakeSetup().load_scenario()

    def make(limits="robust", address="", raises=False, **options):
        values = scenario.controller_parameters(fr3) | {"impact_limits": limits}
        plan = from_values(ControllerParameters, values).plan()
        settings = ArmSettings(realtime=False, raise_thresholds=raises)
        need = hit_need(fr3, plan, scenario.start(fr3)) if raises else None
        return HitJob(address, plan, settings, scenario.detection_threshold, need=need, **options)

    return make


@pytest.fixture
def make_arm(fr3):
    """Return what makes a fake arm, by its faults."""
    return lambda *faults: DirectArm(
        FakeSetup(faults=faults[0]).arm() if faults else FakeSetup().arm()
    )


@pytest.fixture
def run(make_job, fr3):
    """Return what runs a script with an arm; it returns the loop."""

    def perform_script(arm, script, job=None, **options):
        job = make_job() if job is None else job
        plan, settings, report = job.plan, job.settings, script.cycles.append
        loop = FrankaLoop(
            arm,
            fr3,
            plan,
            settings,
            lambda: detector(job, fr3),
            script,
            report,
            now=lambda: START_NS,
            **options,
        )
        loop.run()
        return loop

    return perform_script
