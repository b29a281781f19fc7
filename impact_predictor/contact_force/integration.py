# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A body in contact with a surface, integrated from event to event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from impact_predictor.contact_force.profile import ContactEnd, ContactProfile

SAMPLES = 400  # of a profile, per phase
LONGEST = 1.0  # contact of a free body [s]
_RELATIVE_TOLERANCE = 1e-12
_STILL = 1e-9  # of the approach speed: slower is rounding
_DEPTH, _RATE, _IMPULSE, _LOSS, _WORK = range(5)  # state of the integration


class RateForce(Protocol):
    """A force of penetration and rate, see ``contact_law.RateLaw``."""

    def force(self, penetration: float, rate: float) -> float:
        """Return the normal force on the robot [N]."""

    def elastic_force(self, penetration: float) -> float:
        """Return the force at rest [N]."""

    def elastic_energy(self, penetration: float) -> float:
        """Return the work of the force at rest [J]."""

    def sign_of_force(self, penetration: float, rate: float) -> float:
        """Return a number with the sign of the unclipped force."""


@dataclass
class ContactIntegration:
    """The motion so far, phase by phase: a phase ends with an event or where the law changes."""

    law: RateForce
    mass: float
    speed: float
    external_force: float
    external_start: float
    time: list[np.ndarray] = field(default_factory=list)
    states: list[np.ndarray] = field(default_factory=list)
    compression_end: float | None = None

    def run(self, max_duration: float) -> ContactProfile:
        """Integrate until the contact ends or the time is over."""
        now, state = 0.0, np.array([0.0, self.speed, 0.0, 0.0, 0.0])
        end = None
        while end is None:
            stop = self.external_start if now < self.external_start else max_duration
            now, state, end = self._phase(now, state, min(stop, max_duration))
            if end is None and now >= max_duration:
                end = ContactEnd.HELD
        return self._profile(end)

    def _phase(
        self, start: float, state: np.ndarray, stop: float
    ) -> tuple[float, np.ndarray, ContactEnd | None]:
        from scipy.integrate import solve_ivp  # loads slowly

        external = self.external_force if start >= self.external_start else 0.0
        # a free body reaches zero force at zero depth only; before, it would be rounding
        push = self._push if external > 0.0 else _never
        events = [_event(self._depth), _event(push)]
        if self.compression_end is None:
            events.append(_event(self._approach))
        energy = 0.5 * self.mass * self.speed**2
        scale = np.array([self.speed * 1e-4, self.speed, self.mass * self.speed, energy, energy])
        solution = solve_ivp(
            self._derivative,
            (start, stop),
            state,
            method="DOP853",
            rtol=_RELATIVE_TOLERANCE,
            atol=_RELATIVE_TOLERANCE * scale,
            events=events,
            dense_output=True,
            args=(external,),
        )
        last = float(solution.t[-1])
        time = np.linspace(start, last, SAMPLES + 1)
        states = solution.sol(time)
        states[:, -1] = solution.y[:, -1]
        self.time.append(time[bool(self.time) :])
        self.states.append(states[:, bool(self.states) :])
        return last, states[:, -1], self._what_ended(solution)

    def _what_ended(self, solution: Any) -> ContactEnd | None:
        """Return how the contact ended, if it did, and note the end of compression."""
        depth, push, *approach = (len(times) > 0 for times in solution.t_events)
        if approach and approach[0]:
            self.compression_end = float(solution.t[-1])
            return None
        if depth:
            return ContactEnd.SEPARATED
        return ContactEnd.FORCE_VANISHED if push else None

    def _derivative(self, _: float, y: np.ndarray, external: float) -> list[float]:
        depth, rate = float(y[_DEPTH]), float(y[_RATE])
        force = self.law.force(depth, rate)
        loss = (force - self.law.elastic_force(depth)) * rate
        acceleration = -(force + external) / self.mass
        return [rate, acceleration, force, loss, -external * rate]

    def _depth(self, y: np.ndarray) -> float:
        return float(y[_DEPTH])

    def _push(self, y: np.ndarray) -> float:
        """Sign of the force before clipping."""
        return self.law.sign_of_force(float(y[_DEPTH]), float(y[_RATE]))

    def _approach(self, y: np.ndarray) -> float:
        return float(y[_RATE])

    def _profile(self, end: ContactEnd) -> ContactProfile:
        states = np.concatenate(self.states, axis=1)
        states[_DEPTH] = np.maximum(states[_DEPTH], 0.0)
        if end is ContactEnd.SEPARATED:
            states[_DEPTH, -1] = 0.0
        depth, rate = states[_DEPTH], states[_RATE]
        pairs = zip(depth.tolist(), rate.tolist(), strict=True)
        force = np.array([self.law.force(x, v) for x, v in pairs])
        potential = np.array([self.law.elastic_energy(x) for x in depth.tolist()])
        if end is ContactEnd.FORCE_VANISHED:
            force[-1] = 0.0
        if rate.min() > -_STILL * self.speed:  # it crept to rest and never turned
            self.compression_end = None
        return ContactProfile(
            self.mass,
            self.speed,
            np.concatenate(self.time),
            depth,
            rate,
            force,
            states[_IMPULSE],
            potential,
            states[_LOSS],
            states[_WORK],
            self.compression_end,
            end,
        )


def free_profile(law: RateForce, mass: float, approach_speed: float) -> ContactProfile:
    """Return the contact of a body [kg, m/s] on which nothing else acts."""
    return ContactIntegration(
        law, mass, approach_speed, external_force=0.0, external_start=0.0
    ).run(LONGEST)


def _never(y: np.ndarray) -> float:
    return 1.0


def _event(value: Callable[[np.ndarray], float]) -> Callable[..., float]:
    """Return a solver's event that stops where ``value`` falls through zero."""

    def event(_: float, y: np.ndarray, external: float) -> float:
        return value(y)

    event.terminal = True  # type: ignore[attr-defined]
    event.direction = -1.0  # type: ignore[attr-defined]
    return event
