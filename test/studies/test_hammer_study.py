# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of strikes with a tool: what is drawn, how the plant judges, what is promised."""

import json
from dataclasses import replace
from itertools import islice
from math import inf

import numpy as np
import pytest

from impact_cli.command_line import run as impact
from impact_predictor.strike.strike_case import NailCase, StopCase, StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.striker import Misalignment, Striker
from impact_robots.dynamics import ArmDynamics
from impact_sim.exceptions import SimulationError
from impact_trials.strikes.coasted_strike import CoastingArm
from impact_trials.strikes.hammer_nail import HammerNail
from studies.hammer import hammer_report, hammer_study, nail_counts, optimum, struck_truth
from studies.hammer.hammer_study import HammerFound
from studies.hammer.nail_counts import PUBLISHED, RESISTANCES, RIGID, RUNS, NailCount, nail_count
from studies.hammer.optimum import PLANS, SAFE, JudgedOptimum, JudgedStrike, WorstStrike, exact_of
from studies.hammer.strike_draw import draw_pose, draw_target, draw_tool, draw_truths
from studies.hammer.struck_truth import KNOT, NAIL, DrawnStrike, StruckSetup, StruckTruth
from studies.row import DIFFERS, REPRODUCED

NAMES = [f"S{k}" for k in range(1, 9)]
HIT = DrawnStrike(0.5, 0.8, 0.49, 0.4, 1e-3, True, 0.41, 0.02, "")


def setup_of(*hits, problem=""):
    """A set-up of one truth, a nail."""
    truth = StruckTruth(NAIL, False, False, False, 3e4, 0.3, tuple(hits), problem)
    return StruckSetup(0, 6.0, (truth,))


def count_of(resistance, run):
    rigid = run in (PUBLISHED, RIGID)
    return NailCount(resistance, run, 0.5, 60 if rigid else 20, 0.03, 0.3)


def optimum_of(works=(0.1, 0.9, 0.4, 0.5), seconds=8.0, used=0.6, worst=0.8):
    strikes = (JudgedStrike(p, True, used, w) for p, w in zip(PLANS, works, strict=True))
    return JudgedOptimum(
        2.0,
        seconds,
        (0.3, 1.0, 0.6, 0.7),
        1.2,
        (WorstStrike(0.9, worst),) * len(SAFE),
        tuple(strikes),
    )


def found_of(hits=(HIT,) * 5, counts=count_of, **planned):
    nails = [counts(each, run) for each in RESISTANCES for run in RUNS]
    return HammerFound([setup_of(*hits)], nails, [optimum_of(**planned)])


def verdicts(found):
    return {row.id: row.verdict for row in hammer_report.table(found).rows}


def test_what_goes_well_is_reproduced():
    assert verdicts(found_of()) == dict.fromkeys(NAMES, REPRODUCED)
    summary = hammer_report.table(found_of()).summary
    assert (summary["over_limit"], summary["n"], summary["truths"]) == (0, 5, 1)
    assert summary["work"]["work_over_nominal"] == pytest.approx(1.25)
    assert summary["planner_s"]["optimize"] == {"n": 1, "median": 8.0, "highest": 8.0}
    assert summary["model_error"]["percentile_95"] == pytest.approx(0.025)


@pytest.mark.parametrize(
    ("row", "change"),
    [
        ("S1", {"hits": (HIT, HIT._replace(used=1.01))}),
        ("S1", {"hits": (HIT, HIT._replace(used=float("nan")))}),
        ("S4", {"works": (0.1, 0.9, 0.5, 0.4)}),
        ("S5", {"worst": 1.01}),
        ("S6", {"seconds": 11.0}),
        ("S8", {"hits": (HIT, HIT._replace(stopped="panda_joint6 velocity"))}),
        ("S7", {"hits": (HIT._replace(predicted=0.43),)}),
        ("S7", {"hits": (HIT._replace(contact=0.04),)}),
    ],
)
def test_what_does_not_differs(row, change):
    assert verdicts(found_of(**change))[row] == DIFFERS


def test_a_planned_strike_above_a_limit_is_counted_at_best_poses_too():
    assert verdicts(found_of(used=1.2))["S4"] == DIFFERS


def test_nails_that_are_not_driven_differ_and_rigid_tools_that_never_do_not():
    def never(which):
        return lambda resistance, run: count_of(resistance, run)._replace(
            **({"strikes": None} if run in which else {})
        )

    assert verdicts(found_of(counts=never((RIGID,))))["S2"] == REPRODUCED
    assert verdicts(found_of(counts=never(RUNS[2:])))["S3"] == DIFFERS


def test_strikes_that_hit_nothing_are_counted_apart():
    missed = DrawnStrike(0.5, 0.8, None, None, None, False, None, None, "")
    summary = hammer_report.table(found_of(hits=(HIT, missed))).summary
    assert (summary["n"], summary["nothing_hit"], summary["over_limit"]) == (1, 1, 0)


def test_truths_are_inside_what_is_announced_and_every_second_at_its_ends(panda):
    random = np.random.default_rng(0)
    for number in range(4):
        tool, target = draw_tool(random, rigid=number == 3), draw_target(random)
        for ends in (False, True):
            for case in islice(draw_truths(panda, tool, target, random, ends=ends), 5):
                assert inside(case.tool.mass, tool.mass, ends)
                assert case.tool.stiffness == inf or inside(
                    case.tool.stiffness, tool.stiffness, ends
                )
                assert inside(case.friction, target.friction, ends)
                assert np.hypot(*case.off.offset) <= tool.off_centre * (1.0 + 1e-9)
                assert np.hypot(*case.off.tilt) <= tool.off_angle * (1.0 + 1e-9)
                known = target.nail if isinstance(case.surface, NailCase) else target.stop
                assert inside(case.surface.stiffness, known.stiffness, ends)


def inside(value, bounds, ends):
    low, high = bounds
    at_an_end = np.isclose(value, bounds, rtol=1e-9).any()
    return low * (1.0 - 1e-9) <= value <= high * (1.0 + 1e-9) and (at_an_end or not ends)


def test_the_plant_is_the_truth(panda):
    """Its joints, its tool, its nail; beside the centre and across by what was drawn."""
    random = np.random.default_rng(3)
    tool, target = draw_tool(random), draw_target(random)
    q = draw_pose(panda, tool, random)
    case = next(draw_truths(panda, tool, target, random, ends=True, kind=NailCase))
    world = HammerNail(
        "panda", tuple(q), tool, target, case.tool, case.surface, 0.2, case.off, case.scale
    )
    plant = world.simulation(tool, 0).plant
    np.testing.assert_allclose(
        plant.robot.joint_stiffness[:7], case.scale[0] * panda.joint_stiffness
    )
    assert plant.robot.joint_stiffness[7] == case.tool.stiffness
    assert plant.wall.friction == 0.2 and plant.wall.law == case.surface.law()
    plant.reset(np.append(q, 0.0))
    assert plant.gap == pytest.approx(0.0, abs=1e-9)  # the point that hits is that of the nail
    head = ArmDynamics(world.arm)(q, np.zeros(7))
    assert np.linalg.norm(plant.contact_position - head.position) == pytest.approx(
        np.hypot(*case.off.offset)
    )
    cosine = -plant.wall.surface.normal @ world.direction
    assert np.tan(np.arccos(cosine)) == pytest.approx(np.hypot(*np.tan(case.off.tilt)), rel=1e-6)


def test_a_stop_that_does_not_give_is_refused():
    world = replace(HammerNail(), true_nail=StopCase(inf, 0.3))
    with pytest.raises(SimulationError, match="expected a finite stiffness"):
        world.wall()


@pytest.fixture(scope="module")
def rigid_arm():
    """A rigid head, and a case without errors."""
    world = HammerNail()
    tool, q = world.rigid_tool, np.array(world.q)
    case = StrikeCase(tool.nominal, StopCase(1e6, 0.3), Misalignment(), 0.0)
    return CoastingArm(world.robot, tool, q, case), StrikeLoads(Striker(world.robot, tool, q)), case


def test_the_moving_arm_has_the_load_of_the_frozen_one_in_a_brief_contact(rigid_arm):
    arm, loads, case = rigid_arm
    struck, modelled = arm.strike(case.surface, 0.1), loads.used(case, 0.1).max()
    assert struck.used == pytest.approx(modelled, rel=0.03)
    assert (struck.depth, struck.work) == (0.0, 0.0)


def test_twice_the_speed_at_which_a_limit_is_used_up_is_above_it(rigid_arm):
    """The judge can fail."""
    arm, loads, case = rigid_arm
    assert arm.strike(case.surface, 2.0 * loads.critical(case).speed).used > 1.0


def test_a_nail_is_driven_and_the_deeper_it_is_the_less(rigid_arm):
    arm, _, _ = rigid_arm
    nail = NailCase(3e6, 100.0)
    new, deep = (arm.strike(nail._replace(depth=depth), 0.3) for depth in (0.0, 0.02))
    assert new.depth > deep.depth > 0.0
    assert new.work == pytest.approx(nail.law().work(new.depth))


def test_the_published_bound_does_not_drive_the_nail():
    found = nail_count(400.0, PUBLISHED)
    assert found.strikes is None and 0.0 < found.used < 0.5


def test_exact_ranges_are_the_middle_without_errors():
    random = np.random.default_rng(0)
    tool, target = draw_tool(random), draw_target(random)
    exact, target = exact_of(tool, target)
    assert exact.corners() == [exact.nominal] and exact.nominal == pytest.approx(tool.nominal)
    assert (exact.off_centre, exact.off_angle) == (0.0, 0.0)
    assert target.nail.stiffness == pytest.approx((10**6.5, 10**6.5))


@pytest.mark.slow
def test_a_drawn_set_up_is_struck_below_every_limit():
    """A rigid tool; inside the ranges on a stop, at their ends on a nail: 7 s."""
    found = struck_truth.struck_setup(0, 1)
    assert [each.kind for each in found.truths] == ["stop", "nail"]
    for truth in found.truths:
        assert len(truth.strikes) == struck_truth.STRIKES and not truth.problem
        for each in truth.strikes:
            assert each.used <= each.promised <= 0.8001
            assert each.predicted == pytest.approx(each.used, rel=0.05)
            assert each.detected and 0.9 * each.planned < each.speed < 1.02 * each.planned
    assert struck_truth.KINDS.count(KNOT) == 2


@pytest.fixture
def quick(monkeypatch):
    """No simulation; what was asked for."""
    asked = []

    def note(kind, answer):
        def ask(*what):
            asked.append((kind, *what))
            return answer(*what)

        return ask

    monkeypatch.setattr(struck_truth, "struck_setup", note("set-up", lambda *_: setup_of(HIT, HIT)))
    monkeypatch.setattr(nail_counts, "nail_count", note("nail", count_of))
    monkeypatch.setattr(optimum, "optimum", note("optimum", lambda *_: optimum_of()))
    return asked


def test_the_command_goes_on_and_prints_one_document(quick, capsys, tmp_path):
    command = ["reproduce", "hammer", "--jobs=1", "--out", str(tmp_path / "study")]
    assert impact([*command, "--setups=11"]) == 0
    assert "S8" in capsys.readouterr().out
    assert len(quick) == 11 + len(RESISTANCES) * len(RUNS) + 2
    quick.clear()
    assert impact([*command, "--setups=12", "--resume", "--json"]) == 0
    assert quick == [("set-up", 0, 11)]
    document = json.loads(capsys.readouterr().out)
    assert (document["over_limit"], document["n"], document["truths"]) == (0, 24, 12)
    assert document["strikes_to_depth"][0]["run"] == PUBLISHED
    assert [row["id"] for row in document["tables"][0]["rows"]] == NAMES
    assert document["commit"] and document["seed"] == 0
    assert hammer_study.STUDY == "hammer"
