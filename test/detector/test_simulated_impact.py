# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo's impact, simulated with flexible joints and noise: found early, measured right."""

import numpy as np
import pytest

from impact_detector import (
    ForceSample,
    ImpactEstimator,
    JointSample,
    ReferencePairing,
    TorqueErrorDetector,
    gross_velocity,
)
from impact_detector.estimators.streaming import GOOD
from impact_detector.session import DetectorSession

MILLISECOND = 1_000_000
FAST = 40_000  # the wall's force sensor, 25 kHz [ns]
AFTER = 150 * MILLISECOND


@pytest.fixture(scope="module", params=["robust", "unaware"])
def run(request, panda):
    """What a run of the demo measured: a list of measurements, references and the plant's truth."""
    pytest.importorskip("mujoco")
    from impact_qp.control.controller import ImpactController
    from impact_qp.parameters import ControllerParameters
    from impact_sim.driver.simulation import Simulation
    from impact_sim.scenarios import load_scenario

    scenario = load_scenario("qp_panda_demo")
    simulation = Simulation(panda, scenario.wall(panda), seed=1)
    parameters = ControllerParameters(
        contact_point=tuple(scenario.surface_point(panda)),
        contact_normal=scenario.normal,
        friction=scenario.friction,
        impact_limits=request.param,
        speed=0.5,
        speed_cap=0.5,
    )
    controller = ImpactController(panda, parameters.plan())
    session = DetectorSession(TorqueErrorDetector(panda.detection_joints), lockstep=True)
    measurement, log, touch = simulation.reset(scenario.start(panda)), [], None
    while touch is None or measurement.time_ns < touch + AFTER:
        if touch is None and simulation.plant.contact_force.any():
            touch = measurement.time_ns - MILLISECOND
        outcome = session.add_state(_joints(measurement))
        command = controller.update(
            measurement.q, measurement.dq, impact=outcome.statuses[0].impact
        )
        session.add_reference(measurement.time_ns, command.reference_torque)
        truth = (simulation.plant.q.copy(), simulation.plant.dq.copy())
        log.append((measurement, command.reference_torque, truth))
        measurement = simulation.step(command.driver_torque)
    return log, touch


def _joints(measurement):
    return JointSample(measurement.time_ns, measurement.q, measurement.dq, measurement.tau)


def _forces(measurement):
    first = measurement.time_ns - FAST * (len(measurement.forces) - 1)
    return ForceSample(first, measurement.forces, FAST)


def replay(panda, log, *, force_first=True, force=True):
    """Feed the log to a session with an estimator; return outcomes merged into three lists."""
    session = DetectorSession(
        TorqueErrorDetector(panda.detection_joints),
        pairing=ReferencePairing("previous"),
        lockstep=True,
        estimator=ImpactEstimator(normal=(-1.0, 0.0, 0.0)),
    )
    statuses, detections, estimates = [], [], []
    for measurement, reference, _ in log:
        puts = [lambda m=measurement: session.add_state(_joints(m))]
        if force:
            puts.append(lambda m=measurement: session.add_force(_forces(m)))
        puts.append(lambda m=measurement, r=reference: session.add_reference(m.time_ns, r))
        if force and force_first:
            puts[0], puts[1] = puts[1], puts[0]
        for put in puts:
            outcome = put()
            statuses += outcome.statuses
            detections += outcome.detections
            estimates += outcome.estimates
    return statuses, detections, estimates


def test_it_is_found_within_five_milliseconds_and_only_once(panda, run):
    log, touch = run
    statuses, (detection,), _ = replay(panda, log)
    delay = (detection.detection_time - touch) / MILLISECOND
    assert 0 < delay <= 5 + 1  # contact lies within the millisecond after `touch`
    assert abs(detection.impact_time - touch) <= 2 * MILLISECOND
    before = [v.statistic for v in statuses if v.ready and v.time <= touch]
    assert max(before) < 0.5 * detection.threshold


def test_the_estimate_agrees_with_the_truth(panda, run):
    log, touch = run
    *_, (estimate,) = replay(panda, log)
    times = np.array([m.time_ns - estimate.impact_time for m, *_ in log]) * 1e-9
    true_q = np.array([truth[0] for *_, truth in log])
    true_dq = np.array([truth[1] for *_, truth in log])
    gross = gross_velocity(times, true_q, 0.0).velocity
    before = true_dq[np.flatnonzero(times < 0)[-1]]
    assert 0 <= estimate.impact_time - touch <= MILLISECOND
    assert np.degrees(rms(estimate.gross_velocity - gross)) < 0.1
    assert np.degrees(rms(estimate.velocity_before - before)) < 0.5
    assert rms(estimate.velocity_jump) > 0.05
    assert estimate.quality == GOOD and estimate.fit_samples >= 100


def test_the_impulse_is_the_integral_of_the_force(panda, run):
    log, touch = run
    *_, (estimate,) = replay(panda, log)
    first = [m for m, *_ in log if touch < m.time_ns <= touch + 60 * MILLISECOND]
    force = np.vstack([m.forces for m in first])
    released = np.flatnonzero(np.linalg.norm(force, axis=1) > 3.0)
    impulse = force[: released[-1] + 1].sum(axis=0) * FAST * 1e-9
    if estimate.duration < 0.05:
        np.testing.assert_allclose(estimate.impulse, impulse, atol=0.02 * np.linalg.norm(impulse))
    assert estimate.normal_impulse == pytest.approx(-estimate.impulse[0])
    assert estimate.peak_force == pytest.approx(-force[:, 0].min(), abs=0.1)  # noise's offset


def test_the_estimate_does_not_depend_on_the_order_of_delivery(panda, run):
    log, _ = run
    *_, (first,) = replay(panda, log, force_first=True)
    *_, (second,) = replay(panda, log, force_first=False)
    assert first.time == second.time and first.impact_time == second.impact_time
    np.testing.assert_array_equal(first.gross_velocity, second.gross_velocity)
    np.testing.assert_array_equal(first.impulse, second.impulse)


def test_without_a_force_sensor_forces_are_unknown_and_velocities_are_not(panda, run):
    log, touch = run
    *_, (estimate,) = replay(panda, log, force=False)
    assert -0.5 * MILLISECOND < estimate.impact_time - touch < 1.5 * MILLISECOND
    assert np.isfinite(estimate.gross_velocity).all()
    assert np.isnan([*estimate.impulse, estimate.peak_force, estimate.duration]).all()


def rms(values):
    return np.sqrt(np.mean(np.square(values)))
