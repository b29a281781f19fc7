# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm's joint states around a hit, minus its motion without the hit."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import NotApproachingError, PredictionError
from impact_predictor.joint_load.drive import drive_of
from impact_predictor.joint_load.elastic_arm import ElasticArm, elastic_arm
from impact_predictor.joint_load.load import DURATION, LoadContact, RigidLaw, joint_load
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.joint_load.motion_records import TICK
from impact_predictor.learning.torque_gain import shown_gravity
from impact_predictor.recorded_hit import RecordedHit
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_robots.surface import Surface

BEFORE, AFTER = 0.0025, 0.015  # smallest fitted window around contact [s]
LONGEST = DURATION  # after contact: end of the simulated load [s]
PAST = 3e-3  # fitted time after the highest load [s]
FREE, FEWEST = 50, 12  # samples of the free motion, at most and at least
GAP = 0.0025  # before contact, later samples may be of the hit: the contact time is uncertain [s]
MODEL_SHARE = 0.02  # model error at contact over a signal's peak
TURNED = 1.0  # increase of it per radian of joint motion, which changes M and J [1/rad]
LEAST_NOISE = 1e-3, 1e-7, 1e-5  # of torques [N.m], positions [rad], velocities [rad/s]
DEGREES = {"torque": 1, "position": 3, "velocity": 2}  # of the polynomials without a hit
SLOWEST = 2.1e-3  # between samples [s]


class HitWindow(NamedTuple):
    """Changes of signals by a hit, m samples, and the arm."""

    time: np.ndarray  # since contact as it was detected, shape (m,) [s]
    change: np.ndarray  # of torque, position, velocity, shape (m, 3, n)
    whitening: np.ndarray  # of each signal's noise, free motion and model, shape (3, n, m, m)
    command: np.ndarray  # change of the command, one row each 250 us, shape (ticks, n) [N.m]
    arm: ElasticArm  # nominal, at contact
    point: PointState  # that hit, before the impact
    speed: float  # of approach along the announced normal [m/s]
    used: float  # largest fraction of a torque limit that was measured, change or range [-]
    depth: float  # largest displacement of the point into the wall since time zero [m]
    gain: float  # of the torque sensors, by which torques were divided, at most 1 [-]


def hit_window(robot: Robot, surface: Surface, hit: RecordedHit) -> HitWindow:
    """Return the changes by a hit relative to the free motion of the samples before it.

    A polynomial through these is extrapolated as the motion without a hit: it contains the arm's
    acceleration and slow changes by the controller.

    Args:
        robot: whose contact frame hits; torque-controlled.
        surface: whose normal defines the approach.
        hit: 12 samples or more up to 2.5 ms before contact, and all until 15 ms after it.

    Raises:
        PredictionError: samples are missing, not finite or of other shapes, or the robot's YAML
            does not define the fields for loads.
        NotApproachingError: the arm moves away from the surface.
    """
    _check(robot, hit)
    quiet = np.flatnonzero(hit.time < -GAP)[-FREE:]
    gain = shown_gravity(robot, hit, quiet)
    hit = replace(hit, torque=hit.torque / gain)
    driven, command = _driven(robot, hit, quiet)
    changes = [
        _change(hit.time, getattr(hit, name) - each, quiet, degree)
        for (name, degree), each in zip(DEGREES.items(), driven, strict=True)
    ]
    at_touch = [_at_zero(hit.time, each) for each in driven]
    q, dq = (changes[k].at_touch + at_touch[k] for k in (1, 2))
    point = ArmDynamics(robot)(q, dq)
    if (speed := surface.approach_speed(point.velocity)) <= 0.0:
        raise NotApproachingError(-speed)
    used = _used(robot, point.g, changes[0].change + driven[0] - at_touch[0])
    inside = (hit.time >= -BEFORE) & (hit.time <= _end(hit.time, used))
    measured = np.stack([each.change[inside] for each in changes], axis=1)
    return HitWindow(
        hit.time[inside],
        measured,
        _whitening(changes, inside, measured, hit.position[inside] - q),
        command,
        elastic_arm(robot, point.robot_state, drive_of(robot, "torque")),
        point,
        speed,
        float(used[inside].max()),
        _depth(robot, surface, hit, q),
        gain,
    )


def _depth(robot: Robot, surface: Surface, hit: RecordedHit, touch: np.ndarray) -> float:
    """Return the largest displacement of the point against the normal from q (n,) [m]."""
    arm, inside = ArmDynamics(robot), (hit.time >= 0.0) & (hit.time <= LONGEST)
    heights = [surface.normal @ arm.position(q) for q in hit.position[inside]]
    return max(0.0, float(surface.normal @ arm.position(touch) - min(heights)))


class _Change(NamedTuple):
    """One signal less the polynomial through its quiet samples, N samples of n joints."""

    change: np.ndarray  # shape (N, n)
    at_touch: np.ndarray  # the polynomial at time zero, shape (n,)
    noise: np.ndarray  # standard deviation of a sample, shape (n,)
    share: np.ndarray  # of k quiet samples in the polynomial, shape (N, k) [-]


def _change(time: np.ndarray, signal: np.ndarray, quiet: np.ndarray, degree: int) -> _Change:
    """Return a signal minus the free motion fitted to its quiet samples."""
    powers = np.vander(time, degree + 1)
    share = powers @ np.linalg.pinv(powers[quiet])
    change = signal - share @ signal[quiet]
    noise = np.sqrt((change[quiet] ** 2).sum(axis=0) / (len(quiet) - degree - 1))
    at_touch = np.polyfit(time[quiet], signal[quiet], degree)[-1]
    return _Change(change, at_touch, noise, share)


def _end(time: np.ndarray, used: np.ndarray) -> float:
    """Return the end of the fitted window: soon after the highest load [s].

    A model that is valid until then predicts the largest load at other speeds.

    Args:
        time: since contact, shape (N,) [s].
        used: fraction of a limit that is used then, shape (N,) [-].
    """
    looked = (time >= 0.0) & (time <= LONGEST)
    highest = time[looked][int(used[looked].argmax())]
    return float(np.clip(highest + PAST, AFTER, LONGEST))


def _whitening(
    changes: list[_Change], inside: np.ndarray, measured: np.ndarray, turned: np.ndarray
) -> np.ndarray:
    """Return matrices that make noise, free motion and model's error white, (3, n, m, m).

    The free motion is extrapolated by a polynomial of noisy samples: its error is correlated over
    all samples of a signal. The model's error is independent by sample; it grows with joint motion.
    """
    angle = np.abs(turned).max(axis=1)
    model = np.hypot(MODEL_SHARE, TURNED * angle)[:, None, None] * np.abs(measured).max(axis=0)
    found = []
    for k, (each, least) in enumerate(zip(changes, LEAST_NOISE, strict=True)):
        share = each.share[inside]
        free = np.eye(len(share)) + share @ share.T
        noise = np.maximum(each.noise, least)
        diagonal = np.eye(len(share)) * (model[:, k].T ** 2)[:, None, :]
        found.append(noise[:, None, None] ** 2 * free + diagonal)
    return np.linalg.inv(np.linalg.cholesky(np.stack(found)))


def _check(robot: Robot, hit: RecordedHit) -> None:
    """Refuse a hit that is not sampled as needed."""
    shape = (len(hit.time), robot.dof)
    for name in ("torque", "position", "velocity", "command"):
        value = getattr(hit, name)
        if value is not None and not (np.shape(value) == shape and np.isfinite(value).all()):
            raise PredictionError(
                f"hit: expected finite {name} of shape {shape}, got shape {np.shape(value)}"
            )
    time = hit.time
    if int((time < -GAP).sum()) < FEWEST:
        raise PredictionError(
            f"hit: expected {FEWEST} samples before {-GAP} s, got {int((time < -GAP).sum())}"
        )
    steps = np.diff(time[time >= -BEFORE - SLOWEST])
    if time[-1] < AFTER or (steps > SLOWEST).any() or (np.diff(time) <= 0.0).any():
        raise PredictionError(
            f"hit: expected rising times at most {SLOWEST} s apart until {AFTER} s after contact"
        )


def _driven(robot: Robot, hit: RecordedHit, quiet: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the effect of the command on a free arm, and the command's change after contact.

    Both relative to the extrapolated command, a polynomial through its quiet samples. Up to contact
    the command moves the nominal arm, and is constant from then on. The model of the hit includes
    its later change.

    Returns:
        torque, position, velocity, shape (3, N, n); the command, one row each 250 us, (ticks, n).
    """
    n = robot.dof
    if hit.command is None:
        return np.zeros((3, len(hit.time), n)), np.zeros((1, n))
    sent = _change(hit.time, hit.command, quiet, DEGREES["torque"]).change
    first, touch = quiet[0], int(np.searchsorted(hit.time, 0.0, side="right")) - 1
    before = _held(hit.time, sent, hit.time[first], LONGEST, (first, touch))
    after = _held(hit.time, sent, 0.0, LONGEST + 8 * TICK, (touch, len(sent) - 1)) - sent[touch]
    state = ArmDynamics(robot)(hit.position[touch], hit.velocity[touch])
    arm = elastic_arm(robot, state.robot_state, drive_of(robot, "torque"))
    away = LoadContact(
        np.ascontiguousarray(state.J[:3]), np.array([0.0, 0.0, 1.0]), RigidLaw(0.0), 0.0
    )
    duration = LONGEST - hit.time[first]
    history = joint_load(arm, [away], duration=duration, command=before, with_history=True).history
    assert history is not None  # by with_history
    since = hit.time - hit.time[first]
    found = [
        np.transpose([np.interp(since, history.time, each, left=0.0) for each in signal.T])
        for signal in (history.load, history.position, history.velocity)
    ]
    return np.array(found), after


def _held(
    time: np.ndarray, signal: np.ndarray, start: float, end: float, ends: tuple[int, int]
) -> np.ndarray:
    """Return a signal from start to end [s], a row each 250 us, each sample held, (ticks, n)."""
    ticks = start + TICK * np.arange(round((end - start) / TICK))
    return np.asarray(signal[np.clip(np.searchsorted(time, ticks, side="right") - 1, *ends)])


def _at_zero(time: np.ndarray, signal: np.ndarray) -> np.ndarray:
    """Return a signal, shape (N, n), at time zero, shape (n,)."""
    return np.array([np.interp(0.0, time, each) for each in signal.T])


def _used(robot: Robot, gravity: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """Return the largest fraction of a torque limit that changes (m, n) used, shape (m,) [-]."""
    limits = load_limits(robot, gravity)
    with np.errstate(invalid="ignore"):
        shares = np.abs(torque) / limits.change, torque / limits.up, -torque / limits.down
    return np.asarray(np.nan_to_num(np.stack(shares)).max(axis=(0, 2)))
