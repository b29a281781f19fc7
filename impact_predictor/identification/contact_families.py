# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The contact models that can be fitted to a recorded force, each with its force over time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.free_contact import free_contact, rebound
from impact_predictor.contact_force.laws import ExtendedHuntCrossley, HuntCrossley, Viscoelastic
from impact_predictor.contact_force.lumped_laws import Maxwell, VirtualSpring
from impact_predictor.exceptions import UnknownNameError

Law = HuntCrossley | VirtualSpring | Maxwell
_CURVE = 2000  # samples of a force from which events are read


class Impact(NamedTuple):
    """What is known about the free body."""

    mass: float  # [kg]
    approach_speed: float  # [m/s]


@dataclass(frozen=True)
class Family:
    """A law with free figures."""

    law: type[Law]
    units: Mapping[str, str]  # of the figures, in the order of the law's arguments
    bounds: Mapping[str, tuple[float, float]]
    takes_exponent: bool = False

    def make(self, values: np.ndarray, exponent: float) -> Law:
        """Return the law with ``values`` (p,) of its figures."""
        figures = [float(value) for value in values]
        return self.law(*figures, *([exponent] if self.takes_exponent else []))


_POWER_UNITS = {"stiffness": "N/m^eta", "damping": "N.s/m^(eta+1)"}
_POWER_BOUNDS = {"stiffness": (1e4, 1e12), "damping": (1e4, 1e14)}
FAMILIES: Mapping[str, Family] = {
    "spring": Family(
        VirtualSpring,
        {"stiffness": "N/m", "restitution": "-"},
        {"stiffness": (1e3, 1e7), "restitution": (1e-2, 1e1)},
    ),
    "maxwell": Family(
        Maxwell,
        {"stiffness": "N/m", "damping": "N.s/m"},
        {"stiffness": (1e3, 1e7), "damping": (1e0, 1e6)},
    ),
    "visco": Family(
        Viscoelastic,
        {"stiffness": "N/m", "damping": "N.s/m^2"},
        {"stiffness": (1e4, 1e6), "damping": (1e5, 1e8)},
    ),
    "hc": Family(HuntCrossley, _POWER_UNITS, _POWER_BOUNDS, True),
    "ehc": Family(ExtendedHuntCrossley, _POWER_UNITS, _POWER_BOUNDS, True),
}


def family(name: str) -> Family:
    """Return a family by name.

    Raises:
        UnknownNameError: there is none of that name.
    """
    if name not in FAMILIES:
        raise UnknownNameError("contact model", name, FAMILIES)
    return FAMILIES[name]


class ForceCurve(NamedTuple):
    """The force that a law predicts for a free body, after touch."""

    force: np.ndarray  # at the times asked for, shape (n,) [N]
    compression_end: float  # [s], infinite if it never ends
    contact_end: float  # [s], infinite if it never ends


def force_curve(law: Law, time: np.ndarray, impact: Impact) -> ForceCurve:
    """Return the force at ``time`` since touch, shape (n,) [s]; zero outside the contact."""
    if isinstance(law, (VirtualSpring, Maxwell)):
        compression, contact = law.end_times(*impact)
        touching = (time >= 0.0) & (time <= contact)
        force = law.motion(np.where(touching, time, 0.0), *impact).force
        return ForceCurve(np.where(touching, force, 0.0), compression, contact)
    motion = free_contact(_s(law, impact), law.exponent, isinstance(law, ExtendedHuntCrossley))
    duration, unit = _scales(law.stiffness, law.exponent, impact)
    return ForceCurve(
        unit * motion.force(time / duration),
        duration * motion.compression_end,
        duration * float(motion.time[-1]),
    )


def first_guess(
    kind: Family, exponent: float, peak: float, impulse: float, impact: Impact
) -> np.ndarray:
    """Return figures that give about the recorded peak [N] and impulse [N.s], shape (p,).

    The impulse says how much speed came back, the peak how stiff the contact is.
    """
    from scipy.optimize import brentq  # loads slowly

    back = float(np.clip(impulse / (impact.mass * impact.approach_speed) - 1.0, 0.02, 0.98))
    if kind.law is VirtualSpring:
        stiffness = (peak / impact.approach_speed) ** 2 / impact.mass
        return np.array([stiffness, back])
    if kind.law is Maxwell:
        zeta = -math.log(back) / math.hypot(math.pi, math.log(back))
        unit = kind.make(np.array([1.0, math.sqrt(impact.mass) / (2.0 * zeta)]), exponent)
        stiffness = (peak / _peak(unit, impact)) ** 2
        return np.array([stiffness, math.sqrt(stiffness * impact.mass) / (2.0 * zeta)])
    extended = kind.law is ExtendedHuntCrossley
    log_s = brentq(lambda x: rebound(math.exp(x), extended) - back, math.log(1e-3), math.log(1e4))
    ratio = math.exp(log_s) / impact.approach_speed
    unit = kind.make(np.array([1.0, ratio]), exponent)
    power = exponent if kind.takes_exponent else 1.0
    stiffness = (peak / _peak(unit, impact)) ** (power + 1.0)
    return np.array([stiffness, ratio * stiffness])


def release_time(law: Law, impact: Impact, threshold: float, horizon: float) -> float | None:
    """Return the last time after touch at which the force exceeds ``threshold`` [N].

    None where that is not before ``horizon`` [s].
    """
    end = min(force_curve(law, np.zeros(1), impact).contact_end, horizon)
    time = np.linspace(0.0, end, _CURVE)
    above = np.flatnonzero(force_curve(law, time, impact).force > threshold)
    if not above.size or (above[-1] == _CURVE - 1 and end == horizon):
        return None
    return float(time[min(above[-1] + 1, _CURVE - 1)])


def _peak(law: Law, impact: Impact) -> float:
    end = force_curve(law, np.zeros(1), impact).contact_end
    return float(force_curve(law, np.linspace(0.0, end, 200), impact).force.max())


def _s(law: HuntCrossley, impact: Impact) -> float:
    return law.damping * impact.approach_speed / law.stiffness


def _scales(stiffness: float, exponent: float, impact: Impact) -> tuple[float, float]:
    """Return the units of time [s] and force [N] of a free body's contact."""
    energy = impact.mass * impact.approach_speed**2
    length = (energy / stiffness) ** (1.0 / (exponent + 1.0))
    return length / impact.approach_speed, energy / length
