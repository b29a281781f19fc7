# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impact limit of contact with a person: below the simulation, in every phase and direction."""

from dataclasses import replace

import numpy as np
import pytest
from rigid_arm import RigidArm

from impact_predictor.people.aim import aim_at
from impact_predictor.people.person_speed import person_speed
from impact_predictor.people.person_task import PersonTask, read_person_task
from impact_qp import ControlError, ImpactController, Phase, Plan
from impact_qp.limits import Contact, RobustImpactLimit
from impact_qp.limits.impact_limits.person import PersonLimit
from impact_qp.limits.impact_limits.registry import ON_A_REAL_ARM, SELECTABLE
from impact_qp.limits.impact_limits.strictest import StrictestLimit
from impact_qp.plan_parameters import PlanParameters
from impact_robots import ArmDynamics

COASTING = "region: chest\ncontrol: {kind: coasting}\n"
IMPEDANCE = """region: hand
clamped: true
control: {kind: impedance, stiffness: [600, 600, 600, 600, 250, 150, 50],
          damping: [50, 50, 50, 50, 30, 25, 15]}
"""
SERVO = (
    "region: hand\nclamped: true\ncontrol: {kind: servo, position_gain: 30, velocity_gain: 200}\n"
)
REACTION = "reaction: {force: 20, filter_time: 0.01, delay: 0.02, brake: 5.0}\n"
SLOW = "reaction: {force: 20, filter_time: 0.02, delay: 0.2, brake: 2.0}\n"
TASKS = {"coasting": COASTING, "impedance": IMPEDANCE + REACTION, "servo": SERVO + REACTION}


@pytest.fixture
def person(tmp_path):
    """Write a task and read it."""

    def read(text):
        path = tmp_path / "near.yaml"
        path.write_text(text)
        return read_person_task(path)

    return read


@pytest.fixture
def far(panda):
    """Return a surface half a metre in front of the stance, its normal towards the arm."""
    place = ArmDynamics(panda)(np.array(panda.stance), np.zeros(7)).position
    return Contact(place + np.array([0.5, 0.0, 0.0]), [-1.0, 0.0, 0.0], (0.0, 0.3), (0.0, 0.3))


@pytest.mark.parametrize("text", TASKS.values(), ids=TASKS)
def test_no_bound_is_above_the_simulated_speed_in_any_direction(panda, far, person, text):
    """In drawn places and directions; the judge is the simulation with loop and reaction."""
    task, random, dynamics = person(text), np.random.default_rng(4), ArmDynamics(panda)
    limit, limits = PersonLimit(panda, far, person=task), panda.limits
    for _ in range(8):
        q = random.uniform(0.9 * limits.position_lower, 0.9 * limits.position_upper)
        direction = random.normal(size=3)
        direction /= np.linalg.norm(direction)
        state = dynamics(q, np.zeros(7))
        to = aim_at(panda, state.robot_state, direction)
        simulated = person_speed(to, task.contact(), task.loop(to), task.reaction).v_max
        bound = limit.towards(state, direction)
        assert 0.2 * simulated < bound <= simulated


def test_the_bound_towards_the_surface_is_that_of_its_direction(panda, far, person):
    limit = PersonLimit(panda, far, person=person(COASTING))
    state = ArmDynamics(panda)(np.array(panda.stance), np.zeros(7))
    assert limit.present_bound(state) == (limit.towards(state, -far.normal), "person: chest")
    behind = limit.against(replace(far, normal=-far.normal))
    assert behind.speed_bound(state).speed == limit.towards(state, far.normal)


class Bench:
    """A controller and a rigid arm with friction and a sensor's noise."""

    def __init__(self, robot, plan):
        self.controller, self.dynamics = ImpactController(robot, plan), ArmDynamics(robot)
        self.arm = RigidArm(robot, robot.stance, friction=0.2)
        self.random = np.random.default_rng(0)

    def run(self, count, impact=False):
        """Return the contact point's states and the last command of so many cycles."""
        states = []
        for _ in range(count):
            q = self.arm.q + 1e-5 * self.random.standard_normal(7)
            dq = self.arm.dq + 4e-3 * self.random.standard_normal(7)
            command = self.controller.update(q, dq, impact=impact)
            self.controller.catch_up()
            self.arm.step(command.torque)
            states.append(self.dynamics(self.arm.q, self.arm.dq))
        return states, command


@pytest.mark.parametrize("kind", ["unaware", "robust"])
def test_no_phase_is_faster_than_what_a_person_allows_in_its_direction(panda, far, person, kind):
    """Approach, retraction, brake and hold, asked for much more; 0.06 m/s are allowed."""
    task = person(SERVO + SLOW)
    options = {"speed": 0.5, "retract_speed": 0.5, "retract_distance": 1.0, "person": task}
    bench = Bench(panda, Plan(far, kind, **options))
    phases = [bench.run(400)]
    assert phases[0][1].phase is Phase.APPROACH
    bench.run(150, impact=True)
    phases.append(bench.run(400))
    assert phases[1][1].phase is Phase.RETRACT
    bench.controller.stop()
    phases.append(bench.run(300))
    assert phases[2][1].phase is Phase.HOLD
    limit, fastest = PersonLimit(panda, far, person=task, margin=0.0), 0.0
    for state in (state for states, _ in phases for state in states):
        speed = float(np.linalg.norm(state.velocity))
        if speed > 0.005:
            bound = limit.towards(state, state.velocity / speed)
            fastest = max(fastest, speed / bound)
            assert speed < bound
    assert fastest > (0.6 if kind == "unaware" else 0.3)  # the person, or the obstacle, binds


def test_the_row_says_that_it_is_the_person(panda, far, person):
    options = {"retract_speed": 0.5, "retract_distance": 1.0, "person": person(SERVO + SLOW)}
    bench = Bench(panda, Plan(far, "unaware", speed=0.5, **options))
    _, towards = bench.run(300)
    assert "envelope: person" in towards.active and 0.0 < towards.speed_bound < 0.2
    bench.run(150, impact=True)
    _, back = bench.run(300)
    assert "envelope: person" in back.active


def test_a_person_is_beside_every_kind_and_the_smallest_bound_counts(panda, far, person):
    state = ArmDynamics(panda)(np.array(panda.stance), np.zeros(7))
    task = person(IMPEDANCE + REACTION)
    both = Plan(far, "robust", person=task).impact_limit(panda, 1e-3)
    assert isinstance(both, StrictestLimit) and both.everywhere
    robust = RobustImpactLimit(panda, far).speed_bound(state).speed
    alone = PersonLimit(panda, far, person=task).speed_bound(state).speed
    assert both.speed_bound(state).speed == pytest.approx(min(robust, alone))
    assert both.towards(state, -far.normal) == alone
    assert isinstance(Plan(far, "person", person=task).impact_limit(panda, 1e-3), PersonLimit)


def test_both_ends_of_a_payload_count(panda, far, person):
    loaded = replace(panda, payload=(0.0, 3.0))
    limit = Plan(far, "person", person=person(COASTING)).impact_limit(loaded, 1e-3)
    state = ArmDynamics(panda)(np.array(panda.stance), np.zeros(7))
    assert limit.everywhere
    assert limit.towards(state, -far.normal) <= limit.speed_bound(state).speed + 1e-12


def test_a_person_alone_does_not_protect_a_real_arm():
    assert "person" in SELECTABLE and "person" not in ON_A_REAL_ARM


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (IMPEDANCE, "expected a reaction of an arm with control impedance, got none"),
        (
            IMPEDANCE + "reaction: {force: 300, brake: 5.0}\n",
            "expected a detection that leaves room below the permissible 280 N",
        ),
        ("control: {kind: coasting}\n", "region: expected one of neck, back"),
        ("region: face\n", "no contact with head or face"),
        ("region: hand\ncontrol: {kind: impedance, stiffness: [1], damping: [1]}\n", "stiffness"),
    ],
)
def test_a_task_that_allows_nothing_is_refused_in_one_line(panda, far, person, text, line):
    with pytest.raises(ControlError) as error:
        PersonLimit(panda, far, person=person(text))
    assert line in str(error.value) and "\n" not in str(error.value)


def test_without_a_task_it_says_what_is_missing(panda, far):
    with pytest.raises(ControlError, match="expected a task of contact with a person"):
        Plan(far, "person").impact_limit(panda, 1e-3)


def test_a_node_reads_the_task_of_its_parameter(tmp_path):
    path = tmp_path / "near.yaml"
    path.write_text(COASTING)
    known = {"contact_point": (0.5, 0.0, 0.4), "contact_normal": (-1.0, 0.0, 0.0)}
    plan = PlanParameters(person=str(path), **known).plan()
    assert isinstance(plan.person, PersonTask) and plan.person.region == "chest"
    assert PlanParameters(**known).plan().person is None
    with pytest.raises(ControlError, match=r"person: .*none\.yaml"):
        PlanParameters(person=str(tmp_path / "none.yaml"), **known).plan()


def test_no_bound_is_above_the_cap_of_the_task(panda, far, person):
    point = ArmDynamics(panda)(np.array(panda.stance), np.zeros(7))
    free, capped = (
        PersonLimit(panda, far, person=person(COASTING + more)) for more in ("", "cap: 0.05\n")
    )
    assert free.speed_bound(point).speed > 0.1
    assert capped.speed_bound(point).speed == 0.05
    assert capped.towards(point, np.array([0.0, 1.0, 0.0])) <= 0.05
