# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The answer in words: what happened, what explains it, what to change, what cannot be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from impact_analysis.analyze.comparison import is_elsewhere
from impact_analysis.analyze.identify import CONTACT

if TYPE_CHECKING:
    from impact_analysis.analyze.analysis import Analysis

CLEARLY = 0.95  # share of resamples in which a model is the best to call it that
SURE_DELAY = 3  # force truths for a figure on delays
_UNLIKE = 0.05  # of coefficients that count as different [-]


def answers(analysis: Analysis) -> list[str]:
    """Return some sentences, the most important first."""
    return [
        *_happened(analysis),
        *_models(analysis),
        *_friction(analysis),
        *_restitution(analysis),
        *_sets(analysis),
        *_delays(analysis),
    ]


def _happened(analysis: Analysis) -> list[str]:
    count, files = len(analysis.impacts), len(analysis.recordings)
    where = f"{files} recordings" if files > 1 else analysis.recordings[0].recording
    if not count and not any(each.judged for each in analysis.recordings):
        return [f"Whether there was an impact in {where} cannot be told: nothing could be judged."]
    if not count:
        largest = _largest(analysis)
        return [f"No impact was found in {where}{largest}."]
    usable = sum(bool(impact.predicted) for impact in analysis.impacts)
    speeds = [i.approach_speed for i in analysis.impacts if np.isfinite(i.approach_speed)]
    text = f"{_many(count, 'impact')} in {where}"
    if speeds:
        text += f", at {min(speeds):.3f} to {max(speeds):.3f} m/s"
    if usable < count:
        text += f"; models can be compared with {usable} of them"
    return [text + "."]


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


def _models(analysis: Analysis) -> list[str]:
    best = analysis.best
    if best is None:
        return []
    said = (
        f"{best.candidate.name} explains the joint velocities after the impacts best: mean error"
        f" {np.degrees(best.error):.2f} deg/s{_between(best.low, best.high)} over all joints"
    )
    others = [each for each in analysis.ranking if each.candidate.inertia != best.candidate.inertia]
    if not others:
        return [said + "."]
    next_best = others[0]
    said += f"; {next_best.candidate.name} {np.degrees(next_best.error):.2f} deg/s"
    clear = next_best.worse_low > 0.0
    if len(analysis.impacts) < 2:
        return [said + ". One impact does not rank models: repeat it."]
    return [said + (", clearly worse." if clear else "; these data do not tell the two apart.")]


def _between(low: float, high: float) -> str:
    if not (np.isfinite(low) and np.isfinite(high)) or low == high:
        return ""
    return f" [{np.degrees(low):.2f}, {np.degrees(high):.2f}]"


def _friction(analysis: Analysis) -> list[str]:
    best = analysis.best
    if best is None:
        return []
    friction = analysis.coefficients[best.candidate.inertia].friction
    if friction.assumed:
        return _identified_instead(analysis)
    if friction.at_bound:
        end = "0" if friction.value < 0.5 else "1 or more"
        return [f"Friction: the best fit is at the end of the range ({end}): not identified."]
    if not friction.is_known:
        return ["Friction: not identified, any value explains these impacts as well."]
    said = f"Friction {friction.value:.2f} [{friction.low:.2f}, {friction.high:.2f}]"
    announced = {
        round(impact.measured.announced_friction, 6)
        for impact in analysis.impacts
        if np.isfinite(impact.measured.announced_friction)
    }
    said += f" explains them best (from {_many(friction.impacts, 'impact')})."
    if len(announced) == 1:
        (told,) = announced
        inside = friction.low <= told <= friction.high
        if not inside and abs(told - friction.value) > _UNLIKE:
            direction = "faster" if told > friction.value else "slower"
            said += (
                f" The controller was told {told:g}: with the identified one its safe speed is"
                f" {direction}."
            )
    return [said]


def _identified_instead(analysis: Analysis) -> list[str]:
    """Say what would explain the data better than the friction that was assumed."""
    assumed, free = analysis.settings.friction, analysis.free_friction
    if assumed is None or free is None:
        return []
    if free.at_bound or abs(free.value - assumed) <= _UNLIKE:
        return [f"The assumed friction of {assumed:g} agrees with the data."]
    if free.low <= assumed <= free.high:
        return [f"The assumed friction of {assumed:g} agrees with the data."]
    return [
        f"Friction {assumed:g} was assumed; {free.value:.2f} [{free.low:.2f}, {free.high:.2f}]"
        " explains the data better."
    ]


def _restitution(analysis: Analysis) -> list[str]:
    best = analysis.best
    if best is None:
        return []
    found = analysis.coefficients[best.candidate.inertia].restitution
    if found.assumed:
        return []
    said = f"Restitution {found.value:.2f}"
    if np.isfinite(found.low):
        said += f" [{found.low:.2f}, {found.high:.2f}]"
    if found.estimate == CONTACT:
        return [f"{said} at the contact point (mean of {_many(found.impacts, 'impact')})."]
    return [said + " explains the velocities best."]


def _sets(analysis: Analysis) -> list[str]:
    known = [each.membership for each in analysis.impacts if each.membership is not None]
    if not known:
        return []
    strict, hull = sum(one.strict for one in known), sum(one.hull for one in known)
    sources = ", ".join(sorted({one.source for one in known}))
    said = (
        f"{hull} of {len(known)} measured impulses are no worse than the {sources} set allows"
        f" ({strict} lie in it strictly)"
    )
    if hull < len(known):
        said += "; the others exceed it: widen friction or restitution, or slow down"
    return [said + "."]


def _delays(analysis: Analysis) -> list[str]:
    delays = [1e3 * each.measured.delay for each in analysis.impacts]
    known = [delay for delay in delays if np.isfinite(delay)]
    if len(known) < SURE_DELAY:
        return []
    return [
        f"Detected {np.median(known):.2f} ms after the touch that the force sensor saw (median;"
        f" at most {max(known):.2f} ms)."
    ]


def warnings_of(analysis: Analysis) -> list[str]:
    """Return what the data cannot answer, and what is odd in them."""
    said = [each.error for each in analysis.recordings if each.error]
    said += [f"{each.recording}: {text}" for each in analysis.recordings for text in each.remarks]
    impacts = [each.measured for each in analysis.impacts]
    complete = [item for item in impacts if item.complete]
    for item in impacts:
        said += [f"{item.recording}, {item.time:.3f} s: {note}" for note in item.notes]
    without = [item for item in complete if not np.isfinite(item.normal).all()]
    if without:
        said.append(
            f"no surface normal is known for {_many(len(without), 'impact')}: nothing can be"
            " predicted; give --normal x,y,z, or record the announcements of impact_qp"
        )
    elsewhere = [item for item in complete if is_elsewhere(analysis.robot, item)]
    if elsewhere:
        links = ", ".join(sorted({item.link for item in elsewhere}))
        said.append(
            f"{_many(len(elsewhere), 'impact')} on {links}, which nobody had announced: not"
            " compared, as predictions are for the contact point"
        )
    away = [
        each.measured
        for each in analysis.impacts
        if each.measured.usable
        and not each.predicted
        and not is_elsewhere(analysis.robot, each.measured)
    ]
    if away:
        said.append(
            f"in {_many(len(away), 'impact')} the contact point does not approach the surface:"
            " another point was hit, or the normal is wrong"
        )
    if complete and not any(item.touch_by_force for item in complete):
        said.append(
            "no force sensor saw the impacts: detection delays, contact stiffness and damping"
            " cannot be told"
        )
    unexpected = sum(item.expected is False for item in impacts)
    if unexpected:
        said.append(f"{_many(unexpected, 'impact')} not as announced, see there")
    repeated = {each.group: each.repetitions for each in analysis.cells}
    few = [name for name, count in repeated.items() if count < 3]
    if few and len(repeated) > 0:
        said.append(
            f"fewer than 3 repetitions in {_many(len(few), 'group')}: means and intervals are weak"
        )
    return said


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}" + ("" if count == 1 else "s")
