# SPDX-License-Identifier: Apache-2.0
"""The least-squares problem of fitting a contact model to a recorded force."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.integrate import trapezoid

from impact_predictor.checks import finite_array, positive
from impact_predictor.contact_families import Family, Impact, Law, first_guess, force_curve
from impact_predictor.exceptions import OutOfRangeError
from impact_predictor.force_record import ForceRecord

TOUCH = "touch"  # name of the unknown time of touch


class ContactFit:
    """Residual and bounds over the unknowns.

    These are the logarithms of the model's two figures and, where it is asked for, the time of
    touch in units of the contact's duration.

    Raises:
        OutOfRangeError: bounds that are none, or too few samples in contact.
    """

    def __init__(
        self,
        kind: Family,
        record: ForceRecord,
        impact: Impact,
        exponent: float,
        bounds: Mapping[str, tuple[float, float]] | None,
        touch_between: tuple[float, float] | None,
    ) -> None:
        self.kind, self.record, self.impact, self.exponent = kind, record, impact, exponent
        limits = np.log(np.array(list(_bounds(kind, bounds).values())))
        start, end = (float(record.time[i]) for i in record.contact)
        self.contact_time = end - start  # unit of the time of touch
        self.names = tuple(kind.units)
        self.units = dict(kind.units)
        if touch_between is not None:
            limits = np.vstack(
                [limits, np.array(_interval(touch_between, "touch_between")) / self.contact_time]
            )
            self.names += (TOUCH,)
            self.units[TOUCH] = "s"
        self.lower, self.upper = limits.T
        samples = record.contact[1] - record.contact[0] - 1
        if samples < len(self.names) + 2:
            expected = f"at least {len(self.names) + 2} samples in contact"
            raise OutOfRangeError("force", expected, f"{samples}")

    def guess(self) -> np.ndarray:
        """Return a start from the record's peak and impulse, shape (p,)."""
        impulse = float(trapezoid(self.record.force, self.record.time))
        peak = float(self.record.force.max())
        figures = np.log(first_guess(self.kind, self.exponent, peak, impulse, self.impact))
        touch = float(self.record.time[self.record.contact[0]]) / self.contact_time
        return np.append(figures, touch)[: len(self.names)]

    def law(self, unknowns: np.ndarray) -> Law:
        """Return the law that ``unknowns`` stand for."""
        return self.kind.make(np.exp(unknowns[:2]), self.exponent)

    def touch(self, unknowns: np.ndarray) -> float:
        """Return the time of touch [s]."""
        return float(unknowns[2]) * self.contact_time if len(unknowns) > 2 else 0.0

    def residual(self, unknowns: np.ndarray) -> np.ndarray:
        """Return the model's force less the recorded one, shape (n,) [N]."""
        since_touch = self.record.time - self.touch(unknowns)
        return force_curve(self.law(unknowns), since_touch, self.impact).force - self.record.force


def _bounds(
    kind: Family, bounds: Mapping[str, tuple[float, float]] | None
) -> dict[str, tuple[float, float]]:
    merged = dict(kind.bounds)
    for name, value in (bounds or {}).items():
        if name not in merged:
            raise OutOfRangeError("bounds", f"bounds of {', '.join(merged)}", name)
        merged[name] = _interval(value, f"bounds of {name}")
        positive(merged[name][0], f"bounds of {name}")
    return merged


def _interval(value: tuple[float, float], name: str) -> tuple[float, float]:
    low, high = finite_array(value, (2,), name)
    if not low < high:
        raise OutOfRangeError(name, "low before high", value)
    return float(low), float(high)
