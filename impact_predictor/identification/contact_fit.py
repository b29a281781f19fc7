# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The least-squares problem of fitting a contact model to a recorded force."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from impact_predictor.contact_force.contact_law import (
    ContactModel,
    ForceCurve,
    FreeBodyImpact,
    FreeBodyLaw,
)
from impact_predictor.contact_force.force_record import ForceRecord
from impact_predictor.identification.contact_families import (
    first_guess,
)
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array, positive

MASS, TOUCH = "mass", "touch"  # unknowns besides the model's parameters


class ContactFit:
    """Residual and bounds over the unknowns.

    These are the logarithms of the model's two parameters and, if requested, the logarithm
    of the mass and the time of contact in units of the contact's duration.

    Raises:
        OutOfRangeError: bounds that are none, too few samples in contact, or no touch where it
            should be.
    """

    def __init__(
        self,
        kind: ContactModel,
        record: ForceRecord,
        impact: FreeBodyImpact,
        exponent: float,
        bounds: Mapping[str, tuple[float, float]] | None,
        mass_between: tuple[float, float] | None,
        touch_between: tuple[float, float] | None,
    ) -> None:
        self.kind, self.record, self.exponent = kind, record, exponent
        self.known = impact
        start, end = (float(record.time[i]) for i in record.contact)
        self.contact_time = end - start  # unit of the time of contact
        limits = {name: np.log(value) for name, value in _bounds(kind, bounds).items()}
        self.units = dict(kind.units)
        if mass_between is not None:
            limits[MASS] = np.log(_positive_interval(mass_between, "mass_between"))
            self.units[MASS] = "kg"
        if touch_between is not None:
            limits[TOUCH] = _interval(touch_between, "touch_between") / self.contact_time
            self.units[TOUCH] = "s"
        self.names = tuple(limits)
        self.lower, self.upper = np.array(list(limits.values())).T
        self._check_record(touch_between or (0.0, 0.0), start, end)

    def guess(self) -> np.ndarray:
        """Return a start from the record's peak and impulse, shape (p,)."""
        from scipy.integrate import trapezoid  # loads slowly

        impulse = float(trapezoid(self.record.force, self.record.time))
        peak = float(self.record.force.max())
        figures = np.log(first_guess(self.kind, self.exponent, peak, impulse, self.known))
        touch = float(self.record.time[self.record.contact[0]]) / self.contact_time
        others = {MASS: np.log(self.known.mass), TOUCH: touch}
        return np.append(figures, [others[name] for name in self.names[2:]])

    def law(self, unknowns: np.ndarray) -> FreeBodyLaw:
        """Return the law that ``unknowns`` stand for."""
        return self.kind.make(np.exp(unknowns[:2]), self.exponent)

    def impact(self, unknowns: np.ndarray) -> FreeBodyImpact:
        """Return mass and speed of the body."""
        if MASS not in self.names:
            return self.known
        return self.known._replace(mass=float(np.exp(unknowns[self.names.index(MASS)])))

    def touch(self, unknowns: np.ndarray) -> float:
        """Return the time of contact [s]."""
        return float(unknowns[-1]) * self.contact_time if TOUCH in self.names else 0.0

    def curve(self, unknowns: np.ndarray) -> ForceCurve:
        """Return the model's force at the record's times; its events count from contact."""
        since_touch = self.record.time - self.touch(unknowns)
        return self.law(unknowns).curve(since_touch, self.impact(unknowns))

    def residual(self, unknowns: np.ndarray) -> np.ndarray:
        """Return the model's force less the recorded one, shape (n,) [N]."""
        return self.curve(unknowns).force - self.record.force

    def _check_record(self, touch: tuple[float, float], start: float, end: float) -> None:
        samples = self.record.contact[1] - self.record.contact[0] - 1
        enough = 2 * len(self.names) + 2
        if samples < enough:
            raise OutOfRangeError("force", f"at least {enough} samples in contact", f"{samples}")
        if touch[0] > end or touch[1] < start - self.contact_time:
            expected = f"a touch between {touch[0]:.4g} and {touch[1]:.4g} s"
            raise OutOfRangeError("time", expected, f"a contact from {start:.4g} to {end:.4g} s")


def _bounds(
    kind: ContactModel, bounds: Mapping[str, tuple[float, float]] | None
) -> dict[str, tuple[float, float]]:
    merged = dict(kind.bounds)
    for name, value in (bounds or {}).items():
        if name not in merged:
            raise OutOfRangeError("bounds", f"bounds of {', '.join(merged)}", name)
        merged[name] = _positive_interval(value, f"bounds of {name}")
    return merged


def _positive_interval(value: tuple[float, float], name: str) -> tuple[float, float]:
    low, high = _interval(value, name)
    return positive(low, name), high


def _interval(value: tuple[float, float], name: str) -> np.ndarray:
    interval = finite_array(value, (2,), name)
    if not interval[0] < interval[1]:
        raise OutOfRangeError(name, "low before high", value)
    return interval
