# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Where to hit: the bound at a configuration is the controller's, the best one is at the point."""

import json
from functools import partial

import numpy as np
import pytest
import yaml
from other_arms import UR, write_arm
from tiny_robot import tiny_robot

from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.sets.feasible_sets import unit_impulses
from impact_qp import Contact, ControlError, Plan
from impact_qp.limits import (
    ExistentialImpactLimit,
    NominalImpactLimit,
    RobustImpactLimit,
    SpeedBound,
)
from impact_qp.planning import Fastest, HitConfiguration, Search, safe_speed
from impact_robots import ArmDynamics

Q_A = [0.23, 0.0, 0.53, -1.11, -0.59, 2.77, -2.62]  # configuration A of a wall
KNOWN = {"friction": 0.279, "restitution": (0.0, 0.3)}
NOMINAL = ("--joint-ranges", "nominal")
TUTORIAL_Q = "0,0.159,0,-2.399,0,2.558,0"
RANGES = ("friction", "restitution", "stiffness")
NORMAL = [-1.0, 0.0, 0.0]
OPTIONS = ["--normal", "-1,0,0", "--friction", "0.279", "--restitution", "0,0.3"]


def limit_of(panda, kind, q=Q_A, **options):
    contact = Contact(ArmDynamics(panda).position(np.array(q)), [-1.0, 0.0, 0.0], **KNOWN)
    return kind(panda, contact, **options)


def test_the_bounds_are_the_specifications(panda):
    robust = limit_of(panda, RobustImpactLimit, circumscribed=False, margin=0.0)
    assert safe_speed(panda, robust, np.array(Q_A)).bound.speed == pytest.approx(0.080, abs=5e-4)
    existential = limit_of(panda, ExistentialImpactLimit)
    found = safe_speed(panda, existential, np.array(Q_A)).bound
    assert found.speed == pytest.approx(0.180, abs=5e-4)
    assert found.name == "panda_joint6 impulsive torque"


def test_at_the_bound_the_worst_impulse_reaches_the_limit(panda):
    limit = limit_of(panda, RobustImpactLimit)
    bound = safe_speed(panda, limit, np.array(Q_A)).bound
    state = ArmDynamics(panda)(Q_A, np.zeros(7))
    W = crb(state, limit.contact.rotation)
    impulses = bound.speed * unit_impulses(W, 0.279, (0.0, 0.3), 8, circumscribed=True)
    torque = 3.0 / 0.018 * (limit.contact.rotation.T @ state.J[:3]).T @ impulses
    share = np.abs(torque).max(axis=1) / panda.limits.impulsive_torque
    assert share.max() == pytest.approx(0.99) and share.argmax() == 5


@pytest.mark.parametrize("kind", [RobustImpactLimit, NominalImpactLimit])
def test_the_best_configuration_is_faster_and_at_the_same_point(panda, kind):
    limit, tilt = limit_of(panda, kind), np.radians(30.0)
    here = safe_speed(panda, limit, np.array(Q_A))
    best = Search(panda, limit, here.q, tilt=tilt).best()
    assert best.bound.speed > 2.0 * here.bound.speed
    assert best.bound == safe_speed(panda, limit, best.q).bound
    before, after = (ArmDynamics(panda)(q, np.zeros(7)) for q in (here.q, best.q))
    np.testing.assert_allclose(after.position, before.position, atol=1e-7)
    assert np.all(best.q > panda.limits.position_lower)
    assert np.all(best.q < panda.limits.position_upper)
    normal = limit.contact.rotation[:, 2]
    turned = normal @ after.rotation @ before.rotation.T @ normal
    assert np.arccos(turned) <= tilt + 1e-4


def test_the_search_repeats_itself_and_never_ends_worse(panda):
    limit = limit_of(panda, RobustImpactLimit)
    first, again = (Search(panda, limit, np.array(Q_A), seed=3).best() for _ in range(2))
    np.testing.assert_array_equal(first.q, again.q)
    further = Search(panda, limit, first.q, seed=4).best()
    assert further.bound.speed >= first.bound.speed
    frozen = Search(panda, limit, first.q, tilt=0.0, seed=4).best()
    assert frozen.bound.speed >= first.bound.speed * (1 - 1e-9)


def test_an_arm_without_redundancy_keeps_its_configuration(tmp_path):
    robot = tiny_robot(tmp_path)
    contact = Contact(ArmDynamics(robot).position(np.zeros(1)), [-1.0, 0.0, 0.0], **KNOWN)
    best = Search(robot, NominalImpactLimit(robot, contact), np.zeros(1)).best()
    np.testing.assert_allclose(best.q, 0.0, atol=1e-7)


def test_a_search_from_outside_of_the_limits_is_refused(panda):
    with pytest.raises(ControlError, match="q: expected positions within the limits of"):
        Search(panda, limit_of(panda, RobustImpactLimit), np.full(7, 9.0))


# --- command ------------------------------------------------------------------------------------


@pytest.fixture
def plan(impact):
    """A function that runs the command and returns status, output and error output."""
    return partial(impact, "plan")


@pytest.mark.parametrize(
    ("mode", "kind", "worse"),
    [("robust", RobustImpactLimit, 0.4), ("existential", ExistentialImpactLimit, 0.1)],
)
def test_a_range_of_friction_is_told_and_its_worse_end_counts(plan, panda, mode, kind, worse):
    case = ["--q", ",".join(map(str, Q_A)), "--normal", "-1,0,0", "--restitution", "0,0.3"]
    options = [*case, "--mode", mode, "--friction", "0.1,0.4"]
    document = json.loads(plan(*options, "--json")[1])
    assert (document["friction_low"], document["friction"]) == (0.1, 0.4)
    contact = Contact(ArmDynamics(panda).position(np.array(Q_A)), [-1, 0, 0], worse, (0.0, 0.3))
    expected = safe_speed(panda, kind(panda, contact), np.array(Q_A)).bound.speed
    assert document["speed_bound_mps"] == pytest.approx(expected)
    assert "friction 0.1 to 0.4, restitution 0 to 0.3" in plan(*options)[1]


def test_the_command_answers_in_one_document(plan, panda):
    q = ",".join(map(str, Q_A))
    status, out, err = plan("--q", q, *OPTIONS, "--mode", "robust", "--optimize", "--json")
    document = json.loads(out)
    limit = limit_of(panda, RobustImpactLimit)
    assert (status, err) == (0, "")
    assert document["speed_bound_mps"] == safe_speed(panda, limit, np.array(Q_A)).bound.speed
    assert document["limit"] == "panda_joint6 impulsive torque" and document["q_rad"] == Q_A
    best = document["best"]
    gain = best["speed_bound_mps"] / document["speed_bound_mps"]
    assert best["gain"] == pytest.approx(gain)
    assert best["gain"] > 2.0 and len(best["q_rad"]) == 7


def test_the_modes_differ_and_words_say_what_limits(plan):
    speeds = {}
    for mode in ("robust", "nominal", "existential"):
        _, out, _ = plan("--q", ",".join(map(str, Q_A)), *OPTIONS, "--mode", mode)
        assert "limited by panda_joint6 impulsive torque" in out
        speeds[mode] = float(out.split("safe speed ")[1].split()[0])
    assert speeds["robust"] < speeds["nominal"] < speeds["existential"]


def test_friction_without_bound_leaves_no_safe_speed(plan):
    status, out, _ = plan("--friction", 9, "--mode", "robust")
    assert status == 1 and "0.0000 m/s, limited by unbounded impulses" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--q", "1,2"], "--q: expected 7 finite numbers"),
        (["--normal", "0,0,0"], "normal: expected three"),
        (["--friction", "-1"], "friction"),
        (["--restitution", "0.5,0.1"], "restitution"),
        (["--mode", "brave"], "invalid choice"),
        (["--robot", "r2d2"], "r2d2"),
        (["--speed", "1"], "--speed"),
        (["--duration", "0"], "--duration: expected a number from 0.0001 to 1 [s], got 0.0"),
        (["--peak-factor", "nan"], "--peak-factor: expected finite numbers"),
        (["--peak-factor", "-1"], "--peak-factor: expected a number from 1 to 100, got -1.0"),
        (["--optimize", "--tilt", "-1"], "--tilt: expected 0 to 180"),
        (["--optimize", "--q", "9,0,0,-1,0,1,0"], "within the limits of panda_joint1, got 9"),
    ],
)
def test_a_mistake_is_one_line(arguments, said, refused):
    assert said in refused("plan", *arguments)


def test_what_the_joints_feel_is_the_default_and_a_stiffness_buys_speed(plan):
    options = ["--q", ",".join(map(str, Q_A)), "--friction", "0,0.279", "--restitution", "0.02,0.3"]
    speeds = []
    for more in ([], ["--stiffness", "1e5,1e6"], ["--stiffness", "1e5,1e6", *NOMINAL]):
        status, out, err = plan(*options, *more, "--json")
        document = json.loads(out)
        warning = "impact: --joint-ranges is deprecated: use joint_ranges of a task file\n"
        assert (status, err) == (0, warning if NOMINAL[1] in more else "")
        assert document["impact_limits"] == "joint_load"
        assert document["limit"] in ("panda_joint6 torque change", "panda_joint6 torque range")
        speeds.append(document["speed_bound_mps"])
    assert speeds == sorted(speeds) and speeds[0] < speeds[2]


def test_one_number_of_friction_is_exact_and_a_line_says_what_that_makes_faster(plan):
    options = ["--q", TUTORIAL_Q, "--normal", "0,0,1", "--friction"]
    (_, exact, err), (_, ranged, silent), (_, usual, _) = (
        plan(*options, "0.3"),
        plan(*options, "0,0.3"),
        plan(*options[:-1]),
    )
    assert "speed 0.2256 m/s" in exact and "speed 0.1159 m/s" in ranged
    assert (usual.splitlines(), silent) == (ranged.splitlines(), "")
    assert err.startswith("impact: friction: 0.3 is taken as exact") and err.count("\n") == 1


def test_the_bound_is_that_of_an_independent_integration(plan, derived_data):
    cases = json.loads((derived_data / "joint_load_vectors.json").read_text())["cases"]
    for case in cases[::3]:
        options = {name: ",".join(map(str, case[name])) for name in ("q", *RANGES)}
        given = [text for name, value in options.items() for text in (f"--{name}", value)]
        _, out, _ = plan(*given, "--impact-limits", "joint_load", *NOMINAL, "--json")
        assert json.loads(out)["speed_bound_mps"] == pytest.approx(
            case["speed_bound_mps"], rel=0.03
        )


def test_a_search_finds_a_configuration_whose_joints_feel_less(panda):
    contact = Contact(
        ArmDynamics(panda).position(np.array(Q_A)), NORMAL, 0.1, (0.1, 0.3), stiffness=(1e6, 1e6)
    )
    limit = Plan(contact, "joint_load").impact_limit(panda, 0.0)
    here = safe_speed(panda, limit, np.array(Q_A))
    search = Search(panda, limit, np.array(Q_A))
    found = search.best(starts=20, steps=40)
    assert found.bound.speed > here.bound.speed
    assert found.bound == safe_speed(panda, limit, found.q).bound


def test_a_robot_that_hides_its_joints_is_planned_as_published(plan, tmp_path, refused):
    path = write_arm(tmp_path, UR)
    entries = yaml.safe_load(path.read_text())
    entries.pop("joint_stiffness")
    path.write_text(yaml.safe_dump(entries))
    options = ("--robot", str(path), "--q=0,-1,1,0,0,0", "--normal=0,0,1")
    status, out, _ = plan(*options, "--json")
    assert status == 0 and json.loads(out)["impact_limits"] == "robust"
    assert "does not give 'joint_stiffness'" in refused(
        "plan", *options, "--impact-limits", "joint_load"
    )


def test_the_fastest_are_kept_and_of_equal_ones_the_first():
    hits = [
        HitConfiguration(np.array([float(k)]), SpeedBound(speed, ""))
        for k, speed in enumerate((0.2, 0.5, 0.2, 0.3, 0.5, 0.1))
    ]
    fastest = Fastest(3)
    fastest.add(None)
    assert (fastest.hits, fastest.least) == ([], -1.0)
    for hit in hits:
        if hit.bound.speed > fastest.least:
            fastest.add(hit)
    assert fastest.hits == [hits[1], hits[4], hits[3]] and fastest.least == 0.3
