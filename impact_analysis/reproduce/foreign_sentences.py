# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which sentences of a report are false, where the truth is known.

Every sentence must be known here: one that no rule judges counts as false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from impact_analysis.analyze.analysis import Analysis
from impact_foreign import Hit, Setup
from impact_predictor import crb, impulse_set
from impact_robots import ArmDynamics, Robot, contact_rotation

DELAY_ERROR = 1e-3  # of a stated delay, from which it is wrong [s]
CONTACT_ERROR = 0.01  # of a stated time of another contact [s]
SPEED_ERROR = 0.02  # of a stated approach speed [m/s]


class Case(NamedTuple):
    """An analysis and what was true."""

    robot: Robot  # as the analysis knows it
    setup: Setup
    hits: Mapping[str, Hit]  # by recording
    analysis: Analysis


def false_sentences(case: Case) -> list[str]:
    """Return the sentences of answer and warnings that are not true."""
    said = [*case.analysis.answer, *case.analysis.warnings]
    return [sentence for sentence in said if not _is_true(sentence, case)]


def _is_true(sentence: str, case: Case) -> bool:
    for pattern, rule in RULES:
        if (match := re.search(pattern, sentence)) is not None:
            return rule(match, case)
    return False


def _found(match: re.Match[str], case: Case) -> bool:
    """So many impacts at such speeds: no contact is missed, none is invented."""
    truths = [hit.truth for hit in case.hits.values()]
    real = len(truths) <= int(match[1]) <= sum(len(truth.contacts) for truth in truths)
    speeds = [truth.approach_speed for truth in truths]
    slowest, fastest = float(match[2]), float(match[3])
    return (
        real
        and abs(fastest - max(speeds)) < SPEED_ERROR
        and (slowest > min(speeds) - SPEED_ERROR or int(match[1]) > len(truths))
    )


def _best(match: re.Match[str], case: Case) -> bool:
    """The arm hits with its links and its motors' apparent inertia, rubbing."""
    return match[1] == "M+B_theta" and match[2] != "frictionless"


def _not_identified(_: re.Match[str], case: Case) -> bool:
    """Where everything slides friction can be told."""
    return not all(hit.truth.slides for hit in case.hits.values())


def _membership(match: re.Match[str], case: Case) -> bool:
    """So many impulses lie in the set: at least those that do by the true impulse and wall."""
    inside = 0
    for hit in case.hits.values():
        truth, rotation = hit.truth, contact_rotation(hit.truth.normal)
        state = ArmDynamics(case.robot)(truth.q, truth.dq_before)
        expected = impulse_set(
            crb(state, rotation),
            truth.friction,
            (0.0, truth.restitution),
            float(rotation[:, 2] @ state.velocity),
            8,
            True,
        )
        inside += expected.contains_in_hull_with_zero(rotation.T @ truth.impulse)
    return int(match[1]) >= inside - (len(case.hits) - int(match[2]))


def _delays(match: re.Match[str], case: Case) -> bool:
    known = []
    for impact in case.analysis.impacts:
        measured = impact.measured
        if measured.touch_by_force:
            contacts = np.array(case.hits[measured.recording].truth.contacts)
            since = measured.detection_time - contacts
            known.append(float(since[since > 0.0].min(initial=np.inf)))
    stated = 1e-3 * np.array([float(match[1]), float(match[2])])
    true = np.array([np.median(known), max(known)])
    return bool(np.all(np.abs(stated - true) < DELAY_ERROR))


def _no_force(_: re.Match[str], case: Case) -> bool:
    return case.setup.force_rate == 0


def _few(match: re.Match[str], case: Case) -> bool:
    groups = [impact.measured.group for impact in case.analysis.impacts if impact.predicted]
    return sum(groups.count(name) < 3 for name in set(groups)) == int(match[1])


def _again(match: re.Match[str], case: Case) -> bool:
    """Another contact so long after the touch."""
    truth = case.hits[match[1]].truth
    since = np.array(truth.contacts[1:]) - truth.touch
    return bool((np.abs(since - 1e-3 * float(match[2])) < CONTACT_ERROR).any())


def _nothing(match: re.Match[str], case: Case) -> bool:
    """No contact begins when the detector held back."""
    contacts = np.array(case.hits[match[1]].truth.contacts[1:])
    return not bool((np.abs(contacts - float(match[2])) < CONTACT_ERROR).any())


def _stays(match: re.Match[str], case: Case) -> bool:
    truth = case.hits[match[1]].truth
    return not truth.release - truth.touch < 0.05


def _statistical(_: re.Match[str], __: Case) -> bool:
    """An estimate with its interval: how often that holds is counted as coverage."""
    return True


RULES: tuple[tuple[str, Callable[[re.Match[str], Case], bool]], ...] = (
    (r"^(\d+) impacts in \d+ recordings, at ([\d.]+) to ([\d.]+) m/s", _found),
    (r"^(\S+), (\w+) explains the joint velocities after the impacts best", _best),
    (r"^Friction: not identified", _not_identified),
    (r"^Friction [\d.]+ \[", _statistical),
    (r"^Restitution [\d.]+ \[", _statistical),
    (r"^(\d+) of (\d+) measured impulses are no worse", _membership),
    (r"^Detected ([\d.]+) ms after the touch .* at most ([\d.]+) ms", _delays),
    (r"^no force sensor saw the impacts", _no_force),
    (r"^fewer than 3 repetitions in (\d+) group", _few),
    (r"^([^,:]+), [\d.]+ s: the statistic rises to [\d.]+ again ([\d.]+) ms after", _again),
    (r"^([^,:]+), [\d.]+ s: another contact ([\d.]+) ms after the touch", _again),
    (r"^([^,:]+), [\d.]+ s: the arm stayed in contact", _stays),
    (r"^([^,:]+): no impact: ([\d.]+) s", _nothing),
)
