# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is not as an analysis supposes it: one family of disturbance for each set-up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from studies.foreign.contact import Bristles, JointRub

PLAIN = "plain"
FAMILIES = (
    PLAIN,  # links, motors, contact point, normal and Panda's joint friction alone, as in all
    "joints",  # Coulomb, viscous and breakaway friction in the motors, more behind the sensors
    "ripple",  # of the motors' torques and of the torque sensors, periodic in the joints' angles
    "bias",  # and gain of the torque sensors
    "bristles",  # the contact sticks by bristles that bend, instead of exactly
    "delay",  # torques, forces and commands are 2 ms late
    "slow",  # joint states are recorded at 200 Hz
    "soft",  # contacts of 2 to 60 ms
    "payload",  # that nobody declared
    "bounce",  # restitution up to 0.9
    "reversal",  # slip stops within the contact and goes the other way
    "loop",  # torque loops of another gain and bandwidth, commands less often
    "mixed",  # friction, ripple, bias and bristles at once, as on a real arm
)
LATE = 2e-3  # [s]
SLOW_PERIOD = 5e-3  # of recorded joint states [s]
CONTACTS = (2e-3, 60e-3)  # durations on soft walls [s]
BOUNCE = (0.5, 0.9)  # restitution [-]
REVERSED_FRICTION = (0.05, 0.25)  # of walls on which slip reverses [-]
PAYLOAD = (0.4, 1.5)  # [kg]
PAYLOAD_PLACE = 0.04  # of its centre from the contact point, deviation along each axis [m]
HOLDING = 600.0  # least stiffness of a controller whose arm still reaches the wall with it [1/s^2]
LOOP_MOTORS = (0.7, 1.4)  # apparent motor inertia over the nominal gain's
LOOP_BANDWIDTH = (30.0, 600.0)  # [Hz]
LOOP_GAIN = 0.02  # of the torques given, relative error
LOOP_PERIODS = (1, 2, 4)  # of commands [ms]
COULOMB, BREAKAWAY = (0.01, 0.04), (1.0, 1.5)  # of the torque limit; of Coulomb's friction
VISCOUS = (0.0, 0.01)  # of the torque limit, at 1 rad/s
BEHIND = (1.0, 1.3)  # joint friction behind the sensors, of that of a Panda
RIPPLE, WAVES = (0.002, 0.008), 200.0  # of the torque limit; per rad, two a turn of the motor
BIAS, SENSOR_GAIN = 0.006, 0.02  # of the torque limit, deviation; relative, deviation
BENT = (2e-5, 2e-4)  # bristles' deflection when they slide [m]


@dataclass(frozen=True)
class Disturbance:
    """Of one set-up, n joints; what stands here by default disturbs nothing."""

    family: str = PLAIN
    rub: JointRub | None = None  # in the motors, which torque sensors do not see
    behind: float = 1.0  # factor of the joint friction that they see
    ripple: np.ndarray = field(default_factory=lambda: np.zeros(1))  # (n,) or (1,) [N.m]
    bias: np.ndarray = field(default_factory=lambda: np.zeros(1))  # (n,) or (1,) [N.m]
    sensor_gain: np.ndarray = field(default_factory=lambda: np.ones(1))  # (n,) or (1,)
    bristles: Bristles | None = None  # of the contact
    late: float = 0.0  # torques, forces, commands [s]
    recorded_every: float = 0.0  # joint states [s]; 0: as often as the controller reads them
    contact_time: float = 0.0  # half a period of arm and wall [s]; 0: the wall's stiffness is drawn
    payload: float = 0.0  # [kg]
    stiffness: float = 0.0  # of the controller, at least [1/s^2]
    payload_place: np.ndarray = field(default_factory=lambda: np.zeros(3))  # contact frame [m]
    restitution: float | None = None  # instead of the drawn one [-]
    friction: float | None = None  # of the wall instead of the drawn one [-]
    reverses: bool = False  # slip, within the contact
    motors: float = 1.0  # apparent inertia over the nominal one
    lag: float = 0.0  # of the motors' torque [s]
    torque_gain: np.ndarray = field(default_factory=lambda: np.ones(1))  # of it, (n,) or (1,)
    command_every: float = 0.0  # [s]; 0: as often as the controller reads


UNDISTURBED = Disturbance()


def draw_disturbance(family: str, limits: np.ndarray, seed: int) -> Disturbance:
    """Return a drawn disturbance of a family.

    Args:
        family: one of ``FAMILIES``.
        limits: torques of the joints, shape (n,) [N.m].
        seed: of all that is drawn.
    """
    random, nothing = np.random.default_rng([seed, 13]), Disturbance(family)
    if family == "joints":
        return _rubbing(nothing, limits, random)
    if family == "ripple":
        return replace(nothing, ripple=random.uniform(*RIPPLE, len(limits)) * limits)
    if family == "bias":
        return _biased(nothing, limits, random)
    if family == "bristles":
        return replace(nothing, bristles=Bristles(_log_uniform(BENT, random)))
    if family == "delay":
        return replace(nothing, late=LATE)
    if family == "slow":
        return replace(nothing, recorded_every=SLOW_PERIOD)
    if family == "soft":
        return replace(nothing, contact_time=_log_uniform(CONTACTS, random))
    if family == "payload":
        place = random.normal(0.0, PAYLOAD_PLACE, 3)
        mass = float(random.uniform(*PAYLOAD))
        return replace(nothing, payload=mass, payload_place=place, stiffness=HOLDING)
    if family == "bounce":
        return replace(nothing, restitution=float(random.uniform(*BOUNCE)))
    if family == "reversal":
        friction = float(random.uniform(*REVERSED_FRICTION))
        return replace(nothing, friction=friction, reverses=True)
    if family == "loop":
        return _other_loop(nothing, len(limits), random)
    if family == "mixed":
        rubbing = _biased(_rubbing(nothing, limits, random), limits, random)
        ripple = random.uniform(*RIPPLE, len(limits)) * limits
        return replace(rubbing, ripple=ripple, bristles=Bristles(_log_uniform(BENT, random)))
    return nothing


def _rubbing(to: Disturbance, limits: np.ndarray, random: np.random.Generator) -> Disturbance:
    coulomb = random.uniform(*COULOMB, len(limits)) * limits
    breakaway = random.uniform(*BREAKAWAY, len(limits)) * coulomb
    rub = JointRub(coulomb, breakaway, random.uniform(*VISCOUS, len(limits)) * limits)
    return replace(to, rub=rub, behind=float(random.uniform(*BEHIND)))


def _biased(to: Disturbance, limits: np.ndarray, random: np.random.Generator) -> Disturbance:
    bias = random.normal(0.0, BIAS, len(limits)) * limits
    return replace(to, bias=bias, sensor_gain=random.normal(1.0, SENSOR_GAIN, len(limits)))


def _other_loop(to: Disturbance, dof: int, random: np.random.Generator) -> Disturbance:
    return replace(
        to,
        motors=_log_uniform(LOOP_MOTORS, random),
        lag=1.0 / (2.0 * np.pi * _log_uniform(LOOP_BANDWIDTH, random)),
        torque_gain=random.normal(1.0, LOOP_GAIN, dof),
        command_every=1e-3 * float(random.choice(LOOP_PERIODS)),
    )


def _log_uniform(bounds: tuple[float, float], random: np.random.Generator) -> float:
    return float(np.exp(random.uniform(*np.log(bounds))))
