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

from impact_analysis.analyze.page.narrative import sentences_of
from impact_analysis.analyze.result import Analysis
from impact_analysis.present.sentences import Sentence
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.sets.feasible_sets import impulse_set
from impact_robots import ArmDynamics, Robot, contact_rotation
from studies.foreign import ForeignSetup, SimulatedHit, Truth

MODEL = "M+B_theta"  # what this arm hits with
DELAY_ERROR = 1e-3  # of a stated delay, from which it is wrong [s]
TIME_ERROR = 0.01  # of a stated time of a contact's begin or end [s]
SPEED_ERROR = 0.02  # of a stated approach speed [m/s]
SHORT_CONTACT = 0.05  # half of the window after an impact [s]
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Case(NamedTuple):
    """An analysis and what was true."""

    robot: Robot  # as the analysis knows it
    setup: ForeignSetup
    hits: Mapping[str, SimulatedHit]  # by recording
    analysis: Analysis

    @property
    def truths(self) -> list[Truth]:
        """Of all hits."""
        return [hit.truth for hit in self.hits.values()]


def false_sentences(case: Case) -> list[str]:
    """Return the sentences of the report that are not true, each with its recording."""
    sentences = sentences_of(case.analysis)
    return [f"{one.recording} {one.text}".strip() for one in sentences if not _is_true(one, case)]


def _is_true(sentence: Sentence, case: Case) -> bool:
    rule = RULES.get(sentence.key)
    return rule is not None and rule(sentence, case)


def _numbers(text: str) -> list[float]:
    return [float(each) for each in _NUMBER.findall(text)]


def _found(sentence: Sentence, case: Case) -> bool:
    """So many impacts: not more than contacts; not fewer than hits but those reported missed."""
    count, *_, slowest, fastest = _numbers(sentence.text.replace("m/s", ""))
    missed = {one.recording for one in sentences_of(case.analysis) if one.key.startswith("missed")}
    most = sum(len(truth.contacts) for truth in case.truths)
    speeds = [truth.approach_speed for truth in case.truths]
    fast = abs(fastest - max(speeds)) < SPEED_ERROR
    slow = slowest > min(speeds) - SPEED_ERROR or count > len(speeds)  # a bounce is slow
    return len(speeds) - len(missed) <= count <= most and fast and slow


def _best(sentence: Sentence, _: Case) -> bool:
    """The arm hits with its links and its motors' apparent inertia, and rubs on the wall."""
    inertia, law = sentence.text.split()[:2]
    return inertia == f"{MODEL}," and law != "frictionless"


def _friction_open(_: Sentence, case: Case) -> bool:
    """Where everything slides friction can be determined."""
    return not all(truth.slides for truth in case.truths)


def _set_identified(_: Sentence, case: Case) -> bool:
    """A coefficient is too low, or the composite rigid body has too little inertia."""
    found = case.analysis.coefficients[MODEL]
    return any(
        found.friction.high < truth.friction
        or found.restitution.high < truth.restitution
        or not _in_set(truth, case.robot)
        for truth in case.truths
    )


def _in_set(truth: Truth, robot: Robot) -> bool:
    """Tell whether a true impulse is no worse than the set of the true coefficients allows."""
    rotation = contact_rotation(truth.normal)
    state = ArmDynamics(robot)(truth.q, truth.dq_before)
    expected = impulse_set(
        crb(state, rotation),
        truth.friction,
        (0.0, truth.restitution),
        -truth.approach_speed,
        8,
        True,
    )
    return bool(expected.contains_in_hull_with_zero(rotation.T @ truth.impulse))


def _delays(sentence: Sentence, case: Case) -> bool:
    since = []
    for measured in (impact.measured for impact in case.analysis.impacts):
        if measured.touch_by_force:
            waited = measured.detection_time - np.array(
                case.hits[measured.recording].truth.contacts
            )
            since.append(float(waited[waited > 0.0].min(initial=np.inf)))
    stated = 1e-3 * np.array(_numbers(sentence.text))
    return bool(np.all(np.abs(stated - [np.median(since), max(since)]) < DELAY_ERROR))


def _no_force_sensor(_: Sentence, case: Case) -> bool:
    return case.setup.force_rate == 0


def _few_repetitions(sentence: Sentence, case: Case) -> bool:
    groups = [impact.measured.group for impact in case.analysis.impacts if impact.predicted]
    few = sum(groups.count(name) < 3 for name in set(groups))
    return few == _numbers(sentence.text.split(" in ")[1])[0]


def _another_contact(sentence: Sentence, case: Case) -> bool:
    truth = case.hits[sentence.recording].truth
    return _near(truth.contacts[1:], truth.touch + 1e-3 * _numbers(sentence.text)[0])


def _statistic_again(sentence: Sentence, case: Case) -> bool:
    """Another contact, or the end of this one."""
    truth = case.hits[sentence.recording].truth
    time = truth.touch + 1e-3 * _numbers(sentence.text)[1]
    return _near((*truth.contacts[1:], truth.release), time)


def _missed(sentence: Sentence, case: Case) -> bool:
    """A contact began at that time, and no impact was reported within it."""
    match = re.search(r"at ([\d.]+) s", sentence.text)
    return match is not None and _near(
        case.hits[sentence.recording].truth.contacts, float(match[1])
    )


def _near(times: tuple[float, ...], time: float) -> bool:
    return bool((np.abs(np.array(times) - time) < TIME_ERROR).any())


def _in_contact(sentence: Sentence, case: Case) -> bool:
    truth = case.hits[sentence.recording].truth
    return not truth.release - truth.touch < SHORT_CONTACT


def _joints(_: Sentence, case: Case) -> bool:
    """Joints of this arm do not give way: they have motors, but neither stiffness nor damping."""
    found = case.analysis.joints
    return found is not None and not found.known[:2].any()


def _rigid_joints(_: Sentence, __: Case) -> bool:
    """The joints of this arm do not give way as the model supposes: it need not explain them."""
    return True


def _by_definition(_: Sentence, __: Case) -> bool:
    """An estimate with its interval, counted as coverage, or a count of what the report lists."""
    return True


RULES: dict[str, Callable[[Sentence, Case], bool]] = {
    "impacts": _found,
    "impacts_partly_compared": _found,
    "best_model_clear": _best,
    "best_model_unclear": _best,
    "friction": _by_definition,
    "friction_open": _friction_open,
    "restitution_contact": _by_definition,
    "set_holds": _by_definition,
    "set_identified": _set_identified,
    "torque_changes": _by_definition,
    "torque_changes_beyond": _rigid_joints,
    "joints": _joints,
    "joints_unexplained": _rigid_joints,
    "surface": _by_definition,
    "delays": _delays,
    "no_force_sensor": _no_force_sensor,
    "few_repetitions": _few_repetitions,
    "second_contact": _another_contact,
    "statistic_again": _statistic_again,
    "in_contact": _in_contact,
    "missed_force": _missed,
    "missed_jump": _missed,
    "missed_statistic": _missed,
}
