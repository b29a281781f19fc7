# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws how fast each kind of impact limit lets the arm hit, and what that risks.

Example:
    ./impact shell -- python doc/make_speed_figure.py
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot as plt

from impact_analysis.demo.plots import STYLE
from impact_robots import RobotError, load_robot
from impact_sim.scenarios import Scenario, load_scenario
from studies.controller.closed_loop import ClosedLoopHit, hit_once
from studies.wall_configurations import draw

HERE = Path(__file__).parent
COUNT, SEED = 30, 0
MODES = {"robust": "#1f5fa8", "nominal": "#4f9d69", "existential": "#c44e52"}


def main() -> None:
    """Simulate and draw."""
    scenarios = _scenarios()
    asked = [(scenario, mode) for scenario in scenarios for mode in MODES]
    with ProcessPoolExecutor() as pool:
        hits = list(pool.map(_hit, asked))
    found: dict[str, dict[str, ClosedLoopHit]] = {}
    for hit in hits:
        if hit is not None:
            found.setdefault(hit.scenario, {})[hit.limits] = hit
    rows = [of for of in found.values() if len(of) == len(MODES)]
    rows.sort(key=lambda of: of["robust"].speed)
    for mode in MODES:
        speed = np.array([of[mode].speed for of in rows])
        share = np.array([of[mode].admissible for of in rows])
        print(
            f"{mode:<12} {len(rows)} hits: speed {np.median(speed):.3f} (median,"
            f" {speed.min():.3f} to {speed.max():.3f}) m/s, worst announced torque over its limit"
            f" {np.median(share):.2f} (at most {share.max():.2f})"
        )
    with plt.rc_context(STYLE):
        draw_figure(rows)


def _scenarios() -> list[Scenario]:
    robot, base = load_robot("panda"), load_scenario("qp_panda_cfg1")
    return [
        replace(base, name=f"drawn_{k}", q_impact=tuple(q.tolist()))
        for k, q in enumerate(draw(robot, COUNT, SEED))
    ]


def _hit(asked: tuple[Scenario, str]) -> ClosedLoopHit | None:
    """Return a hit, none where the run-up is not reachable or the arm does not arrive."""
    scenario, mode = asked
    try:
        return hit_once(scenario, "torque", mode, SEED)
    except (RobotError, RuntimeError, ValueError):
        return None


def draw_figure(rows: list[dict[str, ClosedLoopHit]]) -> None:
    """Draw speed and risk over the configurations, sorted by the robust speed."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2))
    places = np.arange(1, len(rows) + 1)
    for mode, colour in MODES.items():
        left.plot(places, [of[mode].speed for of in rows], "o-", color=colour, ms=4, label=mode)
        share = [of[mode].admissible for of in rows]
        right.plot(places, share, "o-", color=colour, ms=4, label=mode)
    right.axhline(1.0, color="black", lw=0.8, ls="--")
    left.set(xlabel="configuration, by robust speed", ylabel="speed at the contact [m/s]")
    right.set(
        xlabel="configuration, by robust speed",
        ylabel="worst announced torque / limit",
    )
    left.legend(frameon=False)
    figure.tight_layout(w_pad=2.5)
    figure.savefig(HERE / "figures" / "safe_speeds.png")
    plt.close(figure)


if __name__ == "__main__":
    main()
