# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Every sentence of a report: a recording of which it is true and said, and one of which it is not.

Recordings are of simulated hits whose truth is known (``struck_arm``), changed where a sensor or a
recorder is to fail. ``CASES`` names for each sentence the report that must hold it and one that
must not; a sentence without a case fails.
"""

import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from flexible_hits import NORMAL, SCALE, flexible_hit
from struck_arm import POSE, TOUCH, Hit, Record, simulate, write

from impact_analysis.analyze import AnalysisSettings, analyze, analyze_impacts, collect
from impact_analysis.analyze.comparing.payload_identification import identify_payload
from impact_analysis.analyze.page.narrative import sentences_of
from impact_analysis.analyze.reading.notes import quality_notes
from impact_analysis.present.sentences import TEMPLATES
from impact_detector.estimators.estimate import GOOD, SECOND_IMPACT
from impact_robots import ArmDynamics, load_robot

pytestmark = pytest.mark.usefixtures("without_contact_laws")  # no sentence is about them

UP = (0.0, 0.0, 1.0)
PUBLISHED = {"friction_estimate": "velocities", "restitution_estimate": "velocities"}
BASES = {
    "hit": Hit(),
    "smooth": Hit(friction=0.0),
    "sticking": Hit(friction=1.5),
    "smooth, sliding": Hit(friction=0.0, velocity=(0.3, 0.1, -0.3)),
    "sliding": Hit(velocity=(0.3, 0.1, -0.3)),
    "gentle on a soft plate": Hit(velocity=(0.03, 0.0, -0.1), stiffness=1.2e4),
    "held": Hit(after="hold", after_delay=0.0, stiffness=3e4),
    "free": Hit(plate=False, after="on"),
    "driven": Hit(after="boost"),
    "pressing": Hit(after="on"),
    "slow": Hit(rate=200),
    "pushed slowly": Hit(plate=False, after="on", pushes=((TOUCH - 0.2, 0.3, 60.0),)),
    "pushed weakly": Hit(plate=False, after="on", pushes=((TOUCH, 0.01, 12.0),)),
    "pushed late": Hit(pushes=((TOUCH + 0.16, 0.01, 85.0),)),
    "pushed at once": Hit(pushes=((TOUCH + 0.05, 0.008, 300.0),)),
    "pushed often": Hit(length=1.0, pushes=[(TOUCH + 0.12 * k, 0.01, 20.0) for k in range(1, 8)]),
}


@cache
def record(base: str) -> Record:
    return simulate(BASES[base])


def kept(each: Record, chosen) -> Record:
    """Return the record with the joint states that are ``chosen``, indices or a mask."""
    columns = {name: getattr(each, name)[chosen] for name in ("t", "q", "dq", "tau")}
    return replace(each, **columns)


def until(each: Record, end: float) -> Record:
    """Return the record up to ``end`` seconds after contact."""
    heard = each.force_t < each.touch + end
    short = kept(each, each.t < each.touch + end)
    return replace(short, force_t=each.force_t[heard], force=each.force[heard])


def without(each: Record, start: float, end: float) -> Record:
    """Return the record without the joint states between two times after contact."""
    since = each.t - each.touch
    return kept(each, (since < start) | (since > end))


def vibrating(each: Record) -> Record:
    since = np.maximum(each.t - each.touch, 0.0)[:, None]
    return replace(each, q=each.q + 8e-3 * np.sin(2 * np.pi * 45 * since))


def unknown(each: Record) -> Record:
    dq = each.dq.copy()
    dq[100:110] = np.nan
    return replace(each, dq=dq)


def in_degrees(each: Record) -> Record:
    return replace(each, q=np.degrees(each.q), dq=np.degrees(each.dq))


def without_torques(each: Record) -> Record:
    return replace(each, tau=np.zeros_like(each.tau))


def back_in_time(each: Record) -> Record:
    return kept(each, np.r_[0 : len(each.t), 0:300])


def twice(each: Record) -> Record:
    return kept(each, np.r_[0:200, 199 : len(each.t)])


# Reports of one bag: base, change, how it is written, settings.
REPORTS = {
    "hit": ("hit", None, {}, {"normal": UP}),
    "hit, nothing known of the plate": ("hit", None, {}, {}),
    "hit, announced too little": ("hit", None, {"announced": (0.02, 0.0)}, {}),
    "hit, announced enough": ("hit", None, {"announced": (0.4, 0.8)}, {}),
    "hit, assumed too little": ("hit", None, {}, {"normal": UP, "friction": 0.05}),
    "hit, assumed right": ("hit", None, {}, {"normal": UP, "friction": 0.3}),
    "hit, as published": ("hit", None, {}, {"normal": UP, **PUBLISHED}),
    "smooth, as published": (
        "smooth, sliding",
        None,
        {},
        {"normal": UP, **PUBLISHED},
    ),
    "hit, restitution assumed": ("hit", None, {}, {"normal": UP, "restitution": 0.5}),
    "hit, 3 kg declared": ("hit", None, {}, {"normal": UP, "payload": 3.0}),
    "hit, normal turned": ("hit", None, {}, {"normal": (0.0, 0.0, -1.0)}),
    "hit, a payload that is not there": (
        "hit",
        None,
        {"torques": False},
        {"normal": UP, "payload": 3.0},
    ),
    "gentle on a soft plate, no force sensor": (
        "gentle on a soft plate",
        None,
        {"forces": False},
        {"normal": UP},
    ),
    "hit, no force sensor": ("hit", None, {"forces": False}, {"normal": UP}),
    "pressing, no force sensor": ("pressing", None, {"forces": False}, {"normal": UP}),
    "sliding, as published": ("sliding", None, {}, {"normal": UP, **PUBLISHED}),
    "hit, slow force sensor": ("hit", None, {"every": 50}, {"normal": UP}),
    "hit, no torques": ("hit", None, {"torques": False}, {"normal": UP}),
    "hit, torques zero": (
        "hit",
        lambda r: replace(r, tau=np.zeros_like(r.tau)),
        {},
        {"normal": UP},
    ),
    "hit, begun": ("hit", lambda r: kept(r, r.t < 0.02), {}, {"normal": UP}),
    "hit, cut off": ("hit", lambda r: until(r, 0.05), {}, {"normal": UP}),
    "hit, end of window lost": ("hit", lambda r: without(r, 0.094, 0.1), {}, {"normal": UP}),
    "hit, samples lost": ("hit", lambda r: without(r, 0.04, 0.07), {}, {"normal": UP}),
    "hit, vibrating": ("hit", vibrating, {}, {"normal": UP}),
    "hit, unknown": ("hit", unknown, {}, {"normal": UP}),
    "hit, in degrees": ("hit", in_degrees, {}, {"normal": UP}),
    "hit, back in time": ("hit", back_in_time, {}, {"normal": UP}),
    "hit, twice": ("hit", twice, {}, {"normal": UP}),
    "pushed late, no force sensor": ("pushed late", None, {"forces": False}, {"normal": UP}),
    "pushed late, no torques": (
        "pushed late",
        None,
        {"forces": False, "torques": False},
        {"normal": UP},
    ),
    **{base: (base, None, {}, {"normal": UP}) for base in BASES if base != "hit"},
}

# Sentence: a report that must hold it, and one that must not.
CASES = {
    "cannot_tell": ("hit, begun", "free"),
    "no_impact": ("free", "hit"),
    "impacts": ("hit", "free"),
    "impacts_partly_compared": ("hit, cut off", "hit"),
    "best_model": ("hit, motors unknown", "hit"),
    "best_model_clear": ("three hits", "hit"),
    "best_model_unclear": ("three hits, motors alike", "three hits"),
    "best_model_of_one": ("hit", "three hits"),
    "friction": ("sliding, as published", "sliding"),
    "friction_contact": ("sliding", "hit"),
    "friction_at_bound": ("smooth, as published", "smooth"),
    "friction_open": ("sticking", "sliding"),
    "friction_agrees": ("hit, assumed right", "hit, assumed too little"),
    "friction_disagrees": ("hit, assumed too little", "hit, assumed right"),
    "restitution": ("hit, as published", "hit"),
    "restitution_contact": ("hit", "hit, restitution assumed"),
    "restitution_withheld": ("pressing", "hit"),
    "mass_differs": ("hit, a payload that is not there", "hit"),
    "set_holds": ("hit, announced enough", "hit, announced too little"),
    "set_announced": ("hit, announced too little", "hit, announced enough"),
    "set_assumed": ("hit, assumed too little", "hit, assumed right"),
    "set_identified": ("nine smooth and one rough", "hit, announced too little"),
    "torque_changes": ("flexible arm", "flexible arm, normal turned"),
    "torque_changes_beyond": ("flexible arm, normal turned", "flexible arm"),
    "joints": ("flexible arm", "hit"),
    "joints_contradicted": ("flexible arm, stiffer in its YAML", "flexible arm"),
    "surface": ("flexible arm", "free"),
    "delays": ("three hits", "hit"),
    "no_normal": ("hit, nothing known of the plate", "hit, announced enough"),
    "elsewhere": ("on link 4", "hit"),
    "several_surfaces": ("two walls", "three hits"),
    "not_approaching": ("hit, normal turned", "hit"),
    "no_force_sensor": ("hit, no force sensor", "hit"),
    "joints_unexplained": ("flexible arm, positions of the motors", "flexible arm"),
    "not_as_announced": ("on link 4", "hit, announced enough"),
    "payload": ("hit, 3 kg declared", "hit"),
    "payload_one_posture": ("hit, arm upright before", "hit"),
    "few_repetitions": ("hit", "three hits"),
    "no_torques": ("hit, no torques", "hit"),
    "slow_for_detector": ("slow", "hit"),
    "damaged": ("hit, damaged", "hit"),
    "trouble": ("hit, torques zero", "hit"),
    "gaps": ("hit, samples lost", "hit"),
    "jumps": ("hit, back in time", "hit"),
    "milliseconds": ("hit, stamps in ms", "hit"),
    "repeated": ("hit, twice", "hit"),
    "slow": ("slow", "hit"),
    "beyond_limits": ("hit, in degrees", "hit"),
    "not_finite": ("hit, unknown", "hit"),
    "missed_force": ("pushed late", "pushed slowly"),
    "missed_push": ("gentle on a soft plate, no force sensor", "hit, no force sensor"),
    "missed_jump": ("pushed late, no force sensor", "driven"),
    "missed_statistic": ("pushed late, no torques", "hit, no torques"),
    "missed_more": ("pushed often", "pushed late"),
    "driven": ("driven", "hit"),
    "poor_fit": ("hit, vibrating", "hit"),
    "short_window": ("hit, end of window lost", "slow"),
    "missing_samples": ("hit, samples lost", "hit"),
    "second_impact": ("two detections", "hit"),
    "undersampled": ("hit, slow force sensor", "hit"),
    "in_contact": ("pressing", "pressing, no force sensor"),
    "endless_contact": ("pressing, no force sensor", "hit, no force sensor"),
    "pushed": ("held", "hit"),
    "second_contact": ("pushed at once", "hit"),
    "statistic_again": ("pushed at once", "hit"),
    "hole": ("hit, samples lost", "hit"),
    "cut_off": ("hit, cut off", "hit"),
}


@pytest.fixture(scope="module")
def said(tmp_path_factory, project_root):
    """A function that returns the sentences of a report by its name."""
    folder = tmp_path_factory.mktemp("hits")

    def bag(name: str) -> Path:
        base, change, how, _ = REPORTS[name]
        path = folder / name.replace(" ", "_")
        if not path.exists():
            write(path, change(record(base)) if change else record(base), **how)
        return path

    def three() -> Path:
        path = folder / "three"
        for k in range(0 if path.exists() else 3):
            turned = POSE + 0.1 * k * np.array([0.0, 1.0, 0.0, 1.0, 1.0, -1.0, 0.0])
            write(path / f"hit_{k}", simulate(Hit(pose=turned, seed=k)))
        return path

    def flexible(change=lambda each: each) -> Path:
        path = folder / f"flexible_{change.__name__.strip('<>')}"
        for k in range(0 if path.exists() else 3):
            write(path / f"pose_{'abc'[k]}", change(flexible_hit(k)))
        return path

    @cache
    def sentences(name: str):
        if name in REPORTS:
            return sentences_of(analyze(bag(name), **REPORTS[name][3]))
        return {
            "three hits": lambda: sentences_of(analyze(three(), normal=UP)),
            "three hits, motors alike": lambda: sentences_of(
                analyze(three(), normal=UP, robot=str(robot(project_root, folder, alike=True)))
            ),
            "hit, motors unknown": lambda: sentences_of(
                analyze(bag("hit"), normal=UP, robot=str(robot(project_root, folder)))
            ),
            "flexible arm": lambda: sentences_of(analyze(flexible(), normal=NORMAL)),
            "flexible arm, normal turned": lambda: sentences_of(
                analyze(flexible(), normal=(-1.0, 1.0, 0.0))
            ),
            "flexible arm, stiffer in its YAML": lambda: sentences_of(
                analyze(flexible(), normal=NORMAL, robot=str(stiffer(project_root, folder)))
            ),
            "flexible arm, positions of the motors": lambda: sentences_of(
                analyze(flexible(of_the_motors), normal=NORMAL)
            ),
            "hit, damaged": lambda: sentences_of(analyze(damaged(bag("hit")), normal=UP)),
            "hit, stamps in ms": lambda: sentences_of(
                analyze(in_milliseconds(record("hit"), folder), normal=UP)
            ),
            "nine smooth and one rough": lambda: sentences_of(mixed(bag("smooth"), bag("hit"))),
            "two walls": lambda: sentences_of(two_walls(bag("hit"))),
            "on link 4": lambda: sentences_of(on_link_4(bag("hit"))),
            "hit, arm upright before": lambda: sentences_of(upright(bag("hit"))),
        }[name]()

    return sentences


def in_milliseconds(each: Record, folder: Path) -> Path:
    """Write a record as a CSV whose stamps are milliseconds."""
    patterns = ("q{}_rad", "dq{}_radps", "tau{}_nm")
    header = ["time_s", *(p.format(i) for p in patterns for i in range(1, 8))]
    rows = np.column_stack([1e3 * each.t, each.q, each.dq, each.tau])
    path = folder / "ms.csv"
    np.savetxt(path, rows, delimiter=",", header=",".join(header), comments="")
    return path


def robot(root: Path, folder: Path, *, alike: bool = False) -> Path:
    """Return a Panda's YAML without motor inertias, or with twice the same."""
    shipped = root / "impact_robots" / "panda.yaml"
    lines = [
        line
        for line in shipped.read_text().splitlines()
        if not line.startswith(("reflected_motor", "urdf", *(() if alike else ("apparent",))))
    ]
    text = "\n".join([*lines, f"urdf: {shipped.with_name('panda.urdf')}", ""])
    (apparent,) = re.findall("^apparent_motor_inertia: (.*)$", text, re.MULTILINE) or [""]
    path = folder / f"panda_{'alike' if alike else 'bare'}.yaml"
    path.write_text(text + (f"reflected_motor_inertia: {apparent}\n" if alike else ""))
    return path


def stiffer(root: Path, folder: Path) -> Path:
    """Return a Panda's YAML with joints that are thought to be two to four times as stiff."""
    shipped = root / "impact_robots" / "panda.yaml"
    text = shipped.read_text().replace("urdf: panda.urdf", f"urdf: {shipped.parent}/panda.urdf")
    path = folder / "panda_stiffer.yaml"
    path.write_text(text.replace("joint_stiffness_range: [0.7,", "joint_stiffness_range: [2.0,"))
    path.write_text(path.read_text().replace("[2.0, 1.3]", "[2.0, 4.0]"))
    return path


def of_the_motors(each: Record) -> Record:
    """Return what encoders before the joints' springs would have said."""
    stiffness = load_robot("panda").joint_stiffness * SCALE[0]
    return replace(each, q=each.q + each.tau / stiffness)


def damaged(bag: Path) -> Path:
    """Return a copy of a bag whose index cannot be read."""
    path = bag.with_name(f"{bag.name}_damaged")
    shutil.copytree(bag, path)
    (path / "metadata.yaml").write_text("[")
    return path


def on_link_4(bag: Path):
    """Return the analysis of a hit that was taken for one of link 4, not announced."""
    collected = collect(bag, AnalysisSettings(normal=UP))
    (item,) = collected.impacts
    elsewhere = replace(item, expected=False, link="panda_link4")
    return analyze_impacts([replace(collected, impacts=[elsewhere])], AnalysisSettings(normal=UP))


def upright(bag: Path):
    """Return the analysis of a hit before which the arm stood upright: a payload hangs on nothing.

    Its windows of free motion are replaced by one at rest with the model's own torques.
    """
    collected = collect(bag, AnalysisSettings(normal=UP))
    robot, still = load_robot("panda"), np.zeros(7)
    q = np.array([0.0, 0.0, 0.0, -0.1, 0.0, 0.1, 0.0])
    window = [q, still, still, ArmDynamics(robot)(q, still).g]
    payload = identify_payload(robot, np.array([window]))
    return analyze_impacts([collected], AnalysisSettings(normal=UP), payload=payload)


def mixed(smooth: Path, rough: Path):
    """Return the analysis of nine hits of a smooth plate and one of a rough one."""
    collected = [collect(each, AnalysisSettings(normal=UP)) for each in (smooth, rough)]
    (one,), (other,) = (each.impacts for each in collected)
    impacts = [*(replace(one) for _ in range(9)), other]
    settings = AnalysisSettings(normal=UP, **PUBLISHED)
    return analyze_impacts([replace(collected[0], impacts=impacts)], settings)


def two_walls(hit: Path):
    """Return the analysis of a hit, and of the same on a surface that is inclined by 5 degrees."""
    inclined = (float(np.sin(np.radians(5.0))), 0.0, float(np.cos(np.radians(5.0))))
    collected = [collect(hit, AnalysisSettings(normal=each)) for each in (UP, inclined)]
    return analyze_impacts(collected, AnalysisSettings())


def test_every_sentence_has_a_case():
    assert set(CASES) == set(TEMPLATES)


@pytest.mark.parametrize("key", [key for key in CASES if key != "second_impact"])
def test_a_sentence_is_said_where_it_is_true_and_nowhere_else(said, key):
    true, false = CASES[key]
    assert key in {each.key for each in said(true)}
    assert key not in {each.key for each in said(false)}


def test_two_detections_in_one_window_are_said():
    class Found:
        quality, contact = GOOD, None

    assert quality_notes(Found, float("nan")) == []
    Found.quality = SECOND_IMPACT
    assert [note.key for note in quality_notes(Found, 0.03)] == ["second_impact"]
