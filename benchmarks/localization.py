# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Accuracy of the reported link, and of telling an announced hit from a collision.

Accuracy, not time: simulated hits of a noisy Panda on seven places, most of them twelve times. Run
it with ``./impact bench localization`` (two minutes).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from impact_detector.attribution.assessment import Assessment
from impact_detector.attribution.expectation import DIRECTION, PLACE, TIME

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))
from link_hit import ANNOUNCED, NOBODY, NOTHING, PLACES, TILTED, TOOL, LinkHit, link_hit

SEEDS = 12
Read = Callable[[LinkHit], Assessment | None]
Holds = Callable[[Assessment, LinkHit], bool]
WHEN: dict[str, Read] = {"at detection": lambda hit: hit.early, "20 ms later": lambda hit: hit.late}


def measure() -> dict[str, float]:
    """Return all figures: percentages of the hits that were detected, and angles."""
    others = [place for place in PLACES if place != TOOL]
    with ProcessPoolExecutor() as pool:
        announced = _hits(pool, list(PLACES), ANNOUNCED)
        nobody = _hits(pool, [TOOL], NOBODY)
        nothing = _hits(pool, [TOOL, *others[-1:]], NOTHING)
        tilted = _hits(pool, [TOOL], TILTED)
    tool = [hit for hit in announced if hit.place == TOOL]
    elsewhere = [hit for hit in announced if hit.place != TOOL]
    questions: list[tuple[str, list[LinkHit], Holds]] = [
        ("link right, elsewhere", elsewhere, _is_right),
        ("link right or nearer to the base", elsewhere, _is_within),
        ("contact right, tool", tool, lambda a, _: bool(a.location.contact)),
        ("contact wrong, elsewhere", elsewhere, lambda a, _: bool(a.location.contact)),
        ("expected, tool announced", tool, lambda a, _: a.expected is True),
        ("unexpected by place, elsewhere", elsewhere, lambda a, _: a.reason == PLACE),
        ("unexpected by direction, tilted", tilted, lambda a, _: a.reason == DIRECTION),
        ("unexpected by time, nothing announced", nothing, lambda a, _: a.reason == TIME),
        ("unknown, nobody announces", nobody, lambda a, _: a.expected is None),
    ]
    figures = {"hits elsewhere": float(len(elsewhere)), "hits at the tool": float(len(tool))}
    for when, read in WHEN.items():
        for name, hits, holds in questions:
            figures[f"{when}: {name} [%]"] = _share(hits, read, holds)
        angles = [each for hit in announced if (each := _angle(hit, read(hit))) is not None]
        figures[f"{when}: with a direction, of all [%]"] = 100.0 * len(angles) / len(announced)
        figures[f"{when}: direction off, median [deg]"] = float(np.median(angles))
        figures[f"{when}: direction off, 95 % [deg]"] = float(np.percentile(angles, 95))
    return figures


def _hits(pool: ProcessPoolExecutor, places: Sequence[str], case: str) -> list[LinkHit]:
    """Return the hits that were detected."""
    asked = [(place, seed) for place in places for seed in range(SEEDS)]
    hits = pool.map(link_hit, *zip(*asked, strict=True), [case] * len(asked))
    return [hit for hit in hits if hit.detections]


def _share(hits: Sequence[LinkHit], read: Read, holds: Holds) -> float:
    """Return of how many it holds [%]."""
    return 100.0 * float(np.mean([_holds(hit, read, holds) for hit in hits]))


def _holds(hit: LinkHit, read: Read, holds: Holds) -> bool:
    assessment = read(hit)
    return assessment is not None and holds(assessment, hit)


def _is_right(assessment: Assessment, hit: LinkHit) -> bool:
    return assessment.location.link == hit.link


def _is_within(assessment: Assessment, hit: LinkHit) -> bool:
    """Return whether the link is the hit one or nearer to the base; both end in a digit."""
    link = assessment.location.link
    return link[:-1] == hit.link[:-1] and link[-1] <= hit.link[-1]


def _angle(hit: LinkHit, assessment: Assessment | None) -> float | None:
    """Return how far the direction is off [deg]."""
    if assessment is None or assessment.location.direction is None:
        return None
    cosine = assessment.location.direction @ hit.impulse / np.linalg.norm(hit.impulse)
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
