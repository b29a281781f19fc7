# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The answer in words: what happened, what explains it, what to change, what stays open."""

from __future__ import annotations

import numpy as np

from impact_analysis.analyze.comparing.identify import CONTACT, Identified
from impact_analysis.analyze.comparing.impacts import is_elsewhere
from impact_analysis.analyze.result import Analysis, Membership
from impact_analysis.present.sentence import Sentence
from impact_analysis.present.sentences import UNREADABLE, said

SURE_DELAY = 3  # force truths for a figure on delays
FIGURES = ("stiffness", "damping", "motor inertia")  # of a joint, in this order
CLEARLY_WORSE = 2.0  # error over that of the best model; joint friction favours a wrong one by less
CLEARLY_ANOTHER = 1.5  # half intervals by which a mass differs before a sentence says so
VAGUE_PAYLOAD = 0.5  # half of an interval from which one posture is too few [kg]
_UNLIKE = 0.05  # of coefficients that count as different [-]


def answers(analysis: Analysis) -> list[Sentence]:
    """Return the conclusions, most important first."""
    return [
        *_happened(analysis),
        *_models(analysis),
        *_friction(analysis),
        *_restitution(analysis),
        *_masses(analysis),
        *_sets(analysis),
        *_torques(analysis),
        *_joints(analysis),
        *_surface(analysis),
        *_delays(analysis),
    ]


def _happened(analysis: Analysis) -> list[Sentence]:
    count, files = len(analysis.impacts), analysis.files
    where = f"{len(files)} recordings" if len(files) > 1 else files[0]
    if not count and not any(each.judged for each in analysis.recordings):
        return [said("cannot_tell", where=where)]
    if not count:
        largest = _largest(analysis)
        count = sum(len(each.missed) for each in analysis.recordings)
        missed = f"; {count} may have been missed, see the warnings" if count else ""
        return [said("no_impact", where=where, largest=largest, missed=missed)]
    usable = sum(bool(impact.predicted) for impact in analysis.impacts)
    speeds = [i.approach_speed for i in analysis.impacts if np.isfinite(i.approach_speed)]
    span = f", at {min(speeds):.3f} to {max(speeds):.3f} m/s" if speeds else ""
    key = "impacts" if usable == count else "impacts_partly_compared"
    return [said(key, impacts=_many(count, "impact"), where=where, speeds=span, usable=usable)]


def _largest(analysis: Analysis) -> str:
    known = [
        (each.largest_statistic, each.threshold)
        for each in analysis.recordings
        if np.isfinite(each.largest_statistic)
    ]
    if not known:
        return ""
    statistic, threshold = max(known)
    return f" (largest statistic {statistic:.1f}, threshold {threshold:g})"


def _models(analysis: Analysis) -> list[Sentence]:
    best = analysis.best
    if best is None:
        return []
    error = f"{np.degrees(best.error):.2f} deg/s"
    first = {"model": best.candidate.name, "error": error + _between(best.low, best.high)}
    others = [each for each in analysis.ranking if each.candidate.inertia != best.candidate.inertia]
    if not others:
        return [said("best_model", **first)]
    following = {"next": others[0].candidate.name, "worse": f"{np.degrees(others[0].error):.2f}"}
    clearly = others[0].worse_low > 0.0 and others[0].error > CLEARLY_WORSE * best.error
    clear = "best_model_clear" if clearly else "best_model_unclear"
    compared = sum(bool(impact.predicted) for impact in analysis.impacts)
    return [said(clear if compared > 1 else "best_model_of_one", **first, **following)]


def _between(low: float, high: float) -> str:
    if not (np.isfinite(low) and np.isfinite(high)) or low == high:
        return ""
    return f" [{np.degrees(low):.2f}, {np.degrees(high):.2f}]"


def _friction(analysis: Analysis) -> list[Sentence]:
    best = analysis.best
    if best is None:
        return []
    friction = analysis.coefficients[best.candidate.inertia].friction
    if friction.assumed:
        return _identified_instead(analysis)
    if friction.at_bound:
        return [said("friction_at_bound", end="0" if friction.value < 0.5 else "1 or more")]
    if not friction.is_known:
        return [said("friction_open", least=f"{friction.low:.2f}")]
    assumed = _on_assumed_friction(analysis, friction)
    impacts, value = _many(friction.impacts, "impact"), _with_interval(friction)
    key = "friction_contact" if friction.estimate == CONTACT else "friction"
    return [said(key, value=value, impacts=impacts, assumed=assumed)]


def _on_assumed_friction(analysis: Analysis, friction: Identified) -> str:
    """Say what the friction that the controller assumed means, if the data contradict it."""
    announced = {
        round(impact.measured.announced_friction, 6)
        for impact in analysis.impacts
        if np.isfinite(impact.measured.announced_friction)
    }
    if len(announced) != 1:
        return ""
    (assumed,) = announced
    if friction.low <= assumed <= friction.high or abs(assumed - friction.value) <= _UNLIKE:
        return ""
    direction = "faster" if assumed > friction.value else "slower"
    return (
        f" The controller assumed {assumed:g}: with the identified one its safe speed is"
        f" {direction}."
    )


def _identified_instead(analysis: Analysis) -> list[Sentence]:
    """Say what would explain the data better than the friction that was assumed."""
    (assumed, _), free = analysis.settings.assumed, analysis.free_friction
    if assumed is None or free is None:
        return []
    low, high = assumed
    name = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    overlap = free.low <= high and low <= free.high
    if free.at_bound or overlap or low - _UNLIKE <= free.value <= high + _UNLIKE:
        return [said("friction_agrees", assumed=name)]
    return [said("friction_disagrees", assumed=name, found=_with_interval(free))]


def _restitution(analysis: Analysis) -> list[Sentence]:
    best = analysis.best
    if best is None:
        return []
    found = analysis.coefficients[best.candidate.inertia].restitution
    if found.assumed:
        return []
    if not np.isfinite(found.value):
        return [said("restitution_withheld", reasons=_why_not(analysis))]
    if found.estimate == CONTACT:
        impacts = _many(found.impacts, "impact")
        return [said("restitution_contact", value=_with_interval(found), impacts=impacts)]
    return [said("restitution", value=_with_interval(found))]


def _why_not(analysis: Analysis) -> str:
    """Return how many of the compared impacts show no restitution, and why."""
    items = [each.measured for each in analysis.impacts if each.predicted]
    reasons = {
        "that may be mixed with another contact or the end of a long one": [
            each.mixed for each in items
        ],
        "driven during the contact or after it": [each.driven and not each.mixed for each in items],
        "without a velocity after it, or with joint torques that point to another link": [
            not (each.mixed or each.driven or np.isfinite(each.restitution)) for each in items
        ],
    }
    counts = ((sum(which), text) for text, which in reasons.items())
    return "; ".join(f"{count} {text}" for count, text in counts if count)


def _with_interval(found: Identified) -> str:
    if not np.isfinite([found.low, found.high]).all():
        return f"{found.value:.2f}"
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _masses(analysis: Analysis) -> list[Sentence]:
    """Say where the hits show another effective mass than the model."""
    known = [each for each in analysis.impacts if np.isfinite(each.measured_mass.value)]
    other = [
        each
        for each in known
        if each.measured_mass.contradicts(each.mass_of_model, CLEARLY_ANOTHER)
    ]
    if not other:
        return []
    ratio = np.median([each.measured_mass.value / each.mass_of_model.value for each in other])
    figures = {"count": len(other), "known": len(known), "ratio": f"{ratio:.2f}"}
    return [said("mass_differs", **figures)]


def _sets(analysis: Analysis) -> list[Sentence]:
    known = [each.membership for each in analysis.impacts if each.membership is not None]
    sentences = []
    for source in dict.fromkeys(one.source for one in known):
        sentences += _set(analysis, [one for one in known if one.source == source], source)
    return sentences


def _set(analysis: Analysis, known: list[Membership], source: str) -> list[Sentence]:
    """Return what impulses say about the set that was expected of one source's coefficients.

    A coefficient that was identified from too few impacts for an interval is refuted by none.
    """
    worse, strict = sum(not one.hull for one in known), sum(one.strict for one in known)
    if not worse:
        figures = {"count": len(known), "strict": strict, "weaker": len(known) - strict}
        return [said("set_holds", source=source, **figures)]
    best = analysis.best
    if source == "identified" and best is not None:
        found = analysis.coefficients[best.candidate.inertia]
        if not np.isfinite([found.friction.high, found.restitution.high]).all():
            return []
    return [said(f"set_{source}", worse=worse, count=len(known))]


def _torques(analysis: Analysis) -> list[Sentence]:
    """Return how measured changes of joint torques compare with the predicted ones."""
    known = [each.torques for each in analysis.impacts if each.torques is not None]
    if not known:
        return []
    above, below = (
        np.array([getattr(each, name) for each in known]) for name in ("above", "below")
    )
    count = above.size
    if not (above.any() or below.any()):
        return [said("torque_changes", count=count, impacts=_many(len(known), "impact"))]
    excess = [np.where(each.above, each.measured - each.predicted.high, 0.0) for each in known]
    worst = "none"
    if above.any():
        k, j = np.unravel_index(np.argmax(excess), above.shape)
        most = known[k].predicted.high[j]
        worst = f"joint {j + 1}, {known[k].measured[j]:.1f} N.m, predicted at most {most:.1f}"
    figures = {"above": above.sum(), "below": below.sum(), "count": count, "worst": worst}
    return [said("torque_changes_beyond", beyond=above.sum() + below.sum(), **figures)]


def _joints(analysis: Analysis) -> list[Sentence]:
    """Return what was identified of the joints."""
    found = analysis.joints
    if found is None or not found.known.any():
        return []
    hits, known = _many(int(found.hits.max()), "hit"), int(found.known.sum())
    sentences = [said("joints", known=known, figures=found.known.size, hits=hits)]
    if found.contradicted.any():
        names = [f"{FIGURES[k]} of joint {j + 1}" for k, j in np.argwhere(found.contradicted)]
        sentences.append(said("joints_contradicted", names=", ".join(names)))
    return sentences


def _surface(analysis: Analysis) -> list[Sentence]:
    options = analysis.surface.options
    return [said("surface", options=options)] if options and analysis.best is not None else []


def _delays(analysis: Analysis) -> list[Sentence]:
    delays = [1e3 * each.measured.delay for each in analysis.impacts]
    known = [delay for delay in delays if np.isfinite(delay)]
    if len(known) < SURE_DELAY:
        return []
    return [said("delays", median=f"{np.median(known):.2f}", most=f"{max(known):.2f}")]


def warnings_of(analysis: Analysis) -> list[Sentence]:
    """Return what the data cannot answer, and their anomalies: of recordings, impacts, and all."""
    recordings, measured = analysis.recordings, [each.measured for each in analysis.impacts]
    return [
        *(Sentence(UNREADABLE, each.error, each.recording) for each in recordings if each.error),
        *(s._replace(recording=each.recording) for each in recordings for s in each.remarks),
        *(s._replace(recording=i.recording, time=i.time) for i in measured for s in i.notes),
        *_in_general(analysis),
    ]


def sentences_of(analysis: Analysis) -> list[Sentence]:
    """Return every sentence of a report: answers, then warnings."""
    return [*answers(analysis), *warnings_of(analysis)]


def placed(said: Sentence) -> str:
    """Return a warning with the recording and the impact that it is about."""
    if said.key == UNREADABLE or not said.recording:
        return said.text
    at = "" if said.time is None else f", {said.time:.3f} s"
    return f"{said.recording}{at}: {said.text}"


def _in_general(analysis: Analysis) -> list[Sentence]:
    """Return what all impacts together cannot answer."""
    impacts = [each.measured for each in analysis.impacts]
    complete = [item for item in impacts if item.complete]
    elsewhere = [item for item in complete if is_elsewhere(analysis.robot, item)]
    away = [
        each.measured
        for each in analysis.impacts
        if each.measured.usable
        and not each.predicted
        and not is_elsewhere(analysis.robot, each.measured)
    ]
    sentences = []
    if without := sum(not np.isfinite(item.normal).all() for item in complete):
        sentences.append(said("no_normal", impacts=_many(without, "impact")))
    if elsewhere:
        links = ", ".join(sorted({item.link for item in elsewhere}))
        sentences.append(said("elsewhere", impacts=_many(len(elsewhere), "impact"), links=links))
    if away:
        sentences.append(said("not_approaching", impacts=_many(len(away), "impact")))
    if not analysis.one_surface:
        sentences.append(said("several_surfaces"))
    if complete and not any(item.touch_by_force for item in complete):
        sentences.append(said("no_force_sensor"))
    if analysis.joints is not None:
        fitted = np.isfinite(analysis.joints.misfit)
        odd = [f"joint {j + 1}" for j in np.flatnonzero(fitted & ~analysis.joints.explained)]
        sentences += [said("joints_unexplained", joints=", ".join(odd))] if odd else []
    sentences += _payload(analysis)
    if unexpected := sum(item.expected is False for item in impacts):
        sentences.append(said("not_as_announced", impacts=_many(unexpected, "impact")))
    repeated = {each.group: each.repetitions for each in analysis.cells}
    if few := sum(count < 3 for count in repeated.values()):
        sentences.append(said("few_repetitions", groups=_many(few, "group")))
    return sentences


def _payload(analysis: Analysis) -> list[Sentence]:
    """Say what the arm carries if that is not what was declared, or cannot be determined."""
    found = analysis.payload
    if found is None:
        return []
    bounds = {"low": f"{max(0.0, found.low):.2f}", "high": f"{max(0.0, found.high):.2f}"}
    declared = " to ".join(f"{mass:g}" for mass in dict.fromkeys(found.declared))
    if found.is_another:
        centre = ", ".join(f"{1e3 * value:.0f}" for value in found.centre)
        mass = f"{max(0.0, found.mass):.2f}"
        return [said("payload", mass=mass, centre=centre, declared=declared, **bounds)]
    if found.postures == 1 and found.high - found.low > 2.0 * VAGUE_PAYLOAD:
        return [said("payload_one_posture", declared=declared, **bounds)]
    return []


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}" + ("" if count == 1 else "s")
