# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drawn impacts by the map and by engines, as rows and tables: E1 to E5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from impact_analysis.present.table import Column, Table
from studies.engines.engine_step import NOTHING
from studies.engines.engine_study import ENGINES, ComparedImpact
from studies.row import OURS, ClaimTable, Row, promised

NAME = "engines"
TITLE = "Simultaneous impacts: the map beside the rigid steps of MuJoCo and of DART"
EXACT = 1e-9  # residual of the map, of Newton's method and of momentum
SOFT = 0.005  # residual of an engine's own law, and difference where laws agree, at most
CLOSE = 0.001  # median difference of DART's solver of Coulomb's law
CLEAR = 1e-3  # of the closing speed: a contact separates, or penetrates
OWN_LAW = {"map": "coulomb", "mujoco": "relaxed", "dart": "frozen", "dart_coulomb": "coulomb"}
SAID = {
    "map": "this map",
    "mujoco": "MuJoCo",
    "dart": "DART",
    "dart_coulomb": "DART, Coulomb",
}


def table(found: Sequence[ComparedImpact]) -> ClaimTable:
    """Return the table of all impacts."""
    counted = {engine: counts(found, engine) for engine in ENGINES}
    rows = (
        _map_row(counted["map"], found),
        _engine_row(
            "E2",
            "MuJoCo's step, as rigid as it goes, is Coulomb's law but for contacts that slide: they"
            " lift off",
            counted["mujoco"],
            "the convex law of Anitescu and Todorov, by MuJoCo's own impulses: a loaded contact"
            " that slides has v_n = mu |v_T|. What is left is its softness (impedance .9999)",
        ),
        _engine_row(
            "E3",
            "DART's default step is a box of friction, bounded by the normal impulses of the impact"
            " without friction",
            counted["dart"],
            "by DART's own impulses: along each of two axes friction is within mu times what the"
            " normal impulse would be without friction, whatever it then is. What is left is its"
            " softness (constraint force mixing 1e-5)",
        ),
        _coulomb_row(counted["dart_coulomb"]),
        _unique_row(found),
    )
    summary = {NAME: counted}
    return ClaimTable(NAME, TITLE, rows, (_laws(counted), _reasons(counted)), summary)


def counts(found: Sequence[ComparedImpact], engine: str) -> dict[str, Any]:
    """Return the figures of an engine; differences and speeds are over the closing speed."""
    steps = [getattr(each, engine) for each in found]
    same = [getattr(each.map, OWN_LAW[engine]) <= NOTHING for each in found]
    alike = [step.difference for step, at in zip(steps, same, strict=True) if at]
    other = [step.difference for step, at in zip(steps, same, strict=True) if not at]
    own_law = [getattr(step, OWN_LAW[engine]) for step in steps]
    differences = [step.difference for step in steps]
    return {
        "n": len(steps),
        "median_difference": float(np.median(differences)),
        "largest_difference": max(differences),
        "median_box_difference": float(np.median([step.box_difference for step in steps])),
        "largest_box_difference": max(step.box_difference for step in steps),
        "median_impulse_difference": float(np.median([step.impulse_difference for step in steps])),
        "momentum_error": max(step.momentum_error for step in steps),
        "energy_gained": sum(step.energy_gain > NOTHING for step in steps),
        "least_energy_lost": -max(step.energy_gain for step in steps),
        "cone_violations": sum(step.outside_cone > NOTHING for step in steps),
        "largest_outside_cone": max(step.outside_cone for step in steps),
        "pulling": sum(step.pulling > NOTHING for step in steps),
        "separating_with_impulse": sum(step.separating > CLEAR for step in steps),
        "fastest_separating": max(step.separating for step in steps),
        "penetrating": sum(step.penetrating > CLEAR for step in steps),
        "fastest_penetrating": max(step.penetrating for step in steps),
        "median_coulomb_residual": float(np.median([step.coulomb for step in steps])),
        "largest_coulomb_residual": max(step.coulomb for step in steps),
        "median_own_law_residual": float(np.median(own_law)),
        "largest_own_law_residual": max(own_law),
        "laws_agree": len(alike),
        "largest_difference_where_laws_agree": max(alike, default=0.0),
        "median_difference_where_laws_differ": float(np.median(other)) if other else 0.0,
    }


def _map_row(figures: dict[str, Any], found: Sequence[ComparedImpact]) -> Row:
    """Return how the map keeps its own law."""
    residual, momentum = figures["largest_coulomb_residual"], figures["momentum_error"]
    worst = max(residual, momentum)
    slides = sum(each.slides for each in found)
    grabs = sum(each.kind == "grab" for each in found)
    standing = sum(each.supported for each in found)
    kept = not (figures["energy_gained"] or figures["cone_violations"] or figures["pulling"])
    return promised(
        "E1",
        OURS,
        "the map keeps momentum, Signorini's condition and Coulomb's law, and gains no energy",
        f"residuals <= {EXACT:.0e}",
        f"momentum {momentum:.0e}, law {residual:.0e}, {figures['energy_gained']} gain energy",
        f"{worst - EXACT:+.0e}",
        worst <= EXACT and kept,
        f"{len(found)} drawn impacts, {grabs} of them grabs; {standing} boxes stand on something;"
        f" in {slides} a contact slides. Restitution 0, M + B_theta, four corners a plate",
        figures=figures,
    )


def _engine_row(row_id: str, claim: str, figures: dict[str, Any], note: str) -> Row:
    """Return how an engine keeps the law that explains it, and how far it is from the map."""
    residual, alike = (
        figures["largest_own_law_residual"],
        figures["largest_difference_where_laws_agree"],
    )
    return promised(
        row_id,
        OURS,
        claim,
        f"that law's residual, and difference where laws agree, <= {SOFT:.1%}",
        f"residual {residual:.2%}; {alike:.2%} in {figures['laws_agree']} where laws agree; all"
        f" {figures['n']}: median {figures['median_difference']:.1%}, most"
        f" {figures['largest_difference']:.0%}",
        f"{residual - SOFT:+.2%}, {alike - SOFT:+.2%}",
        max(residual, alike) <= SOFT,
        note,
        figures=figures,
    )


def _coulomb_row(figures: dict[str, Any]) -> Row:
    """Return how near DART comes with its solver of Coulomb's law."""
    median, residual = figures["median_difference"], figures["largest_own_law_residual"]
    return promised(
        "E4",
        OURS,
        "DART with its solver of Coulomb's law finds what the map finds",
        f"median difference <= {CLOSE:.1%}, residual of the law <= {SOFT:.1%}",
        f"median {median:.4%}, most {figures['largest_difference']:.1%}; residual {residual:.2%}",
        f"{median - CLOSE:+.2%}, {residual - SOFT:+.2%}",
        median <= CLOSE and residual <= SOFT,
        "block Gauss-Seidel on the cones, 20,000 sweeps at most, an option of DART 6.20. Where it"
        " differs by more, both are solutions: E5. Impulses differ by"
        f" {figures['median_impulse_difference']:.0%} of the largest at the median: corners share"
        " them in many ways",
        figures=figures,
    )


def _unique_row(found: Sequence[ComparedImpact]) -> Row:
    """Return whether DART's other solutions are ones, too."""
    far = [each for each in found if each.dart_coulomb.difference > CLEAR]
    polished = [each.dart_polished for each in far]
    solved = [each for each in polished if max(each.coulomb, each.momentum_error) <= EXACT]
    other = [each.difference for each in solved if each.difference > NOTHING]
    largest = max(other, default=0.0)
    return promised(
        "E5",
        OURS,
        f"where that solver is farther than {CLEAR:.1%} from the map, both solve Coulomb's law:"
        " velocities are not unique",
        f"all, residuals <= {EXACT:.0e}",
        f"{len(other)} of {len(far)}, up to {largest:.1%} apart",
        f"{len(other) - len(far):+d}",
        len(other) == len(far),
        "Newton's method on the law without softness, from DART's impulses, ends there and not at"
        f" the map's velocities; {len(far)} of {len(found)} impacts are so",
        figures={"n": len(far), "other_solution": len(other), "largest_difference": largest},
    )


def _laws(counted: dict[str, dict[str, Any]]) -> Table:
    """Return the table of laws that are kept or broken."""
    entries = [{"engine": SAID[engine]} | figures for engine, figures in counted.items()]
    shown = (
        Column("engine", "engine"),
        Column("median_difference", "v, median", form=".2%"),
        Column("largest_difference", "largest", form=".1%"),
        Column("momentum_error", "momentum", form=".0e"),
        Column("energy_gained", "gain energy"),
        Column("cone_violations", "out of cone"),
        Column("largest_outside_cone", "by", form=".0%"),
        Column("separating_with_impulse", "lift off"),
        Column("fastest_separating", "at", form=".0%"),
        Column("penetrating", "penetrate"),
        Column("fastest_penetrating", "at", form=".1%"),
    )
    return Table("laws", "Velocities against the map's, and laws broken", shown, entries, entries)


def _reasons(counted: dict[str, dict[str, Any]]) -> Table:
    """Return the table of what explains the differences."""
    entries = [{"engine": SAID[engine]} | figures for engine, figures in counted.items()]
    shown = (
        Column("engine", "engine"),
        Column("largest_coulomb_residual", "off Coulomb's law", form=".1e"),
        Column("largest_own_law_residual", "off its own", form=".1e"),
        Column("laws_agree", "laws agree in"),
        Column("largest_difference_where_laws_agree", "there v, most", form=".2%"),
        Column("median_difference_where_laws_differ", "else, median", form=".1%"),
        Column("median_impulse_difference", "impulses, med.", form=".0%"),
    )
    return Table("reasons", "Which law each step is", shown, entries, entries)
