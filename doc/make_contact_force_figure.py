# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws doc/figures/contact_force.png.

Example:
    ./impact shell -- python doc/make_contact_force_figure.py
"""

import math
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from scipy.optimize import brentq

from impact_analysis.demo.plots import STYLE as BASE_STYLE
from impact_predictor.contact_force.laws import ExtendedHuntCrossley, HuntCrossley, Viscoelastic
from impact_predictor.contact_force.lumped_laws import Maxwell, VirtualSpring
from impact_predictor.contact_force.restitution import asymptotic_restitution, exact_restitution
from impact_predictor.contact_force.simulation import simulate_contact
from impact_predictor.identification.contact_identification import identify_contact

FILE = Path(__file__).parent / "figures" / "contact_force.png"
MASS, SPEED, RESTITUTION, STIFFNESS = 3.0, 0.1, 0.4, 1e5
SAMPLE_RATE, NOISE, TOUCH = 25e3, 1.0, 0.7e-3
COLOURS = {
    "virtual spring": "#8c8c8c",
    "Maxwell": "#b07aa1",
    "viscoelastic": "#1f5fa8",
    "Hunt-Crossley": "#2a7f62",
    "extended H.-C.": "#dd8452",
}
STYLE = BASE_STYLE | {"legend.fontsize": 9}


def laws():
    """Return the five laws, all with the same restitution at ``SPEED`` and similar forces."""

    def ratio(kind):
        return brentq(
            lambda s: exact_restitution(kind(1.0, s / SPEED), SPEED) - RESTITUTION, 0.01, 100.0
        )

    zeta = -math.log(RESTITUTION) / math.hypot(math.pi, math.log(RESTITUTION))
    maxwell = Maxwell(STIFFNESS, math.sqrt(STIFFNESS * MASS) / (2.0 * zeta))
    hertz = STIFFNESS / math.sqrt(MASS * SPEED**2 / STIFFNESS) ** 0.5  # as stiff at that depth
    found = {
        "virtual spring": VirtualSpring(STIFFNESS, RESTITUTION),
        "Maxwell": maxwell,
        "viscoelastic": Viscoelastic(STIFFNESS, ratio(Viscoelastic) * STIFFNESS / SPEED),
    }
    for name, kind in (("Hunt-Crossley", HuntCrossley), ("extended H.-C.", ExtendedHuntCrossley)):
        found[name] = kind(hertz, ratio(kind) * hertz / SPEED)
    return found


def forces(axes: Axes) -> None:
    """Force over time, with the end of compression."""
    for name, law in laws().items():
        profile = simulate_contact(law, MASS, SPEED)
        t = 1e3 * profile.time
        axes.plot(t, profile.force, color=COLOURS[name], label=name)
        turn = profile.compression_end
        axes.plot(1e3 * turn, np.interp(turn, profile.time, profile.force), "o", c=COLOURS[name])
    axes.plot([], [], "o", color="0.4", label="end of compression")
    axes.set(xlabel="time since touch [ms]", ylabel="normal force [N]")
    axes.set_title(f"Same body, same restitution {RESTITUTION} at {SPEED} m/s")
    axes.set_ylim(bottom=0.0, top=axes.get_ylim()[1] * 1.05)
    axes.legend()


def loops(axes: Axes) -> None:
    """Force over penetration."""
    for name, law in laws().items():
        profile = simulate_contact(law, MASS, SPEED)
        axes.plot(1e3 * profile.penetration, profile.force, color=COLOURS[name], label=name)
    axes.set(xlabel="penetration [mm]", ylabel="normal force [N]")
    axes.set_title("The area inside a loop is the energy lost")
    axes.set_xlim(left=0.0)
    axes.set_ylim(bottom=0.0)


def restitutions(axes: Axes) -> None:
    """Restitution over approach speed."""
    speeds = np.linspace(0.005, 0.3, 200)
    for name, law in laws().items():
        values = [exact_restitution(law, speed, MASS) for speed in speeds]
        dashes = {"Hunt-Crossley": (0, (4, 4)), "Maxwell": (0, (4, 4))}.get(name, "-")
        axes.plot(speeds, values, color=COLOURS[name], ls=dashes, label=name)
    visco = laws()["viscoelastic"]
    published = [asymptotic_restitution(visco, speed) for speed in speeds]
    axes.plot(speeds, published, color=COLOURS["viscoelastic"], ls=":", label="$k/(c|v|)$, clamped")
    axes.set(xlabel="approach speed [m/s]", ylabel="restitution [-]", ylim=(0.0, 1.05))
    axes.set_xlim(left=0.0)
    axes.set_title("Two laws do not know the speed, three do")
    axes.legend()


def identification(axes: Axes) -> None:
    """A noisy record and three models fitted to it."""
    profile = simulate_contact(laws()["viscoelastic"], MASS, SPEED)
    time = np.arange(-2e-3, 1.25 * profile.time[-1], 1.0 / SAMPLE_RATE)
    force = np.interp(time - TOUCH, profile.time, profile.force, left=0.0, right=0.0)
    force += NOISE * np.random.default_rng(0).normal(size=time.size)
    axes.plot(1e3 * time, force, ".", ms=2.5, color="0.65", label="record, 25 kHz")
    for model, name in (
        ("spring", "virtual spring"),
        ("maxwell", "Maxwell"),
        ("visco", "viscoelastic"),
    ):
        found = identify_contact(model, time, force, MASS, SPEED, touch_between=(-2e-3, 4e-3))
        label = f"{name}: rms {found.rms:.1f} N"
        axes.plot(1e3 * time, found.fitted_force, color=COLOURS[name], label=label)
    interval = found.restitution
    label = f"restitution {interval.low:.3f} to {interval.high:.3f} (95 %)"
    axes.plot([], [], " ", label=label)
    axes.set(xlabel="time [ms]", ylabel="normal force [N]")
    axes.set_title(f"Three models fitted to a record with {NOISE} N noise")
    axes.legend()


def draw() -> None:
    """Write the picture."""
    with plt.rc_context(STYLE):
        figure, grid = plt.subplots(2, 2, figsize=(10.5, 7.6), layout="constrained")
        panels = (forces, loops, restitutions, identification)
        for axes, panel in zip(grid.flat, panels, strict=True):
            panel(axes)
        figure.savefig(FILE)
        plt.close(figure)


if __name__ == "__main__":
    draw()
