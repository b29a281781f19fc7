# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the demo says beneath its table of which inertia predicts best."""

from types import SimpleNamespace

import numpy as np

from impact_analysis.demo.table import _inertia


def run(controller, best, *, known=True):
    errors = {name: 1.0 + (name != best) for name in ("M", "M+B_theta", "M+B_rho")}
    velocity = np.zeros(7) if known else np.full(7, np.nan)
    return SimpleNamespace(controller=controller, prediction_rms=errors, gross_velocity=velocity)


def test_an_inertia_that_is_best_everywhere_is_named():
    assert _inertia([run("a", "M"), run("b", "M")]) == (
        "of the three inertias M predicts every run's velocities best"
    )


def test_runs_that_say_nothing_of_it_are_not_counted_in():
    said = _inertia([run("a", "M+B_rho", known=False), run("b", "M"), run("c", "M")])
    assert said == "of the three inertias M predicts the velocities of b and c best"
    assert _inertia([run("a", "M", known=False)]).startswith("no run shows")


def test_runs_that_differ_are_told_apart():
    assert _inertia([run("a", "M"), run("b", "M+B_rho")]).endswith("differs: a M, b M+B_rho")
