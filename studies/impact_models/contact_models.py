# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contact models of Wang 2022: Maxwell's restitution, the viscoelastic one, energy (H4 to H6)."""

from __future__ import annotations

import math
from operator import itemgetter

import numpy as np

from impact_analysis.present.table import Column, Table
from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.contact_force.lumped_laws import Maxwell
from impact_predictor.contact_force.restitution import exact_restitution, maxwell_restitution
from impact_predictor.contact_force.simulation import simulate_contact
from studies.published import parameter
from studies.row import Row, judged

MASS = 2.7  # of the scenario impact_1dof_visco [kg]
STIFFNESS = 1.2e5  # the same [N/m]
RATIOS = (0.05, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)  # s = c|v|/k, the same [-]
SPEED = 0.1  # the same [m/s]
DAMPING_RATIO = 0.4  # of Maxwell's model, any below 1 [-]
ROUNDING = 1e-9  # relative error of the integration that counts as none


def speeds() -> tuple[float, ...]:
    """Return the five contact speeds of Wang 2022 [m/s]."""
    return parameter("iim.contact_speed_ref")


def maxwell_row() -> Row:
    """Return the row H4: spring and damper in series do not care about speed."""
    law = Maxwell(STIFFNESS, math.sqrt(STIFFNESS * MASS) / (2.0 * DAMPING_RATIO))
    found = np.array([integrated_restitution(law, MASS, speed) for speed in speeds()])
    formula = maxwell_restitution(law, MASS)
    closed = simulate_contact(law, MASS, SPEED).restitution or math.nan
    deviation = float(np.abs(np.array([*found, closed]) / formula - 1.0).max())
    return judged(
        "H4",
        ours=f"{found.min():.4f} to {found.max():.4f} over {len(found)} speeds; formula"
        f" {formula:.4f}",
        difference=f"{deviation:.0e}",
        holds=deviation < 1e-6,
        note="free body, equations integrated, and the suite's closed form; zeta ="
        f" {DAMPING_RATIO:g}, {speeds()[0]:g} to {speeds()[-1]:g} m/s. That data contradict it is"
        " a finding of Wang 2022 and needs its force profiles",
        figures={"restitution": float(found[0]), "largest_relative_deviation": deviation},
    )


def integrated_restitution(law: Maxwell, mass: float, speed: float) -> float:
    """Return the restitution of a free body from Maxwell's equations, integrated.

    Args:
        law: df/dt = k (v - f/c), with v into the surface.
        mass: of the body [kg].
        speed: of the approach [m/s].
    """
    from scipy.integrate import solve_ivp  # loads slowly

    def rates(_: float, state: np.ndarray) -> list[float]:
        v, f = state
        return [-f / mass, law.stiffness * (v - f / law.damping)]

    def separation(_: float, state: np.ndarray) -> float:
        return float(state[1])

    separation.terminal, separation.direction = True, -1.0  # type: ignore[attr-defined]
    end = solve_ivp(rates, (0.0, 1.0), [speed, 0.0], events=separation, rtol=1e-10, atol=1e-12)
    return float(-end.y[0, -1] / speed)


def restitutions() -> np.ndarray:
    """Return s, simulated e, exact e and the published 1/s, one line a ratio, shape (8, 4) [-]."""
    lines = []
    for ratio in RATIOS:
        law = Viscoelastic(STIFFNESS, ratio * STIFFNESS / SPEED)
        simulated = simulate_contact(law, MASS, SPEED).restitution or math.nan
        lines.append((ratio, simulated, exact_restitution(law, SPEED), 1.0 / ratio))
    return np.array(lines)


def viscoelastic_row(table: np.ndarray) -> Row:
    """Return the row H5: restitution falls with speed.

    Args:
        table: from :func:`restitutions`.
    """
    ratio, simulated, exact, published = table.T
    deviation = float(np.abs(simulated / exact - 1.0).max())
    falls = bool(np.all(np.diff(simulated) < 0.0))
    excess = published / exact - 1.0
    texts = ", ".join(f"{excess[ratio == s][0]:.1%} at s = {s:g}" for s in (10.0, 5.0, 2.0))
    return judged(
        "H5",
        ours=f"{simulated[0]:.3f} to {simulated[-1]:.3f} for s = {ratio[0]:g} to {ratio[-1]:g}",
        difference=f"{deviation:.0e} to the exact law",
        holds=falls and deviation < 1e-6,
        note="s = c|v|/k; simulation and e = [1 + W0(-(1+s)exp(-(1+s)))]/s agree. The published 1/s"
        f" is the limit for large s: {texts} too high, and above 1 for s < 1",
        figures={"largest_relative_deviation": deviation, "ratios": len(ratio)},
    )


def energy_row() -> Row:
    """Return the row H6: kinetic, stored and lost energy add up."""
    drifts = []
    for ratio in RATIOS:
        law = Viscoelastic(STIFFNESS, ratio * STIFFNESS / SPEED)
        balance = simulate_contact(law, MASS, SPEED).energy_balance
        drifts.append(float(np.ptp(balance) / balance[0]))
    return judged(
        "H6",
        ours=f"drift {max(drifts):.0e} of the energy",
        difference=f"{max(drifts):.0e}",
        holds=max(drifts) < ROUNDING,
        note="E_k + E_p + E_d over the contact, integrated for eight values of s = c|v|/k",
        figures={"largest_relative_drift": max(drifts)},
    )


def study(table: np.ndarray) -> Table:
    """Return the table of restitutions."""
    return Table(
        "viscoelastic_restitution",
        "Restitution of the viscoelastic contact over s = c|v|/k",
        (
            Column("s", "s", "g", itemgetter(0)),
            Column("restitution", "simulated", ".4f", itemgetter(1)),
            Column("restitution_exact", "exact", ".4f", itemgetter(2)),
            Column("restitution_published", "published 1/s", ".4f", itemgetter(3)),
        ),
        table.tolist(),
    )
