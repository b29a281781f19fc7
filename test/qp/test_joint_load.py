# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The limit on joint loads: fresh enough, satisfied by the arm, and chosen where it can be."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
from packed_states import packed

from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.joint_load.worst_load import LoadSearch
from impact_qp import Contact, ControlError, ImpactController, Phase, Plan
from impact_qp.guards.takeover import cannot_be_made_safe
from impact_qp.limits import JointLoadLimit, RobustImpactLimit, velocity_jump
from impact_qp.limits.beside import Beside, Job
from impact_robots import ArmDynamics
from impact_robots.kinematics import inverse_kinematics

KNOWN_AFTER = 170  # cycles: two searches, two cases a cycle
PAST = 0.0  # time after which a first piece is begun, and no more [s]


@pytest.fixture(scope="session")
def wall(contact):
    return Contact(
        contact.point, contact.normal, contact.friction, contact.restitution, stiffness=(1e5, 1e7)
    )


def path(panda, contact, q, cycles, speed=0.25):
    """Configurations of a straight approach at constant speed, 1 kHz."""
    dynamics, states = ArmDynamics(panda), []
    for _ in range(cycles):
        point = dynamics(q, np.zeros(7))
        dq = np.linalg.pinv(point.J) @ np.append(-speed * contact.normal, np.zeros(3))
        states.append(dynamics(q, dq))
        q = q + 1e-3 * dq
    return states


def know(limit, state):
    """Let the limit look at a state until it knows the loads."""
    for _ in range(KNOWN_AFTER):
        limit.look(state)


def test_the_bound_of_a_cycle_is_never_two_percent_above_a_fresh_one(panda, scenario, wall):
    limit = JointLoadLimit(panda, wall)
    states = path(panda, wall, scenario.start(panda), 400)
    know(limit, states[0])
    for i, state in enumerate(states):
        used = limit.present_bound(state).speed
        if i % 10 == 0:
            fresh = JointLoadLimit(panda, wall).speed_bound(state).speed
            assert 0.9 * fresh < used <= 1.02 * fresh


@pytest.mark.parametrize("limits", ["robust", "joint_load"])
def test_a_controller_that_is_over_goes_at_once(panda, scenario, wall, limits):
    """A node makes one for each goal; what waits for the garbage collector adds up."""
    controller = ImpactController(panda, Plan(wall, impact_limits=limits))
    for _ in range(5):
        controller.update(scenario.start(panda), np.zeros(7))
        controller.catch_up()
    own = ("_solver", "_dynamics", "_envelope", "impact_limit")
    left = [weakref.ref(getattr(controller, name)) for name in own]
    gc.disable()
    try:
        del controller
        assert [each() for each in left] == [None] * len(own)
    finally:
        gc.enable()


@pytest.mark.parametrize("phase", [each for each in Phase if each is not Phase.PRESS])
def test_in_no_phase_does_a_command_wait_for_deferred_work(panda, scenario, wall, phase):
    """An arm that braked after its way back rated cases before the command, without a deadline."""
    plan = Plan(wall, impact_limits="joint_load")
    controller = ImpactController(panda, plan, phases=lambda now, plan: phase)
    watches = [controller.impact_limit._watch, controller._envelope.backward._watch]
    states = path(panda, wall, scenario.start(panda), 40, speed=-0.1)  # away from the surface
    for state in states:
        controller.update(state.q, state.dq)
        controller.catch_up(PAST)
        assert [each._due for each in watches] == [None, None]


# where bounds of different joints change fast: contact configuration, speed, friction
CHANGING = {
    "one falls as another rises": (
        [-0.47, -1.175, 0.722, -2.708, 2.582, 2.475, -2.43],
        0.09,
        (0.0, 0.279),
    ),
    "another joint": ([-0.47, -1.175, 0.722, -2.708, 2.582, 2.475, -2.43], 0.09, 0.279),
    "fast": ([-2.3762, 1.3407, 1.5208, -2.6548, -0.7096, 3.111, -1.4735], 0.29, (0.0, 0.279)),
    "two at contact": (
        [1.3517, -0.9298, -1.2624, -1.9667, -0.2871, 2.9849, 2.2195],
        0.29,
        (0.0, 0.279),
    ),
    "another friction": (
        [1.414, 0.785, -1.343, -1.748, 1.097, 2.946, -0.733],
        0.18,
        (0.0, 0.279),
    ),
}


@pytest.mark.parametrize("name", CHANGING)
def test_a_bound_that_changes_on_the_way_is_followed(panda, wall, name):
    """It was 3 to 16 % too high."""
    end, speed, friction = CHANGING[name]
    start = inverse_kinematics(panda, np.array(end), 0.05 * wall.normal)
    point = ArmDynamics(panda).position(np.array(end))
    wall = Contact(point, wall.normal, friction, (0.02, 0.3), stiffness=wall.stiffness)
    limit, fresh = JointLoadLimit(panda, wall), JointLoadLimit(panda, wall)
    states = path(panda, wall, start, round(0.05 / speed / 1e-3), speed=speed)
    know(limit, states[0])
    for i, state in enumerate(states):
        used = limit.present_bound(state).speed
        if i % 10 == 0:
            assert used <= 1.02 * fresh.speed_bound(state).speed


def test_until_the_loads_are_known_the_arm_does_not_approach(panda, at_impact, wall):
    limit = JointLoadLimit(panda, wall)
    first = limit.present_bound(at_impact)
    assert first == (0.0, "loads not known yet")
    know(limit, at_impact)
    assert limit.present_bound(at_impact) == limit.speed_bound(at_impact)


def test_work_between_cycles_changes_no_bound(panda, scenario, wall):
    early, late = JointLoadLimit(panda, wall), JointLoadLimit(panda, wall)
    states = path(panda, wall, scenario.start(panda), 60)
    bounds = []
    for state in [states[0]] * KNOWN_AFTER + states:
        bounds.append(early.present_bound(state))
        early.look(state)
        early.catch_up()
        early.catch_up()
        assert late.present_bound(state) == bounds[-1]
        late.look(state)
    assert bounds[-1].speed > 0.0


def test_a_packed_state_has_the_same_bound_and_counts_once(panda, scenario, wall):
    plain, limit = JointLoadLimit(panda, wall), JointLoadLimit(panda, wall)
    for point in path(panda, wall, scenario.start(panda), KNOWN_AFTER):
        bound, state = plain.present_bound(point), packed(point)
        assert limit.packed_bound(state) == bound == limit.packed_bound(state)
        assert limit.present_bound(state.point) == bound  # as where a solver is needed
        plain.catch_up()
        limit.catch_up()
    assert bound.speed > 0.0


def test_while_a_command_waits_no_case_is_rated(panda, at_impact, wall, monkeypatch):
    limit = JointLoadLimit(panda, wall)
    know(limit, at_impact)
    limit.catch_up()
    rated = []
    rate = limit._watch._rate
    monkeypatch.setattr(limit._watch, "_rate", lambda *case: rated.append(0) or rate(*case))
    assert limit.present_bound(at_impact).speed > 0.0
    assert not rated
    for _ in range(20):  # after it one is, now and then
        limit.look(at_impact)
    assert rated


def test_an_arm_that_can_stop_in_time_need_not_know_its_bound(panda, at_impact, wall, monkeypatch):
    """To find it takes a whole search; that was done in the cycle in which a goal began."""
    limit, asked = JointLoadLimit(panda, wall), []
    bound = limit.speed_bound
    monkeypatch.setattr(limit, "speed_bound", lambda point: asked.append(0) or bound(point))
    dq = np.linalg.pinv(at_impact.J[:3]) @ (-0.3 * wall.normal)
    moving = ArmDynamics(panda)(at_impact.q, dq)
    assert cannot_be_made_safe(panda, limit, moving, 0.1, 0.05) == ""
    assert not asked
    assert "the arm moves at 0.300 m/s" in cannot_be_made_safe(panda, limit, moving, 0.001, 0.05)
    assert asked


class Clock:
    """Of a machine that has time for so many pieces of work in a cycle."""

    def __init__(self, monkeypatch, pieces):
        self.pieces, self._now = pieces, 0
        monkeypatch.setattr("impact_qp.limits.impact_limits.load_watch.perf_counter", self._passes)

    def _passes(self):
        self._now += 1
        return self._now

    def cycle(self, limit, state):
        """Return the bound of a cycle [m/s], and work until its time is over."""
        bound = limit.present_bound(fresh(state)).speed
        self._now = 0
        limit.catch_up(self.pieces)
        return bound


@pytest.mark.parametrize("pieces", [0, 1, 3])  # one always
def test_where_time_is_short_a_case_is_rated_over_several_cycles(
    panda, at_impact, wall, monkeypatch, pieces
):
    limit, clock, cycles = JointLoadLimit(panda, wall), Clock(monkeypatch, pieces), 0
    while clock.cycle(limit, at_impact) == 0.0:
        cycles += 1
        assert cycles < 12 * 2 * KNOWN_AFTER
    assert cycles > 2 * KNOWN_AFTER
    assert limit.present_bound(at_impact) == limit.speed_bound(at_impact)


def test_a_bound_is_followed_where_time_is_short(panda, scenario, wall, monkeypatch):
    limit, clock = JointLoadLimit(panda, wall), Clock(monkeypatch, 4)
    states = path(panda, wall, scenario.start(panda), 400)
    for _ in range(5 * KNOWN_AFTER):
        clock.cycle(limit, states[0])
    for i, state in enumerate(states):
        used = clock.cycle(limit, state)
        if i % 10 == 0:
            fresh = JointLoadLimit(panda, wall).speed_bound(state).speed
            assert 0.9 * fresh < used <= 1.02 * fresh


def test_when_time_runs_out_on_the_way_nothing_is_known_after_five_millimetres(
    panda, scenario, wall, monkeypatch
):
    limit, clock = JointLoadLimit(panda, wall), Clock(monkeypatch, 0)
    states = path(panda, wall, scenario.start(panda), 40)
    know(limit, states[0])
    bounds = [clock.cycle(limit, state) for state in states]
    assert min(bounds[:20]) > 0.0  # 0.25 mm a cycle
    assert max(bounds[23:]) == 0.0


class ToldThread(Beside):
    """Another thread that does each job when it is told to."""

    def __init__(self):
        self.jobs = []

    def begin(self, work):
        self.jobs.append(Job(work))
        return self.jobs[-1]


def test_what_another_thread_has_followed_is_what_is_followed_in_turn(panda, at_impact, wall):
    limit, other = JointLoadLimit(panda, wall), ToldThread()
    while limit.present_bound(fresh(at_impact)).speed == 0.0:
        with other.helps():
            limit.catch_up(PAST)
        for job in other.jobs:
            job.run()
        assert len(other.jobs) <= 1  # in a cycle
        other.jobs.clear()
    limit.catch_up()
    know(limit, at_impact)
    assert limit.present_bound(at_impact) == limit.speed_bound(at_impact)


def test_while_another_thread_works_a_cycle_does_not_wait(panda, at_impact, wall):
    limit, other = JointLoadLimit(panda, wall), ToldThread()
    for _ in range(50):
        limit.present_bound(fresh(at_impact))
        with other.helps():
            limit.catch_up(PAST)
    (job,) = other.jobs
    assert not job.over
    job.run()
    with other.helps():
        limit.present_bound(fresh(at_impact))
        limit.catch_up(np.inf)  # in lockstep everything is done in turn
    assert len(other.jobs) == 1


def test_a_thread_that_is_too_late_leaves_nothing_known(panda, scenario, wall):
    limit, other = JointLoadLimit(panda, wall), ToldThread()
    states = path(panda, wall, scenario.start(panda), 40)
    know(limit, states[0])
    bounds = []
    for state in states:
        bounds.append(limit.present_bound(state).speed)
        with other.helps():
            limit.catch_up(PAST)
    assert min(bounds[:20]) > 0.0  # 0.25 mm a cycle
    assert max(bounds[23:]) == 0.0


def fresh(point):
    """Return a state that was measured anew."""
    return point._replace(robot_state=point.robot_state._replace())


def test_joints_that_no_arm_has_are_found_piece_by_piece(panda, scenario, wall, monkeypatch):
    odd = replace(panda, apparent_motor_inertia=np.full(7, 1e-6))
    limit, clock = JointLoadLimit(odd, wall), Clock(monkeypatch, 1)
    state = ArmDynamics(odd)(scenario.start(panda), np.zeros(7))
    for _ in range(40):
        assert clock.cycle(limit, state) == 0.0
    assert limit.present_bound(state).name == "loads that are no numbers"


def test_an_arm_that_has_jumped_is_looked_at_anew(panda, at_impact, wall):
    limit = JointLoadLimit(panda, wall)
    know(limit, at_impact)
    assert limit.present_bound(at_impact).speed > 0.0
    far = ArmDynamics(panda)(at_impact.q + 0.1, np.zeros(7))
    assert limit.present_bound(far).speed == 0.0


def test_the_bound_is_that_of_the_search_with_a_reserve(panda, at_impact, wall):
    search = LoadSearch(panda, wall)
    worst = search.worst(at_impact, load_limits(panda, at_impact.g))[0]
    kept = JointLoadLimit(panda, wall, margin=0.0).speed_bound(at_impact)
    assert kept.speed == pytest.approx(worst.speed)
    assert kept.name.endswith(("torque change", "torque range"))
    assert JointLoadLimit(panda, wall).speed_bound(at_impact).speed < kept.speed


def test_a_bound_above_a_speed_is_the_bound(panda, wall, random_states):
    """And none where it is not, whichever case ended the search before."""
    limit, above = JointLoadLimit(panda, wall).ranking, 0.2
    states = [ArmDynamics(panda)(state.q, np.zeros(7)) for state in random_states(12)]
    bounds = [limit.speed_bound(state) for state in states]
    assert 2 < sum(bound.speed > above for bound in bounds) < 10
    for state, bound in zip(states, bounds, strict=True):
        expected = bound if bound.speed > above else None
        assert limit.bound_above(state, above) == expected
        assert limit.bound_above(state, -1.0) == bound
        assert limit.bound_above(state, bound.speed) is None


def test_a_search_that_must_be_above_a_speed_looks_at_fewer_cases(panda, at_impact, wall):
    search, before = LoadSearch(panda, wall, joints="nominal"), at_impact.g
    whole = search.worst(at_impact, load_limits(panda, before))
    assert len(search.worst(at_impact, load_limits(panda, before), 0.9 * whole[0].speed)) > 5
    for _ in range(2):
        assert len(search.worst(at_impact, load_limits(panda, before), whole[0].speed)) == 1


def test_velocities_after_the_impact_are_limited_too(panda, at_impact, wall):
    kept = JointLoadLimit(panda, wall).speed_bound(at_impact).speed
    jump = velocity_jump(panda, wall, at_impact)[:, 2]
    joint = int(np.argmax(np.abs(jump)))
    fast = np.zeros(7)
    room = 0.1 * kept * abs(jump[joint])
    fast[joint] = np.sign(jump[joint]) * (0.99 * panda.limits.velocity[joint] - room)
    moving = ArmDynamics(panda)(at_impact.q, fast)
    slow = JointLoadLimit(panda, wall).speed_bound(moving)
    assert slow.name.endswith("velocity after")
    assert slow.speed < 0.5 * kept


def test_auto_is_the_joints_load_where_the_robot_says_enough(panda, contact):
    plan = Plan(contact, "auto")
    assert plan.resolved(panda).impact_limits == "joint_load"
    assert ImpactController(panda, plan).plan.impact_limits == "joint_load"
    for interface in ("velocity", "position"):
        assert replace(plan, interface=interface).resolved(panda).impact_limits == "robust"
    unknown = replace(panda, joint_damping=np.full(7, np.nan))
    assert plan.resolved(unknown).impact_limits == "robust"
    assert isinstance(ImpactController(unknown, plan).impact_limit, RobustImpactLimit)


def test_by_name_it_says_what_is_missing(panda, contact):
    plan = Plan(contact, "joint_load", interface="position")
    expected = "impact_limits joint_load: .*position-controlled arm.*'servo_stiffness'"
    with pytest.raises(ControlError, match=expected):
        ImpactController(panda, plan)


def test_nominal_joints_allow_more(panda, contact, at_impact):
    bounds = [
        Plan(contact, "joint_load", joint_ranges=each)
        .impact_limit(panda, 0.0)
        .speed_bound(at_impact)
        for each in ("announced", "nominal")
    ]
    assert bounds[0].speed < bounds[1].speed
    with pytest.raises(ControlError, match="joint_ranges: expected one of announced, nominal"):
        Plan(contact, joint_ranges="some")


def test_joints_that_no_arm_has_stop_the_approach_and_raise_nothing(panda, scenario, wall):
    """A motor inertia of nearly nothing beside a real one makes the torque loop unstable."""
    odd = replace(panda, apparent_motor_inertia=np.full(7, 1e-6))
    limit = JointLoadLimit(odd, wall)
    q = scenario.start(panda)
    state = ArmDynamics(odd)(q, np.zeros(7))
    assert limit.speed_bound(state) == (0.0, "loads that are no numbers")
    limit.look(state)
    limit.catch_up()
    assert limit.present_bound(state) == (0.0, "loads that are no numbers")
    controller = ImpactController(odd, Plan(wall, "joint_load", speed=0.3))
    speeds = [controller.update(q, np.zeros(7)).normal_speed for _ in range(200)]
    assert controller.impact_limit.bound.speed == 0.0 and max(map(abs, speeds)) < 1e-3
