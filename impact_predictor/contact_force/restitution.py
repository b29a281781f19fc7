# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Coefficients of restitution that follow from a contact law, or from a recorded force."""

from __future__ import annotations

from numpy.typing import ArrayLike

from impact_predictor.contact_force.contact_law import FreeBodyLaw
from impact_predictor.contact_force.force_record import force_record
from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.contact_force.lumped_laws import Maxwell
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import positive


def exact_restitution(law: FreeBodyLaw, approach_speed: float, mass: float | None = None) -> float:
    r"""Return the restitution of a free body against ``law``.

    With :math:`s = d_c|v^-|/k_c`: Hunt-Crossley, and so the viscoelastic law,
    :math:`[1 + W_0(-(1+s)e^{-(1+s)})]/s` for every exponent; extended law
    :math:`[1 + W_0((s - \ln(1+s) - 1)/e)]/s` (own derivations, doc/theory.md). The
    virtual spring's is a parameter. Maxwell's depends on the mass and not on the speed.

    Args:
        law: of any kind; one without a closed form is integrated.
        approach_speed: :math:`|v_n^-|` [m/s], positive.
        mass: effective mass along the normal [kg]; needed by Maxwell's law, and by a law without
            a closed form.

    Raises:
        OutOfRangeError: the speed is not positive, or a law that needs the mass has none.
    """
    return law.free_restitution(positive(approach_speed, "approach_speed"), mass)


def has_asymptote(law: FreeBodyLaw) -> bool:
    """Return whether :func:`asymptotic_restitution` supports the law."""
    return isinstance(law, HuntCrossley) and not law.extended


def asymptotic_restitution(law: HuntCrossley, approach_speed: float) -> float:
    r"""Return :math:`k/(c|v^-|)`, at most 1 (Wang 2022 eq. 25).

    The limit of the exact restitution for :math:`s = c|v^-|/k \gg 1`, and always above it: by
    1.5 % at s = 5 and by 22 % at s = 2. Below s = 1 the formula exceeds 1; it is clamped there.

    Args:
        law: viscoelastic or Hunt-Crossley law.
        approach_speed: :math:`|v_n^-|` [m/s], positive.

    Raises:
        OutOfRangeError: the speed is not positive, or the law is the extended one, which has no
            such limit.
    """
    if not has_asymptote(law):
        expected = "a viscoelastic or Hunt-Crossley law"
        raise OutOfRangeError("law", expected, type(law).__name__)
    s = law.damping * positive(approach_speed, "approach_speed") / law.stiffness
    return min(1.0, 1.0 / s) if s > 0.0 else 1.0


def maxwell_restitution(law: Maxwell, mass: float) -> float:
    r"""Return :math:`e^{-\pi\zeta/\sqrt{1-\zeta^2}}`, 0 from :math:`\zeta = \sqrt{km}/(2c) = 1` on.

    Independent of the speed (doc/theory.md).

    Raises:
        OutOfRangeError: the mass is not positive.
    """
    return law.free_restitution(1.0, mass)


def spring_restitution(time: ArrayLike, force: ArrayLike, by: str = "impulse") -> float:
    r"""Return the restitution of a virtual spring, from a recorded force.

    The force's peak is taken as the end of compression, which is true for a spring; then
    :math:`\hat e = \iota_r/\iota_c` or :math:`t_r/t_c`. Where damping matters the peak comes before
    the end of compression and the estimate comes out too high, often above 1: that the spring
    "needs e > 1" is the argument of Wang 2022 against it.

    Args:
        time: shape (n,) [s], increasing.
        force: on the robot along the outward normal, shape (n,) [N]; the contact is where it is
            above 0.5 N and 1 % of its peak.
        by: "impulse" or "duration".

    Raises:
        OutOfRangeError: no contact in the record, or another ``by``.
    """
    from scipy.integrate import trapezoid  # loads slowly

    if by not in ("impulse", "duration"):
        raise OutOfRangeError("by", "impulse or duration", by)
    record = force_record(time, force)
    touch, release = record.contact
    peak = int(record.force.argmax())
    if not touch < peak < release:
        raise OutOfRangeError("force", "a record that holds the contact whole", "its edge only")
    if by == "duration":
        edges = record.time[[touch, peak, release]]
        return float((edges[2] - edges[1]) / (edges[1] - edges[0]))
    parts = (slice(touch, peak + 1), slice(peak, release + 1))
    compression, back = (trapezoid(record.force[p], record.time[p]) for p in parts)
    return float(back / compression)
