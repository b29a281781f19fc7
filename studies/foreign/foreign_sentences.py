# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which sentences of a report are false, where the truth is known.

Every sentence must be known here: one that no rule judges counts as false, but for the kinds of
``LEFT_OUT``, which cannot be false and are not counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from impact_analysis.analyze.page.narrative import sentences_of
from impact_analysis.analyze.reading.coasting import GRAVITY_SHARE
from impact_analysis.analyze.result import Analysis
from impact_analysis.present.sentence import Sentence
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.sets.feasible_sets import impulse_set
from impact_robots import ArmDynamics, Robot, contact_rotation
from studies.foreign import ForeignSetup, SimulatedHit, Truth

MODEL = "M+B_theta"  # what this arm hits with
DELAY_ERROR = 1e-3  # of a stated delay, from which it is wrong [s]
TIME_ERROR = 0.01  # of a stated time of a contact's begin or end [s]
SPEED_ERROR = 0.02  # of a stated approach speed [m/s]
FRICTION_ERROR = 0.02  # of a stated least friction [-]
RATE_ERROR = 0.05  # of a stated rate, relative
FEW_FORCES = 10.0  # samples in a contact, above which nobody may call them few
CLEAR_SLIP = 0.1  # that is left, from which a hit clearly slides all through [m/s]
LONG_CONTACT = 0.02  # whose end comes after the vibration of its begin [s]
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


class JudgedSentences(NamedTuple):
    """On the sentences of one report."""

    judged: int  # that can be false
    false: list[str]  # of these, each with its recording
    left_out: dict[str, int]  # that cannot be false, by key


def judged_sentences(case: Case) -> JudgedSentences:
    """Return which sentences of the report are not true, of those that can be."""
    sentences = sentences_of(case.analysis)
    judged = [one for one in sentences if one.key not in LEFT_OUT]
    false = [f"{one.recording} {one.text}".strip() for one in judged if not _is_true(one, case)]
    left_out = Counter(one.key for one in sentences if one.key in LEFT_OUT)
    return JudgedSentences(len(judged), false, dict(left_out))


def _is_true(sentence: Sentence, case: Case) -> bool:
    rule = RULES.get(sentence.key)
    return rule is not None and rule(sentence, case)


def _numbers(text: str) -> list[float]:
    return [float(each) for each in _NUMBER.findall(text)]


def _found(sentence: Sentence, case: Case) -> bool:
    """So many impacts: not more than contacts; not fewer than hits but those reported missed."""
    count, missed = _numbers(sentence.text)[0], _missed_recordings(case)
    most = sum(len(truth.contacts) for truth in case.truths)
    right_count = len(case.hits) - len(missed) <= count <= most
    said = re.search(r"at ([\d.]+) to ([\d.]+) m/s", sentence.text)
    if said is None:  # of none the speed is known
        return right_count
    speeds = np.array([truth.approach_speed for truth in case.truths])
    fast = np.abs(float(said[2]) - speeds).min() < SPEED_ERROR
    slow = float(said[1]) > min(speeds) - SPEED_ERROR or count > len(speeds)  # a bounce is slow
    return bool(right_count and fast and slow)


def _none_found(_: Sentence, case: Case) -> bool:
    """Each recording has a hit: that none was found is true where each is reported missed."""
    return set(case.hits) <= _missed_recordings(case)


def _missed_recordings(case: Case) -> set[str]:
    return {one.recording for one in sentences_of(case.analysis) if one.key.startswith("missed")}


def _best(sentence: Sentence, _: Case) -> bool:
    """The arm hits with its links and its motors' apparent inertia, and rubs on the wall."""
    inertia, law = sentence.text.split()[:2]
    return inertia == f"{MODEL}," and law != "frictionless"


def _best_of_two(sentence: Sentence, _: Case) -> bool:
    """It is one of the two that are not distinguished."""
    return f"{MODEL}, " in sentence.text


def _friction_open(sentence: Sentence, case: Case) -> bool:
    """Friction is not less than what is said, and not every hit slides on and on."""
    least = _numbers(sentence.text)[0]
    friction = case.setup.motions[0].wall.friction
    left = [_slip_left(each, case.setup.robot) for each in case.truths if not _is_mixed(each)]
    clear = bool(left) and min(left) > CLEAR_SLIP
    return not clear and least < friction + FRICTION_ERROR


def _slip_left(truth: Truth, robot: Robot) -> float:
    """Return the slip at the release in the direction of that at the touch, NaN: unknown [m/s]."""
    state = ArmDynamics(robot)(truth.q, truth.dq_before)
    J = contact_rotation(truth.normal)[:, :2].T @ state.J[:3]
    before, after = J @ truth.dq_before, J @ truth.dq_after
    return float(after @ before / np.linalg.norm(before))


def _withheld(sentence: Sentence, case: Case) -> bool:
    """So many hits touch again or for long, and something drives so many."""
    mixed = sum(map(_is_mixed, case.truths))
    driven = len(case.hits) if _driven(sentence, case) else 0
    most = {"mixed": mixed, "driven": driven}
    said = re.findall(r"(\d+) (?:that may be )?(mixed|driven)", sentence.text)
    return all(int(count) <= most[why] for count, why in said)


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
    since, late = [], case.setup.disturbance.late  # force and torque alike
    for measured in (impact.measured for impact in case.analysis.impacts):
        if measured.touch_by_force:
            contacts = np.array(case.hits[measured.recording].truth.contacts)
            waited = measured.detection_time - late - contacts
            since.append(float(waited[waited > -DELAY_ERROR].min(initial=np.inf)))
    stated = 1e-3 * np.array(_numbers(sentence.text))
    return bool(np.all(np.abs(stated - [np.median(since), max(since)]) < DELAY_ERROR))


def _no_force_sensor(_: Sentence, case: Case) -> bool:
    return case.setup.force_rate == 0


def _several_surfaces(_: Sentence, case: Case) -> bool:
    normals = np.array([motion.normal for motion in case.setup.motions])
    return bool((normals @ normals.T).min() < np.cos(np.radians(2.0)))


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


def _is_mixed(truth: Truth) -> bool:
    """Tell whether it touches again, or for so long that its end may look like another contact."""
    return len(truth.contacts) > 1 or not truth.release - truth.touch < LONG_CONTACT


def _is_short(truth: Truth) -> bool:
    return truth.release - truth.touch < SHORT_CONTACT


def _in_contact(sentence: Sentence, case: Case) -> bool:
    return not _is_short(case.hits[sentence.recording].truth)


def _endless(sentence: Sentence, case: Case) -> bool:
    """The contact is long, or others follow."""
    truth = case.hits[sentence.recording].truth
    return not _is_short(truth) or len(truth.contacts) > 1


def _joints(_: Sentence, case: Case) -> bool:
    """Joints of this arm do not give way: they have motors, but neither stiffness nor damping."""
    found = case.analysis.joints
    return found is not None and not found.known[:2].any()


def _slow(sentence: Sentence, case: Case) -> bool:
    """Joint states come at that rate, if one is stated, and not at the usual one."""
    every = case.setup.disturbance.recorded_every
    stated = re.search(r"(?:got|at) ([\d.]+) Hz", sentence.text)
    right = stated is None or abs(float(stated[1]) * every - 1.0) < RATE_ERROR
    return every > 0.0 and right


def _driven(_: Sentence, case: Case) -> bool:
    """Gravity compensation alone acts after the touch; a payload or another gain makes it wrong."""
    off = case.setup.disturbance
    return bool(off.payload > 0.0 or np.abs(off.torque_gain - 1.0).max() > GRAVITY_SHARE)


def _payload(sentence: Sentence, case: Case) -> bool:
    """It carries one that nobody declared, and it is within what is said."""
    numbers = _numbers(sentence.text)
    truth = case.setup.disturbance.payload
    return truth > 0.0 and numbers[1] <= truth <= numbers[2]


def _vague_payload(sentence: Sentence, case: Case) -> bool:
    """The hits are of one motion, and what is said holds the truth."""
    low, high, *_ = _numbers(sentence.text)
    return len(case.hits) < 2 and low <= case.setup.disturbance.payload <= high


def _pushed(_: Sentence, case: Case) -> bool:
    """Motors let go later than 2 ms after the touch, or a payload that they do not hold pulls."""
    off = case.setup.disturbance
    return off.payload > 0.0 or off.late > 0.0 or off.lag > 0.0


def _cut_off(sentence: Sentence, case: Case) -> bool:
    """The recording ends that long after a detection."""
    last = float(case.hits[sentence.recording].t[-1])
    left = last - 1e-3 * _numbers(sentence.text)[0]
    times = [impact.measured.detection_time for impact in case.analysis.impacts]
    return _near(tuple(times), left)


def _another_mass(_: Sentence, case: Case) -> bool:
    """Something hangs on the arm, or its torque loop makes other inertias of its motors."""
    off = case.setup.disturbance
    return off.payload > 0.0 or off.motors != 1.0


def _poor_fit(sentence: Sentence, case: Case) -> bool:
    """Joints that do not vibrate give a poor fit where something drives them in the window."""
    truth = case.hits[sentence.recording].truth
    return _driven(sentence, case) or len(truth.contacts) > 1 or _in_contact(sentence, case)


def _undersampled(sentence: Sentence, case: Case) -> bool:
    truth = case.hits[sentence.recording].truth
    return bool((truth.release - truth.touch) * case.setup.force_rate < FEW_FORCES)


LEFT_OUT = {
    "friction": "an interval, counted as coverage",
    "friction_contact": "an interval, counted as coverage",
    "friction_at_bound": "nothing is stated",
    "restitution": "an interval, counted as coverage",
    "restitution_contact": "an interval, counted as coverage",
    "surface": "intervals, counted as coverage",
    "set_holds": "a count of what the report lists",
    "torque_changes": "a count of what the report lists",
    "torque_changes_beyond": "a count; what rigid joints do not do need not be explained",
    "joints_unexplained": "this arm's joints do not give way: the model need not explain them",
}
RULES: dict[str, Callable[[Sentence, Case], bool]] = {
    "no_impact": _none_found,
    "impacts": _found,
    "impacts_partly_compared": _found,
    "best_model_clear": _best,
    "best_model_unclear": _best_of_two,
    "friction_open": _friction_open,
    "set_identified": _set_identified,
    "joints": _joints,
    "delays": _delays,
    "no_force_sensor": _no_force_sensor,
    "several_surfaces": _several_surfaces,
    "few_repetitions": _few_repetitions,
    "second_contact": _another_contact,
    "statistic_again": _statistic_again,
    "in_contact": _in_contact,
    "endless_contact": _endless,
    "mass_differs": _another_mass,
    "restitution_withheld": _withheld,
    "pushed": _pushed,
    "cut_off": _cut_off,
    "payload": _payload,
    "payload_one_posture": _vague_payload,
    "slow": _slow,
    "slow_for_detector": _slow,
    "driven": _driven,
    "poor_fit": _poor_fit,
    "undersampled": _undersampled,
    "missed_force": _missed,
    "missed_jump": _missed,
    "missed_push": _missed,
    "missed_statistic": _missed,
}
