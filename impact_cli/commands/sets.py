# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `sets`: the possible impulses of an impact, and their effects on the robot."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from impact_analysis.present.plain import json_text
from impact_analysis.present.table import aligned
from impact_cli.command_names import COMMANDS
from impact_cli.options.impact_options import USUAL, GivenImpact, add_impact_options, read_impact
from impact_cli.options.number_options import number, numbers, whole
from impact_cli.plans.case_file import Case, figures, finite, needed, read_cases
from impact_cli.reports.predict_report import coefficients
from impact_predictor import INVERSE_INERTIAS, SETS, Polytope, robot_sets
from impact_predictor.contact_force.delayed_contacts import largest_over_delays, simulate_delayed
from impact_predictor.joint_load.load_case import LEAST_RESTITUTION, viscoelastic
from impact_predictor.sets.coupled_bounds import coupled_bounds, independent_ratio, mobility
from impact_robots.exceptions import OutOfRangeError, UsageError

CASES = "palms"  # of several lists in a file of cases
KIND = "lumped"
LONGEST = 1.0  # delay [s]
_AS_GIVEN = ("restitution_at_own_set_speed", "delay_s")  # may be 0
_EPILOG = f"""examples:
  impact sets --speed 0.2 --friction 0.279 --restitution 0,0.3
  impact sets --speed 0.2 --friction 0.279 --set impulse --contains 0.1,0,0.9 --json
  impact sets --case FILE --json

Sets: {", ".join(SETS)}.
The last one is that of a flexible-joint arm: only it depends on the stiffness, and it takes longer.
With --case FILE (JSON) nothing of that: bounds and simulated impulses of two contacts that press on
one another through an object, of each entry (doc/models/feasible_sets.md).
Exit status: 0 done, 1 the robot does not approach, the set is unbounded, or --contains is outside;
2 wrong usage.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "sets",
        help=COMMANDS["sets"],
        description="Compute the set of all impulses that an impact can exert, and the sets of "
        "their effects: contact velocity, force, joint velocity, joint torque, centre of mass, "
        "momentum.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_impact_options(parser)
    add = parser.add_argument
    add("--model", choices=tuple(INVERSE_INERTIAS), default="crb", help="inverse inertia")
    add(
        "--set",
        action="append",
        default=[],
        metavar="NAME",
        help="one of the sets below; may be repeated (default: all but load)",
    )
    facets = "facets of the friction pyramid (default: 8)"
    add("--generators", type=whole, default=8, metavar="N", help=facets)
    add("--inscribed", action="store_true", help="pyramid inside the cone, as published")
    add("--peak-factor", type=number, default=3.0, metavar="A", help="peak over mean force")
    add("--duration", type=number, default=0.018, metavar="S", help="contact time [s]")
    add("--contains", type=numbers, metavar="X,..", help="test this point; needs one --set")
    add(
        "--case",
        type=Path,
        metavar="FILE",
        help="JSON of two contacts through an object, to print again with the answers",
    )
    add("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run, unsaid=USUAL)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Compute and print the sets; return 1 if the tested point is in neither set nor hull."""
    if arguments.case is not None:
        cases = read_cases(arguments.case, CASES)
        print(json_text(cases.printed([_palm_case(each) for each in cases.entries])))
        return 0
    if arguments.contains is not None and len(arguments.set) != 1:
        raise UsageError(f"--contains: expected one --set, got {len(arguments.set)}")
    impact = read_impact(arguments)
    polytopes = robot_sets(
        impact.state,
        impact.surface,
        impact.robot,
        generators=arguments.generators,
        circumscribed=not arguments.inscribed,
        peak_factor=arguments.peak_factor,
        duration=arguments.duration,
        inverse_inertia=arguments.model,
        names=arguments.set,
    )
    member = None if arguments.contains is None else _member(polytopes[0], arguments.contains)
    write = _as_json if arguments.json else _as_text
    print(write(impact, polytopes, member))
    return 0 if member is None or member["inside_hull_with_zero"] else 1


def _member(polytope: Polytope, point: tuple[float, ...]) -> dict[str, Any]:
    """Return whether a point is inside, and its distance from the nearest face."""
    x = np.array(point)
    return {
        "point": x,
        "inside": polytope.contains(x),
        "inside_hull_with_zero": polytope.contains_in_hull_with_zero(x),
        "margin": polytope.margin(x),
    }


def _as_json(impact: GivenImpact, polytopes: Sequence[Polytope], member: Any) -> str:
    """Return the JSON document."""
    document = {
        "robot": impact.robot.name,
        "friction": impact.surface.friction[1],
        "friction_low": impact.surface.friction[0],
        "restitution": impact.surface.restitution,
        "stiffness_npm": impact.surface.stiffness,
        "sets": {each.name: _set(each) for each in polytopes},
        **({} if member is None else {"membership": member}),
    }
    return json_text(document)


def _set(polytope: Polytope) -> dict[str, Any]:
    """Return a set: its unit, axes, half-spaces and vertices."""
    return {
        "unit": polytope.unit,
        "axes": polytope.axes,
        "frame": polytope.frame,
        "half_space_normals": polytope.A,
        "half_space_offsets": polytope.b,
        "vertices": polytope.vertices,
    }


def _as_text(impact: GivenImpact, polytopes: Sequence[Polytope], member: Any) -> str:
    """Return the extent of each set along its axes."""
    lines = [
        f"{impact.robot.name}: effects of all possible impulses, lowest and highest",
        coefficients(impact.surface),
    ]
    for each in polytopes:
        lines.append(f"{each.name} [{each.unit}], {len(each.vertices)} vertices, {each.frame} axes")
        ends = zip(each.vertices.min(axis=0), each.vertices.max(axis=0), strict=True)
        ranges = ((f"{low:.4f}", f"{high:.4f}") for low, high in ends)
        rows = [(axis, *cells) for axis, cells in zip(each.axes, ranges, strict=True)]
        lines += [f"  {line}" for line in aligned(rows)]
    if member is not None:
        lines.append(_verdict(member, polytopes[0]))
    return "\n".join(lines)


def _verdict(member: dict[str, Any], polytope: Polytope) -> str:
    """Return the text about the tested point."""
    if member["inside"]:
        return f"inside, {member['margin']:.4g} {polytope.unit} from the nearest face"
    if member["inside_hull_with_zero"]:
        return "outside, but no worse than announced: inside the hull of the set and zero"
    return f"outside by {-member['margin']:.4g} {polytope.unit}"


def _palm_case(case: Case) -> Case:
    """Return the bounds and the simulated impulses of two contacts through an object."""
    given, kind = case.get("given"), case.get("kind", KIND)
    if kind != KIND:
        raise UsageError(f"--case: kind: expected {KIND}, got {kind!r}")
    if not isinstance(given, dict):
        raise UsageError(f"--case: expected an entry given of figures, got {given!r}")
    m1, m2, box, *speeds, k = figures(
        given, "m1_kg", "m2_kg", "box_kg", "s1_mps", "s2_mps", "stiffness_N_per_m"
    )
    others = zip(needed(given, *_AS_GIVEN), _AS_GIVEN, strict=True)
    e, delay = (finite(value, name) for value, name in others)
    if not LEAST_RESTITUTION <= e <= 1.0:
        raise OutOfRangeError(_AS_GIVEN[0], f"a number from {LEAST_RESTITUTION:g} to 1", e)
    if abs(delay) > LONGEST:
        raise OutOfRangeError(_AS_GIVEN[1], f"{-LONGEST:g} to {LONGEST:g}", delay)
    G, masses = mobility((m1, m2), box), np.array([m1, m2])
    bounds = coupled_bounds(G, speeds, e)
    laws = [viscoelastic(k, e, speed) for speed in speeds]
    simulated = simulate_delayed(G, speeds, laws, (max(-delay, 0.0), max(delay, 0.0)))
    largest = largest_over_delays(G, speeds, laws)
    return {
        "inelastic_Ns": bounds.inelastic,
        "energy_bound_Ns": bounds.total,
        "compression_bound_Ns": bounds.compression,
        "beta_over_independent": independent_ratio(bounds.total, masses, speeds, e),
        "simulated_compression_Ns": simulated.compression,
        "simulated_total_Ns": simulated.total,
        "largest_total_over_delays_15ms_grid_Ns": largest.total,
        "largest_compression_over_delays_Ns": largest.compression,
    }
