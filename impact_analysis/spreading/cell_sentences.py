# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sentences of a report about arms that hit an object, by key."""

from __future__ import annotations

from collections.abc import Iterator

from impact_analysis.present.sentence import Sentence
from impact_analysis.spreading.arm_impact import LACKING, ArmImpact
from impact_analysis.spreading.episodes import CellFindings, Episode
from impact_analysis.spreading.followed import Followed

ANSWERS = {
    "arms": "{recording}: {arms}; {object}.",
    "followed": "{when}{arm} was asked for the velocity of the wrong reference for {wrong} ms: of"
    " the ante-impact one for {late} ms after its contact, of the post-impact one for {early} ms"
    " before it.",
    "closes": "{when}momentum of {arm} is off by {best} m/s with {inertia}, {others}.",
}
WARNINGS = {
    "silent_arm": "{recording}: measured joint states of {arm} were not recorded: nothing is known"
    " of that arm",
    "no_object": "{recording}: the object's pose was not recorded",
    "no_such_object": "{recording}: no pose or velocity on {topic}{others}",
    "other_poses": "{recording}: poses on {topics}: if one is the object's, give --object-topic",
    "same_arm": "{recording}: the joint states of {arm} are those of another arm: is it one robot"
    " recorded twice?",
    "untouched": "{when}of {arm} no impact was found",
    "wrong_model": "{when}torque of joint {joint} of {arm} differs by {torque} N.m from what"
    " {robot} needs for its motion in the 100 ms before contact: another --robot, or another"
    " tool?",
    "unknown_velocity": "{when}{arm}: {why}",
    "no_feedback": "{when}{arm}: feedback acceleration is unknown: {why}",
    "not_followed": "{when}{arm}: which reference it followed is unknown: {why}",
    "neither": "{when}{arm} was asked for the velocity of neither reference for {time} ms of those"
    " from {start} to {end} ms after its contact",
    "not_closed": "{when}{arm}: momentum cannot be closed: {why}",
    "object_unknown": "{when}{why}",
    "unread": "{recording}: {why}",
}
CELL_TEMPLATES = {**ANSWERS, **WARNINGS}


def cell_sentences(found: CellFindings, robot: str) -> list[Sentence]:
    """Return the sentences about a recording.

    Args:
        found: its results.
        robot: name of the robot assumed for the arms.
    """
    name, topics = found.recording, found.topics
    said = [_said("arms", name, arms=_arms(found), object=_object(found), recording=name)]
    said += [_said("silent_arm", name, recording=name, arm=arm) for arm in topics.silent]
    if topics.unknown:
        others = f", but on {', '.join(topics.poses)}" if topics.poses else ""
        values = {"recording": name, "topic": topics.unknown, "others": others}
        said.append(_said("no_such_object", name, **values))
    elif not topics.object:
        said.append(_said("no_object", name, recording=name))
    if topics.poses and not topics.object and not topics.unknown:
        said.append(_said("other_poses", name, recording=name, topics=", ".join(topics.poses)))
    said += [_said("same_arm", name, recording=name, arm=arm) for arm in found.same]
    if found.error:
        said.append(_said("unread", name, recording=name, why=found.error))
    for episode in found.episodes:
        said += _episode(episode, robot)
    return said


def _said(key: str, where: str, at: float | None = None, /, **values: object) -> Sentence:
    return Sentence(key, CELL_TEMPLATES[key].format(**values), where, at)


def _arms(found: CellFindings) -> str:
    arms = found.topics.arms
    if arms == ("",):
        return "one arm"
    return f"{len(arms)} arm{'s' if len(arms) > 1 else ''} with joint states ({', '.join(arms)})"


def _object(found: CellFindings) -> str:
    return f"an object ({found.topics.object})" if found.topics.object else "no object recorded"


def arm_name(arm: str) -> str:
    """Return an arm's name in a sentence."""
    return arm or "the arm"


def _episode(episode: Episode, robot: str) -> Iterator[Sentence]:
    """Yield the sentences about an impact."""
    name, at = episode.recording, episode.time
    when = f"{name}, {at:.3f} s: "
    for arm in episode.arms:
        yield from _arm(arm, name, when, robot, at)
    for silent in episode.untouched:
        yield _said("untouched", name, at, when=when, arm=arm_name(silent))
    if episode.object is not None and episode.object.note:
        yield _said("object_unknown", name, at, when=when, why=episode.object.note)


def _arm(arm: ArmImpact, name: str, when: str, robot: str, at: float) -> Iterator[Sentence]:
    about = {"when": when, "arm": arm_name(arm.arm)}
    for note in arm.notes:
        yield _said("unknown_velocity", name, at, why=note, **about)
    joint, torque = arm.wrong_model
    if abs(torque) > LACKING:
        values = {"joint": joint + 1, "torque": f"{torque:+.1f}", "robot": robot}
        yield _said("wrong_model", name, at, **about, **values)
    if isinstance(arm.feedback, str):
        yield _said("no_feedback", name, at, why=arm.feedback, **about)
    if isinstance(arm.followed, Followed):
        yield from _references(arm.followed, name, at, about)
    else:
        yield _said("not_followed", name, at, why=arm.followed, **about)
    if isinstance(arm.closure, str):
        yield _said("not_closed", name, at, why=arm.closure, **about)
    else:
        yield _said("closes", name, at, **about, **_misses(arm.closure))


def _references(found: Followed, name: str, at: float, about: dict[str, str]) -> Iterator[Sentence]:
    times = {"wrong": found.wrong, "late": found.ante_after, "early": found.post_before}
    yield _said("followed", name, at, **_milliseconds(times, "{:.1f}"), **about)
    if found.neither > 0.0:
        values = {"time": found.neither, "start": found.start, "end": found.end}
        yield _said("neither", name, at, **_milliseconds(values, "{:.0f}"), **about)


def _milliseconds(values: dict[str, float], form: str) -> dict[str, str]:
    return {key: form.format(1e3 * value) for key, value in values.items()}


def _misses(closure: dict[str, float]) -> dict[str, str]:
    """Return the fields of the sentence about momentum, the least miss first."""
    (inertia, best), *others = sorted(closure.items(), key=lambda entry: entry[1])
    rest = ", ".join(f"{value:.3f} with {each}" for each, value in others)
    return {"inertia": inertia, "best": f"{best:.3f}", "others": rest}
