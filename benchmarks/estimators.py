# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Accuracy of the estimators against the plant's truth, and their computation time.

Run it with ``./impact bench estimators``. Walls of iim_wall_cfg1 to 3 at 0.08 to 0.18 m/s, sensor
noise of a real Panda, the arm coasts 100 ms after the detection. Three truths for the velocity
after the impact: ``published``, the cubic fit on noise-free positions from contact on, of a rerun
that is passive from contact; ``release``, the same fit from the release on; and ``rigid``, the
velocity (M + B_theta)^-1 (M dq + B_theta dtheta) of links and motors together, its trend over 80 ms
after the release, at the release.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np

from impact_detector import (
    Detection,
    Estimate,
    ForceSample,
    ImpactEstimator,
    JointSample,
    contact_law_of,
    gross_velocity,
)
from impact_detector.estimators.gross_methods import GROSS_METHODS, RELEASE
from impact_detector.estimators.impulse import resampled_share
from impact_detector.estimators.measured_restitution import restitution_by_force
from impact_predictor.contact_force.laws import HuntCrossley
from impact_robots import ArmDynamics, Robot, load_robot
from impact_sim.arm.passive_impact import passive_impact
from impact_sim.arm.variation import draw
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.driver.simulation import START_NS, Measurement, Simulation
from impact_sim.scenarios import load_scenario
from impact_trials.in_process.impact_trial import qp_controller
from impact_trials.lockstep import lockstep
from impact_trials.trial import Trial, detector_session

SCENARIOS = ("iim_wall_cfg1", "iim_wall_cfg2", "iim_wall_cfg3")
TRIALS = 10  # of each scenario, two at each speed
AFTER = 0.13  # that is recorded after contact [s]
AVERAGED = 0.08  # after the release [s]
RATES = {"25k": 1, "1k": 25, "500": 50, "200": 125}  # every so many samples of the 25 kHz
SPEED_UNIT = "deg/s rms"


class Truth(NamedTuple):
    """What the plant did; times since the start of the recording's clock."""

    touch: float  # [s]
    duration: float  # of the contact [s]
    before: np.ndarray  # shape (7,) [rad/s]
    after: dict[str, np.ndarray]  # by truth, shape (7,) [rad/s]
    impulse: np.ndarray  # on the robot, base axes, shape (3,) [N.s]
    restitution: float  # of the rigid velocity [-]
    force: np.ndarray  # of the contact, a row each 10 us, shape (K, 3) [N]


@dataclass(frozen=True)
class Recorded:
    """A trial as sensors and detector saw it, and its truth."""

    robot: Robot
    normal: np.ndarray
    law: HuntCrossley
    measurements: list[Measurement]
    detection: Detection
    truth: Truth

    def replay(self, every: int | None = 1, **options: object) -> Estimate:
        """Return the estimate from each ``every``-th force sample, None for no force sensor."""
        estimator = ImpactEstimator(**options)  # type: ignore[arg-type]
        found: Estimate | None = None
        for measurement in self.measurements:
            stamp = START_NS + measurement.time_ns
            found = (
                estimator.update(JointSample(stamp, measurement.q, measurement.dq, measurement.tau))
                or found
            )
            if stamp == self.detection.detection_time:
                estimator.start(self.detection)
            if every is not None:
                for sample in _decimated(measurement, every):
                    found = estimator.update_force(sample) or found
            if found is not None:
                return found
        raise RuntimeError("the estimate is not complete")


def measure() -> dict[str, float]:
    """Return all figures: rms over trials and joints of errors, and times."""
    trials = [record(name, number) for name in SCENARIOS for number in range(TRIALS)]
    figures: dict[str, float] = {}
    for part in (_velocities, _touch_times, _impulses, _sampling, _restitutions, _times):
        figures |= part(trials)
    return figures


def record(name: str, number: int) -> Recorded:
    """Run one trial."""
    scenario = load_scenario(name).of_trial(number)
    seed = 1000 * SCENARIOS.index(name) + number
    robot, drawn = load_robot(scenario.robot), draw(scenario, seed)
    wall = scenario.wall(robot, drawn.friction)
    plant = WatchedPlant(robot, wall)
    cycles = lockstep(
        Simulation(robot, seed=seed, plant=plant),
        qp_controller(scenario, robot),
        detector_session(Trial(scenario, number, seed).scenario, robot),
        scenario.start(robot, drawn.shift),
    )
    measurements, states, detections = [], [], []
    for cycle in cycles:
        measurements.append(cycle.measurement)
        states.append((plant.time, plant.q, plant.dq, plant.dtheta.copy()))
        detections += [each for each in cycle.detections if each.detector == "fused"]
        if plant.contact_start is not None and plant.time > plant.contact_start.time + AFTER:
            break
    truth = _truth(robot, plant, states)
    return Recorded(robot, wall.surface.normal, wall.law, measurements, detections[0], truth)


def _truth(robot: Robot, plant: WatchedPlant, states: list[tuple]) -> Truth:
    touch, duration, wall = plant.contact_start, plant.contact_duration, plant.wall
    if touch is None or wall is None:
        raise RuntimeError("the arm touched nothing")
    passive = passive_impact(
        robot,
        touch.q,
        touch.dq,
        wall.surface.normal,
        wall.law,
        friction=wall.friction,
        after_contact=0.15,
    )
    t = passive.t - passive.contact_start.time
    normal = wall.surface.normal
    rigid = _rigid(robot, states, touch.time + duration)
    J = ArmDynamics(robot)(touch.q, touch.dq).J[:3]
    return Truth(
        START_NS * 1e-9 + touch.time,
        duration,
        touch.dq,
        {
            "published": gross_velocity(t, passive.q, 0.0).velocity,
            "release": gross_velocity(t, passive.q, duration).velocity,
            "rigid": rigid,
        },
        plant.impulse,
        -float(normal @ J @ rigid) / float(normal @ J @ touch.dq),
        plant.force,
    )


def _rigid(robot: Robot, states: list[tuple], release: float) -> np.ndarray:
    """Return the trend of the velocity of links and motors together, at the release, (7,)."""
    dynamics, B = ArmDynamics(robot), np.diag(robot.apparent_motor_inertia)
    chosen = [state for state in states if release <= state[0] <= release + AVERAGED]
    together = []
    for _, q, dq, dtheta in chosen:
        M = dynamics(q, dq).M
        together.append(np.linalg.solve(M + B, M @ dq + B @ dtheta))
    t = np.array([state[0] for state in chosen]) - release
    return np.polyfit(t, np.array(together), 1)[1]


def _decimated(measurement: Measurement, every: int) -> list[ForceSample]:
    """Return each ``every``-th of the 25 kHz samples, counted from the start."""
    stamp, count = START_NS + measurement.time_ns, len(measurement.forces)
    first = round(measurement.time_ns / 40_000) - count + 1
    index = first + np.arange(count)
    chosen = np.flatnonzero(index % every == 0)
    period = 40_000 * every
    if not chosen.size:
        return []
    start = stamp - 40_000 * int(count - 1 - chosen[0])
    return [ForceSample(start, measurement.forces[chosen], period)]


def _rms(values: list) -> float:
    return float(np.sqrt(np.mean(np.square(np.concatenate([np.ravel(v) for v in values])))))


def _velocities(trials: list[Recorded]) -> dict[str, float]:
    """Errors of the velocities, with and without a force sensor."""
    errors: dict[str, list] = defaultdict(list)
    worst = 0.0
    for trial in trials:
        truth = trial.truth
        for method in GROSS_METHODS:
            found = trial.replay(method=method)
            blind = trial.replay(None, method=method)
            for name, velocity in truth.after.items():
                errors[f"{method} - {name}"].append(found.gross_velocity - velocity)
            errors[f"{method}, no force sensor - rigid"].append(
                blind.gross_velocity - truth.after["rigid"]
            )
            if method == RELEASE:
                each = _rms([found.gross_velocity - truth.after["rigid"]])
                worst = max(worst, each)
        errors["before"].append(found.velocity_before - truth.before)
        errors["before, no force sensor"].append(blind.velocity_before - truth.before)
        errors["before, mean of 4 ms"].append(_mean_before(trial) - truth.before)
    figures = {
        f"{name} [{SPEED_UNIT}]": np.degrees(_rms(values)) for name, values in errors.items()
    }
    figures[f"{RELEASE}, worst trial - rigid [{SPEED_UNIT}]"] = np.degrees(worst)
    return figures


def _mean_before(trial: Recorded) -> np.ndarray:
    t = np.array([START_NS + each.time_ns for each in trial.measurements]) * 1e-9
    dq = np.array([each.dq for each in trial.measurements])
    return dq[(t < trial.truth.touch) & (t >= trial.truth.touch - 0.004)].mean(axis=0)


def _touch_times(trials: list[Recorded]) -> dict[str, float]:
    """Errors of contact [ms]."""
    errors: dict[str, list] = defaultdict(list)
    for trial in trials:
        truth = trial.truth.touch
        for name, every in (("25 kHz force", 1), ("1 kHz force", 25), ("motion", None)):
            errors[name].append(1e3 * (trial.replay(every).impact_time * 1e-9 - truth))
        errors["detector"].append(1e3 * (trial.detection.impact_time * 1e-9 - truth))
    return {f"touch by {name} [ms rms]": _rms(values) for name, values in errors.items()}


def _impulses(trials: list[Recorded]) -> dict[str, float]:
    """Errors of the impulse, and what the estimates say of them, in % of its norm."""
    errors: dict[str, list] = defaultdict(list)
    reported: dict[str, list] = defaultdict(list)
    flagged: dict[str, list] = defaultdict(list)
    for trial in trials:
        exact = trial.truth.impulse
        size = float(np.linalg.norm(exact))
        for name, every in (*RATES.items(), ("torque", None)):
            robot = trial.robot if every is None else None
            found = trial.replay(every, robot=robot, normal=trial.normal)
            errors[name].append(100 * (found.impulse - exact) @ exact / size**2)
            reported[name].append(100 * found.impulse_std / size)
            flagged[name].append(bool(found.quality & 128))
    figures = {f"impulse by {name} [% rms]": _rms(values) for name, values in errors.items()}
    figures |= {
        f"impulse by {name}, reported [%]": float(np.mean(v)) for name, v in reported.items()
    }
    return figures | {
        f"impulse by {name}, undersampled [%]": 100 * float(np.mean(values))
        for name, values in flagged.items()
        if name != "torque"
    }


def _sampling(trials: list[Recorded]) -> dict[str, float]:
    """Standard deviation of a single impulse by resampling the plant's force, in %."""
    figures = {}
    for name, every in RATES.items():
        shares = []
        for trial in trials:
            force = np.linalg.norm(trial.truth.force, axis=1)
            shares.append(resampled_share(1e-5 * np.arange(len(force)), force, 4e-5 * every))
        figures[f"resampled at {name}, least [%]"] = 100 * min(shares)
        figures[f"resampled at {name}, median [%]"] = 100 * float(np.median(shares))
        figures[f"resampled at {name}, largest [%]"] = 100 * max(shares)
    return figures


def _restitutions(trials: list[Recorded]) -> dict[str, float]:
    """Errors of the restitution."""
    errors: dict[str, list] = defaultdict(list)
    for trial in trials:
        options = {"robot": trial.robot, "base_normal": trial.normal}
        exact, found = trial.truth.restitution, trial.replay(**options)
        errors["kinematic"].append(found.restitution - exact)
        blind = trial.replay(None, **options)
        errors["kinematic, no force sensor"].append(blind.restitution - exact)
        W, v = _normal_motion(trial, found)
        by_force = restitution_by_force(found.contact, trial.normal, W, v)
        errors["force, kinematic"].append(by_force.kinematic - exact)
        errors["force, impulse ratio"].append(by_force.impulsive - exact)
        errors["force, energetic"].append(by_force.energetic - exact)
        J = _jacobian(trial)
        rebound = trial.normal @ J @ found.gross_velocity
        errors["published cubic"].append(-rebound / v - exact)
    return {f"restitution, {name} [- rms]": _rms(values) for name, values in errors.items()}


def _jacobian(trial: Recorded) -> np.ndarray:
    q = trial.measurements[-round(1e3 * AFTER)].q
    return ArmDynamics(trial.robot)(q, np.zeros(7)).J[:3]


def _normal_motion(trial: Recorded, found: Estimate) -> tuple[np.ndarray, float]:
    """Return W with M + B_theta (3, 3) and the normal velocity before."""
    q, J = trial.measurements[-round(1e3 * AFTER)].q, _jacobian(trial)
    M = ArmDynamics(trial.robot)(q, np.zeros(7)).M + np.diag(trial.robot.apparent_motor_inertia)
    return J @ np.linalg.solve(M, J.T), float(trial.normal @ J @ found.velocity_before)


def _times(trials: list[Recorded]) -> dict[str, float]:
    """How long the update takes that completes an estimate, and a contact law [ms]."""
    figures = {}
    for method in GROSS_METHODS:
        for every, name in ((1, "force"), (None, "torque")):
            taken = [_longest_update(trial, every, method) for trial in trials[:5]]
            figures[f"{method}, {name} [ms]"] = 1e3 * float(np.median(taken))
    trial = trials[0]
    found = trial.replay(robot=trial.robot, base_normal=trial.normal)
    _, v = _normal_motion(trial, found)
    mass = found.contact.impulse @ trial.normal / (-v * (1 + found.restitution))
    start = perf_counter()
    law = contact_law_of(found.contact, trial.normal, mass, -v)
    figures["contact law [ms]"] = 1e3 * (perf_counter() - start)
    stiffness, damping = law.parameters["stiffness"].value, law.parameters["damping"].value
    figures["contact law, k found / true"] = stiffness / trial.law.stiffness
    figures["contact law, c found / true"] = damping / trial.law.damping
    return figures


def _longest_update(trial: Recorded, every: int | None, method: str) -> float:
    """Return the time of the longest update of a replay [s]."""
    estimator = ImpactEstimator(method=method, robot=trial.robot, base_normal=trial.normal)
    longest = 0.0
    for measurement in trial.measurements:
        stamp = START_NS + measurement.time_ns
        samples = [] if every is None else _decimated(measurement, every)
        start = perf_counter()
        estimator.update(JointSample(stamp, measurement.q, measurement.dq, measurement.tau))
        for sample in samples:
            estimator.update_force(sample)
        longest = max(longest, perf_counter() - start)
        if stamp == trial.detection.detection_time:
            estimator.start(trial.detection)
    return longest
