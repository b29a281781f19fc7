# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of studies into pages, from the documents that are kept in doc/results.

Without a name it writes those of all studies. `learn` is an example, `references` is the document
of `./impact reproduce engines --setups 1 --trials 2 --json`; that of `load` is kept by
make_joint_load_figures.py.

Example:
    ./impact reproduce learn --json > doc/results/learn.json
    ./impact shell -- python doc/make_study_tables.py learn
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from impact_robots import load_robot
from studies.humanoid_grabs.grab_report import LIFTED

HERE = Path(__file__).parent
END = "<!-- end of tables -->"
ENGINE_LAWS = {  # of an engine's figures: title, format
    "median_difference": ("velocities, median", ".3%"),
    "largest_difference": ("largest", ".1%"),
    "momentum_error": ("momentum error", ".0e"),
    "energy_gained": ("gain energy", ""),
    "cone_violations": ("outside the cone", ""),
    "largest_outside_cone": ("by, at most", ".0%"),
    "separating_with_impulse": ("lift off with an impulse", ""),
    "fastest_separating": ("at, at most", ".0%"),
    "penetrating": ("penetrate", ""),
    "fastest_penetrating": ("at, at most", ".2%"),
}
ENGINE_REASONS = {
    "largest_coulomb_residual": ("off Coulomb's law", ".1e"),
    "largest_own_law_residual": ("off its own law", ".1e"),
    "laws_agree": ("impacts where both laws have the map's answer", ""),
    "largest_difference_where_laws_agree": ("velocities there, largest", ".2%"),
    "median_difference_where_laws_differ": ("elsewhere, median", ".1%"),
    "median_impulse_difference": ("impulses, median", ".0%"),
}
REFERENCE_COLUMNS = {  # of a scenario's figures: title, what a figure is multiplied by, digits
    "along": ("along the approach [m/s]", 1.0, 3),
    "up": ("up [m/s]", 1.0, 3),
    "peak": ("peak [m/s^2]", 1.0, 2),
    "net": ("integral [m/s]", 1.0, 2),
    "slip": ("slip [mm]", 1e3, 1),
    "succeeded": ("succeeded", 1.0, 0),
}
FIELD_WAYS = {
    "near": "nearer",
    "far": "farther",
    "left": "to the left arm",
    "right": "to the right arm",
}
GRAB_COLUMNS = (
    "what",
    "falls",
    "the grab",
    "palm speed [m/s]",
    "wrist torque / limit",
    "lift [m]",
    "margin up to the lift, from the turn on [m]",
)
SHARE_TITLES = {"percentile_5": "5 %", "percentile_95": "95 %"}


def main(names: Sequence[str]) -> None:
    """Write the tables of the studies of these names, or of all."""
    if unknown := [name for name in names if name not in TABLES]:
        sys.exit(f"unknown study {unknown[0]!r}; there are {', '.join(TABLES)}")
    for name in names or TABLES:
        file = HERE / f"{TABLES[name][0]}.md"
        file.write_text(written(name, file.read_text()))


def written(name: str, text: str) -> str:
    """Return a page's text with the tables of a study, from the document that is kept of it."""
    _, parts = TABLES[name]
    document = json.loads((HERE / "results" / f"{name}.json").read_text())
    start = f"<!-- tables of {name}: written by make_study_tables.py -->\n"
    return between(text, start, parts(document))


def between(text: str, start: str, parts: Sequence[str]) -> str:
    """Return a page's text with new tables after the line ``start``, up to their end."""
    head, rest = text.split(start)
    return head + start + "\n" + "\n\n".join(parts) + "\n\n" + END + rest.split(END, 1)[1]


def promises(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return what a study promises and what it found."""
    keys = ("id", "claim", "published", "ours", "verdict")
    return _table(
        ["", "promise", "goal", "found", "result"], ([row[k] for k in keys] for row in rows)
    )


def shares(found: Sequence[Mapping[str, Any]]) -> str:
    """Return one line a group: what is used of a limit or a promise."""
    titles = [SHARE_TITLES.get(key, key.replace("_", " ")) for key in found[0]]
    return _table(titles, (map(_share, each.values()) for each in found))


def learned(found: Sequence[Mapping[str, Any]]) -> str:
    """Return one line a case: speeds by hit, loads, hits above a limit, contradictions, ranges."""
    hits = [hit["hit"] for hit in found[0]["speed_share"]]
    header = ["case", "truths", f"speed at hit {', '.join(map(str, hits))}: median/5 %"]
    header += ["highest load", "above a limit", "contradictions", "inside"]
    lines = []
    for each in found:
        speeds = [f"{hit['median']:.2f}/{hit['percentile_5']:.2f}" for hit in each["speed_share"]]
        load, over = f"{each['highest_load']:.2f}", str(each["over_limit"])
        if each["highest_load_at_exchange"] is not None:
            load += f"; first on another wall {each['highest_load_at_exchange']:.1f}"
            over += f"; {each['over_limit_at_exchange']} first ones"
        line = [each["case"], str(each["truths"]), ", ".join(speeds), load]
        line += [f"{over} of {each['hits']}", str(each["contradictions"])]
        lines.append([*line, f"{each['wall_in_interval']:.0%}, {each['joints_in_interval']:.0%}"])
    return _table(header, lines)


def joint_loads(impacts: Iterable[Mapping[str, Any]]) -> str:
    """Return one line an impact of a named scenario: largest load over its limit."""
    limits = load_robot("panda").limits.impulsive_torque
    lines = []
    for each in impacts:
        cells = [f"{each[key]:.2f}" for key in ("load_over_limit", "model_load_over_limit")]
        cells[0] += f" (joint {each['joint']})"
        joint = int((np.array(each["formula_load_nm"]) / limits).argmax()) + 1
        said = f"{each['formula_load_over_limit']:.2f} (joint {joint})"
        place = f"`{each['scenario']}`, {each['speed_mps']:.3f} m/s"
        wall = f"{each['contact_stiffness_npm']:.1e}, {each['restitution']:g}"
        lines.append([place, wall, *cells, said])
    header = ["scenario, published bound", "k [N/m], e", "measured", "model", "formula"]
    return _table(header, lines)


def engines(found: Iterable[Mapping[str, Any]], columns: Mapping[str, tuple[str, str]]) -> str:
    """Return one line an engine."""
    lines = (
        [each["engine"], *(format(each[key], form) for key, (_, form) in columns.items())]
        for each in found
    )
    return _table(["", *(title for title, _ in columns.values())], lines)


def references(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return one line a scenario, with the figures of each map."""
    lines = []
    for name in dict.fromkeys(each["scenario"] for each in entries):
        own = [each for each in entries if each["scenario"] == name]
        cells = [
            _of_maps([each[key] for each in own], factor, digits)
            for key, (_, factor, digits) in REFERENCE_COLUMNS.items()
        ]
        lines.append([f"`{name}`", *cells])
    return _table(["", *(title for title, *_ in REFERENCE_COLUMNS.values())], lines)


def fields(document: Mapping[str, Any]) -> str:
    """Return one line a place of the box, with the figures of each kind of reference."""
    figures = {"peak over that of `rs`": (document["peak_over_rs"], ".2f")}
    for mode, success in document["success"].items():
        figures[f"`{mode}`: succeeded"] = success, ".0%"
    lines = []
    for kind, sides in document["peak_over_rs"].items():
        for side, distances in sides.items():
            for distance in distances:
                cells = [format(of[kind][side][distance], form) for of, form in figures.values()]
                aside = f"{1e3 * float(distance):.0f} mm {FIELD_WAYS[side]}"
                lines.append([kind, aside, *cells])
    return _table(["", "box aside", *figures], lines)


def grabs(troubles: Iterable[Mapping[str, Any]]) -> str:
    """Return one line a grab of HRP-4."""
    return _table(GRAB_COLUMNS, map(_grab, troubles))


def _grab(trouble: Mapping[str, Any]) -> list[str]:
    lifted = "done" if trouble["lift_m"] >= LIFTED else f"lifted less than {LIFTED:g} m"
    forms = {"palm_speed_most_mps": ".3f", "wrist_torque_over_limit": ".2f", "lift_m": ".3f"}
    numbers = [
        "" if trouble[key] is None else f"{trouble[key]:{form}}" for key, form in forms.items()
    ]
    margins = [trouble["zmp_margin_m"], trouble["zmp_margin_toss_m"]]
    shown = ", ".join("-" if each is None else f"{abs(each):.3f}" for each in margins)
    falls = "**yes**" if trouble["fell"] else "no"
    return [trouble["trouble"], falls, trouble["gave_up"] or lifted, *numbers, shown]


def _table(header: Sequence[str], lines: Iterable[Iterable[str]]) -> str:
    """Return a table of Markdown."""
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, ["---"] * len(header), *lines])


def _share(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _of_maps(values: Iterable[float | None], factor: float, digits: int) -> str:
    """Return the figures of each map, or nothing if there are none."""
    known = [value for value in values if value is not None]
    rounded = [round(factor * value, digits) + 0.0 for value in known]  # none is -0
    return " / ".join(f"{value:.{digits}f}" for value in rounded)


def _of_engines(document: Mapping[str, Any]) -> list[str]:
    found = _studies(document)["laws"]
    return [engines(found, ENGINE_LAWS), engines(found, ENGINE_REASONS)]


def _of_joint_loads(document: Mapping[str, Any]) -> list[str]:
    return [_promises(document), joint_loads(_studies(document)["load_scenarios"])]


def _of_learning(document: Mapping[str, Any]) -> list[str]:
    return [_promises(document), learned(_studies(document)["learn_cases"])]


def _promises_and_shares(document: Mapping[str, Any]) -> list[str]:
    return [_promises(document), *map(shares, _studies(document).values())]


def _promises(document: Mapping[str, Any]) -> str:
    (table,) = document["tables"]
    return promises(table["rows"])


def _studies(document: Mapping[str, Any]) -> Any:
    (table,) = document["tables"]
    return table["studies"]


TABLES: dict[str, tuple[str, Callable[[Mapping[str, Any]], list[str]]]] = {  # page, its tables
    "engines": ("reproduce", _of_engines),
    "fields": ("reference_spreading", lambda document: [fields(document)]),
    "references": ("reference_spreading", lambda document: [references(document["references"])]),
    "hrp4": ("grabs", lambda document: [grabs(_studies(document)["troubles"])]),
    "load": ("joint_load", _of_joint_loads),
    "learn": ("learning", _of_learning),
    "people": ("people", _promises_and_shares),
    "hammer": ("hitting_hardest", _promises_and_shares),
}


if __name__ == "__main__":
    main(sys.argv[1:])
