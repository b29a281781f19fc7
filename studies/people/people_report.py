# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite's claims about contacts with people and touches, compared with the study's results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from impact_analysis.present.table import Column, Table
from impact_predictor.people.aim import POINTS
from impact_qp.touch.touch_goal import EFFORTS
from studies.people import person_contacts, touches
from studies.people.people_study import PERSON, TOUCH, PeopleFound
from studies.people.person_contacts import PersonResult
from studies.people.person_draw import KINDS
from studies.people.touch_draw import INTERFACES
from studies.people.touches import DrawnTouch
from studies.row import OURS, ClaimTable, Row, promised

MEDIAN_SHARE = 0.6  # least median of what is used of a person's limit [-]
MEDIAN_TOUCH = 0.5  # the same of the promise of a touch [-]
PERCENTILES = {  # key: title, percentile
    "percentile_5": ("5 %", 5),
    "median": ("median", 50),
    "percentile_95": ("95 %", 95),
    "highest": ("highest", 100),
}


def table(found: PeopleFound) -> ClaimTable:
    """Return the claims with their results and reasons."""
    persons, touched = person_contacts.summary(found.persons), touches.summary(found.touches)
    rows = (
        _safe(found.persons, persons),
        _tight(found.persons, persons),
        _kept(touched),
        _found(touched),
        _used(touched),
    )
    return ClaimTable(
        "people",
        "Contacts with people at the planned speed, and touches",
        rows,
        (_contacts(found.persons), _touches(found.touches)),
        {PERSON: persons, TOUCH: touched},
    )


def _safe(found: Sequence[PersonResult], figures: Mapping[str, float]) -> Row:
    over, highest = figures["over_limit"], figures["highest_share"]
    servos = sum(each.loop == KINDS[-1] for each in found)
    return promised(
        "P1",
        OURS,
        "at the speed of `plan --person` no contact exceeds a permissible force",
        "0",
        f"{over} of {len(found)}, largest force {highest:.3f} of its limit",
        f"{over}",
        over == 0,
        f"flexible-joint plant with full dynamics; {servos} servos, others back-drivable, every"
        f" second contact at the elbow; poses, directions, regions, paddings, loops and reactions"
        f" drawn. For {figures['without_a_speed']} more no speed was allowed",
        figures={"contacts": len(found), "over_limit": over, "highest_share": highest},
    )


def _tight(found: Sequence[PersonResult], figures: Mapping[str, float]) -> Row:
    median = figures["median_share"]
    joints = sum(each.planned_by == person_contacts.JOINT_SPEED for each in found)
    return promised(
        "P2",
        OURS,
        "the speed of `plan --person` is not too careful: what is used of the limit",
        f"median > {MEDIAN_SHARE:g}",
        f"median {median:.3f}",
        f"{median - MEDIAN_SHARE:+.3f}",
        median > MEDIAN_SHARE,
        f"peak or held force, whichever is nearer to its limit; {joints} of {len(found)} plans are"
        " at a joint's velocity limit, below what the person would allow",
        figures={"median_share": median, "limited_by_joint_speed": joints},
    )


def _kept(figures: Mapping[str, float]) -> Row:
    over, highest = figures["over_limit"], figures["highest_share"]
    return promised(
        "P3",
        OURS,
        "a touch at the speed of its promise stays below the promised force",
        "0",
        f"{over} of {figures['n']}, highest peak {highest:.3f} of the promise",
        f"{over}",
        over == 0,
        "closed loop with driver, detection and what follows contact; a surface as hard as"
        " announced; interfaces, rates, efforts, poses, directions, stiffness, friction of"
        " surface and joints, noise and gains drawn."
        f" {figures['refused']} more goals were refused",
        figures={"touches": figures["n"], "over_limit": over, "highest_share": highest},
    )


def _found(figures: Mapping[str, float]) -> Row:
    undetected, failed = figures["undetected"], figures["failed"]
    early = figures["not_reached"]
    return promised(
        "P4",
        OURS,
        "a touch that reaches its surface ends by contact",
        "0",
        f"{undetected} of {figures['n'] - early}",
        f"{undetected}",
        undetected == 0,
        f"{early} ended before the surface by a false alarm, {failed} by a fault or by time",
        figures={"undetected": undetected, "not_reached": early, "failed": failed},
    )


def _used(figures: Mapping[str, float]) -> Row:
    median = figures["median_share"]
    return promised(
        "P5",
        OURS,
        "the promise of a touch is not too careful: what is used of it",
        f"median > {MEDIAN_TOUCH:g}",
        f"median {median:.3f}",
        f"{median - MEDIAN_TOUCH:+.3f}",
        median > MEDIAN_TOUCH,
        "the plant's peak force over the promise",
        figures={"median_share": median},
    )


def _contacts(found: Sequence[PersonResult]) -> Table:
    groups = [
        {"loop": kind, "point": point}
        | _shares([each for each in found if (each.loop, each.point) == (kind, point)])
        for kind in KINDS
        for point in POINTS
    ]
    title = "Contacts with people at the planned speed: largest force over its limit"
    return _grouped("people_contacts", title, ("loop", "point"), groups)


def _touches(found: Sequence[DrawnTouch]) -> Table:
    groups = [
        {"interface": interface, "efforts": effort}
        | _shares([each for each in found if (each.interface, each.effort) == (interface, effort)])
        for interface in INTERFACES
        for effort in EFFORTS
    ]
    title = "Touches at the speed of their promise: peak force over the promise"
    return _grouped("people_touches", title, ("interface", "efforts"), groups)


def _shares(found: Sequence[PersonResult] | Sequence[DrawnTouch]) -> dict[str, Any]:
    """Return how many, percentiles of what they use, and how many use too much."""
    shares = [each.share for each in found if not np.isnan(each.share)]
    if not shares:
        return {}
    values = np.percentile(shares, [each for _, each in PERCENTILES.values()])
    return {
        "contacts": len(found),
        **dict(zip(PERCENTILES, values.tolist(), strict=True)),
        "over": sum(each.over for each in found),
    }


def _grouped(
    name: str, title: str, by: tuple[str, str], groups: Sequence[Mapping[str, Any]]
) -> Table:
    columns = [
        *(Column(each, each) for each in by),
        Column("contacts", "contacts"),
        *(Column(key, title, ".3f") for key, (title, _) in PERCENTILES.items()),
        Column("over", "over"),
    ]
    return Table(name, title, columns, [each for each in groups if "contacts" in each])
