# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is compiled says the same as the plain form, and nothing is compiled in a cycle."""

import subprocess
import sys

import numpy as np
import pinocchio as pin
import pytest
from numba.core import event
from packed_states import packed

from impact_qp import Contact, ImpactController, Plan, solve
from impact_qp.compiled.binding_rows import minimum_on
from impact_qp.compiled.guards import (
    DISAGREEING,
    GOOD,
    IMPLAUSIBLE,
    agreeing,
    judged,
    plausible,
    sendable,
    within,
)
from impact_qp.compiled.motion_step import filtered, moved
from impact_qp.compiled.spreading_program import joint_velocity
from impact_qp.control.approach import ApproachTasks
from impact_qp.control.standard_program import StandardProgram
from impact_qp.guards.plausibility import JITTER, StateGate
from impact_qp.limits import (
    ExistentialImpactLimit,
    JointLimit,
    RobustImpactLimit,
    SpeedBound,
    TorqueLimit,
)
from impact_qp.program.build import ProgramBuilder
from impact_qp.program.program import NoSolutionFound, _binding_with_equalities, numbers_of
from impact_qp.tasks import OrientationTask, PostureTask, VelocityTask
from impact_robots import ArmDynamics

DT, EXACT = 1e-3, {"rtol": 1e-12, "atol": 1e-12}


def close(one, other):
    np.testing.assert_allclose(one, other, **EXACT)


def rotation(vector):
    return pin.exp3(np.array(vector))


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-5, 0.3, 1.6, 3.0, np.pi - 1e-3])
def test_an_orientation_is_brought_back_by_the_rotation_vector(at_impact, angle):
    axis = np.array([0.6, -0.48, 0.64])
    task = OrientationTask()
    task.reference = at_impact.rotation @ rotation(angle * axis)
    task.feedforward = np.array([0.5, -1.0, 2.0])
    _, b = task.residual(at_impact.robot_state)
    turn = at_impact.rotation @ (angle * axis)
    wanted = task.stiffness * turn - task.damping * at_impact.twist[3:] - at_impact.drift[3:]
    wanted += task.feedforward
    np.testing.assert_allclose(b, wanted, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0.6, 0, -0.8), (-0.6, -0.48, 0.64)])
def test_half_a_turn_has_its_axis(at_impact, axis):
    task = OrientationTask(stiffness=1.0, damping=0.0)
    task.reference = rotation(np.pi * np.array(axis)) @ at_impact.rotation
    turn = task.residual(at_impact.robot_state)[1] + at_impact.drift[3:]
    np.testing.assert_allclose(abs(turn), np.pi * abs(np.array(axis)), atol=1e-7)
    np.testing.assert_allclose(rotation(turn), rotation(np.pi * np.array(axis)), atol=1e-9)


def test_tasks_ask_for_what_their_formulas_say(random_states):
    velocity, posture = VelocityTask(), PostureTask(7)
    velocity.reference, velocity.feedforward = np.array([0.1, 0.2, -0.3]), np.array([1.0, 2.0, 3.0])
    for point in random_states(10):
        state = point.robot_state
        (A, b), v = velocity.residual(state), point.velocity
        close(A, point.J[:3])
        asked = velocity.feedforward + velocity.gain * (velocity.reference - v) - point.drift[:3]
        close(b, asked)
        A, b = posture.residual(state)
        close(A, np.eye(7))
        close(b, posture.stiffness * (posture.reference - state.q) - posture.damping * state.dq)


def test_the_cost_is_the_sum_of_the_tasks(random_states):
    tasks = (VelocityTask(), OrientationTask(), PostureTask(7))
    builder = ProgramBuilder(7, tasks, ())
    for point in random_states(10):
        H, c, *_ = builder.build(point.robot_state)
        parts = [task.objective(point.robot_state) for task in tasks]
        close(H, sum(part[0] for part in parts) + 1e-6 * np.eye(7))
        close(c, sum(part[1] for part in parts))


def narrowed(box, lower, upper):
    low, high = box
    return np.clip(lower, low, high), np.clip(upper, low, high)


def test_the_box_of_the_joints(panda, random_states):
    limit, limits = JointLimit(panda, DT), panda.limits
    step, braking = limits.jerk * DT, 0.5 * limits.acceleration
    limit.previous = np.linspace(-3.0, 3.0, 7)

    def using_up(speed):
        root = np.sqrt(np.maximum(step**2 + 2.0 * limits.jerk * speed, 0.0)) - step
        return np.where(speed > 0.0, root, speed / DT)

    for point in random_states(50, speed=1.2):
        q, dq = point.q + point.dq * DT, point.dq
        box = narrowed(
            (-limits.acceleration, limits.acceleration),
            limit.previous - step,
            limit.previous + step,
        )
        box = narrowed(box, -using_up(limits.velocity + dq), using_up(limits.velocity - dq))
        down, up = (
            np.sqrt(2.0 * braking * np.maximum(way, 0.0))
            for way in (q - limits.position_lower - 1e-4, limits.position_upper - 1e-4 - q)
        )
        box = narrowed(box, -using_up(down + dq), using_up(up - dq))
        close(limit.box(point.robot_state), box)
        rows = limit.rows(point.robot_state)
        close(rows.h, np.concatenate([box[1], -box[0]]))


def test_the_box_of_the_torques(panda, random_states):
    limit = TorqueLimit(panda, DT)
    limit.previous = np.linspace(-5.0, 5.0, 7)
    most, step = panda.limits.torque, panda.limits.torque_rate * DT * (1.0 - 1e-9)
    for point in random_states(20):
        g = point.g
        low, high = np.maximum(-most, g - most), np.minimum(most, g + most)
        box = [np.clip(limit.previous + g + sign * step, low, high) for sign in (-1, 1)]
        close(limit.box(point.robot_state), box)
        rows, inertia = (
            limit.rows(point.robot_state),
            point.M + np.diag(panda.apparent_motor_inertia),
        )
        close(rows.G, np.vstack([inertia, -inertia]))
        close(rows.h, np.concatenate([box[1] - point.h, point.h - box[0]]))


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.8])
def test_the_worst_speed_is_that_of_all_rows(panda, contact, random_states, friction):
    surface = Contact(contact.point, contact.normal, friction, (0.0, 0.4))
    limit, bounded = RobustImpactLimit(panda, surface), set()
    for point in random_states(200, speed=1.1):
        bound, plain = limit.speed_bound(point), limit._any_bound(point)
        np.testing.assert_allclose(bound.speed, plain.speed, rtol=1e-12)
        assert bound.name == plain.name
        bounded.add(bound.name.split(" ", 1)[-1])
    assert len(bounded) > 1


@pytest.mark.parametrize("bounded", [{}, {"frame": "panda_link7", "margin": 0.1}])
def test_existential_rows_are_those_of_all_that_is_bounded(panda, contact, random_states, bounded):
    limit, written = ExistentialImpactLimit(panda, contact, **bounded), []
    limit.unexplained = np.linspace(-1.0, 1.0, 7)
    for point in random_states(100):
        state = point.robot_state
        rows = limit.rows(state)
        G, E, h = np.ones(rows.G.shape), np.ones(rows.E.shape), np.ones(rows.h.shape)
        written.append(limit._fill_any(state.at(limit.frame), G, E, h))
        if written[-1]:
            for one, other in ((rows.G, G), (rows.E, E), (rows.h, h)):
                close(one, other)
        else:
            assert not rows.G.any() and not rows.E.any() and np.all(rows.h > 0.0)
    assert 20 < sum(written) < 80


def test_a_body_without_inertia_stops_the_arm(panda, contact, at_impact):
    point = at_impact._replace(
        robot_state=at_impact.robot_state._replace(rotational_inertia=np.zeros((3, 3)))
    )
    assert RobustImpactLimit(panda, contact).speed_bound(point).speed == 0.0


@pytest.fixture
def standard(panda, contact):
    """Tasks and limits of an approach, and their standard program."""
    plan = Plan(contact, "robust")
    approach = ApproachTasks(panda, plan, DT)
    limits = [JointLimit(panda, DT), TorqueLimit(panda, DT), plan.impact_limit(panda, DT)]
    limits[0].previous, limits[1].previous = np.zeros(7), np.zeros(7)
    approach.velocity.reference = -3.0 * contact.normal
    return approach.tasks, limits, StandardProgram.of(panda, approach.tasks, limits)


def test_the_standard_program_is_that_of_tasks_and_limits(standard, random_states):
    tasks, limits, program = standard
    builder, active = ProgramBuilder(7, tasks, limits), set()
    for point in random_states(100, speed=0.02):
        state = point.robot_state
        tasks[1].reference, tasks[2].reference = point.rotation, point.q
        speed, name = limits[2].speed_bound(point)
        before = limits[2].bound = SpeedBound(1.001 * speed, name)  # it falls
        built = builder.build(state)
        limits[2].bound = before
        plain = solve(built)
        answer = program.solve(packed(point), plain.rows)
        if answer is None or answer[1] != plain.rows:  # rounding: a row that hardly binds
            continue
        found = answer[0]
        np.testing.assert_allclose(found.ddq, solve(built, guess=plain.rows).x, **EXACT)
        assert found.active == plain.active
        np.testing.assert_allclose(limits[2].bound.speed, speed, **EXACT)
        assert limits[2].bound.name == name
        active |= set(found.active)
        np.testing.assert_allclose(found.torques[1], state.M @ found.ddq + state.h, rtol=1e-11)
    assert any(name.startswith("impact") for name in active)
    assert len(active) > 5


def other_rows(rows, change):
    """Rows that might bind instead of those that do."""
    others = [row for row in (28, 3, 9, 15, 20) if row not in rows]
    return {
        "one less": rows[1:],
        "one more": (*rows[:6], others[0]),
        "another": (*rows[1:], others[1]),
        "none": (),
        "others": tuple(others[:3]),
    }[change]


@pytest.mark.parametrize(
    ("change", "least"),
    [("one less", 25), ("one more", 25), ("another", 15), ("none", 15), ("others", 3)],
)
def test_from_a_wrong_guess_the_solvers_answer_is_found(standard, random_states, change, least):
    """Or nothing is; of 40 states where many rows bind most are, if the guess is near."""
    tasks, limits, program = standard
    found = 0
    for point in random_states(40, speed=0.02):
        tasks[1].reference, tasks[2].reference = point.rotation, point.q
        state, before = point.robot_state, limits[2].bound
        plain = solve(ProgramBuilder(7, tasks, limits).build(state))
        limits[2].bound = before
        answer = program.solve(packed(point), other_rows(plain.rows, change))
        if answer is None:
            assert limits[2].bound is before  # as if nobody had guessed
            continue
        found += 1
        np.testing.assert_allclose(answer[0].ddq, plain.x, rtol=1e-8, atol=1e-8)
        assert set(answer[1]) == set(plain.rows) and set(answer[0].active) == set(plain.active)
    assert found >= least, found


@pytest.mark.parametrize("rows", [(10_000,), (-1,), tuple(range(8))])
def test_a_guess_of_no_rows_is_none(standard, at_impact, rows):
    assert standard[2].solve(packed(at_impact), rows) is None


def test_where_nothing_fits_nothing_is_found(standard, at_impact):
    tasks, limits, program = standard
    limits[1].previous = 1e6 * np.ones(7)  # torques that no acceleration within limits has
    assert program.solve(packed(at_impact), ()) is None
    with pytest.raises(NoSolutionFound):
        solve(ProgramBuilder(7, tasks, limits).build(at_impact.robot_state))


def test_numbers_that_are_none_are_not_solved(standard, at_impact):
    tasks, _, program = standard
    tasks[2].reference = np.full(7, np.nan)
    assert program.solve(packed(at_impact), ()) is None


@pytest.mark.parametrize("method", ["speed_bound", "present_bound"])
def test_a_bound_that_is_worked_out_in_another_way_is_obeyed(panda, standard, at_impact, method):
    tasks, limits, _ = standard

    def half(self, point):
        return SpeedBound(0.5 * RobustImpactLimit.speed_bound(self, point).speed, "half")

    kind = type("Slower", (RobustImpactLimit,), {method: half})
    slower = [*limits[:2], kind(panda, limits[2].contact)]
    plain = solve(ProgramBuilder(7, tasks, slower).build(at_impact.robot_state))
    program = StandardProgram.of(panda, tasks, slower)
    found, _ = program.solve(packed(at_impact), plain.rows)
    np.testing.assert_allclose(found.ddq, plain.x, rtol=1e-8, atol=1e-8)
    assert slower[2].bound == half(limits[2], at_impact)


def test_what_is_extended_is_no_standard_program(panda, standard):
    tasks, limits, _ = standard

    class Gentle(VelocityTask):
        def fill(self, state, A, b):
            super().fill(state, A, b)
            b *= 0.5

    class Heavier(RobustImpactLimit):
        def approach(self, point):
            gradient, offset = super().approach(point)
            return gradient, offset - 0.01

    elsewhere = VelocityTask(frame="panda_link4")
    heavier = Heavier(panda, limits[2].contact)
    assert StandardProgram.of(panda, tasks, limits[:2]) is not None
    for others in ((Gentle(), *tasks[1:]), (elsewhere, *tasks[1:]), tasks[::-1], tasks[:2]):
        assert StandardProgram.of(panda, others, limits) is None
    for others in ([*limits[:2], heavier], [*limits, limits[2]], limits[::-1], limits[:1]):
        assert StandardProgram.of(panda, tasks, others) is None


def test_guessed_rows_are_those_of_the_plain_form(standard, random_states):
    tasks, limits, _ = standard
    for point in random_states(30, speed=0.02):
        tasks[1].reference, tasks[2].reference = point.rotation, point.q
        program = ProgramBuilder(7, tasks, limits).build(point.robot_state)
        rows = solve(program).rows
        x, found = minimum_on(*program[:4], numbers_of(rows), 1e-10)
        plain = _binding_with_equalities(program, rows)
        if found and plain is not None:
            np.testing.assert_allclose(x, plain, rtol=1e-9, atol=1e-9)
        assert not minimum_on(*program[:4], numbers_of((0, 7)), 1e-10)[1]  # both ends of a box


def test_guessed_rows_may_be_nearly_dependent(panda, contact, at_impact):
    """Those of the published limit: the parts of an impulse hardly cost anything."""
    approach, n = ApproachTasks(panda, Plan(contact), DT), contact.normal
    approach.velocity.reference = -3.0 * n
    approach.orientation.reference, approach.posture.reference = at_impact.rotation, at_impact.q
    limits = [JointLimit(panda, DT), TorqueLimit(panda, DT), ExistentialImpactLimit(panda, contact)]
    builder, most = ProgramBuilder(7, approach.tasks, limits), 0.0
    for speed in (0.05, 0.1, 0.15):
        dq = -speed * np.linalg.pinv(at_impact.J[:3]) @ n
        program = builder.build(ArmDynamics(panda).state(at_impact.q, dq))
        plain = solve(program)
        x, found = minimum_on(*program[:4], numbers_of(plain.rows), 1e-10)
        binding = program.G[list(plain.rows)]
        assert found and len(binding) > 8
        np.testing.assert_allclose(binding @ x, program.h[list(plain.rows)], rtol=0, atol=1e-10)
        np.testing.assert_allclose(x, plain.x, rtol=1e-6, atol=1e-6)
        most = max(most, np.linalg.cond(binding @ np.linalg.solve(program.H, binding.T)))
    assert most > 1e14


def test_joints_move_as_the_reference_of_a_point_and_turn_nothing(random_states):
    random = np.random.default_rng(5)
    for point in random_states(20):
        linear, first = random.standard_normal(3), random.standard_normal()
        rows, wanted = np.vstack([point.J, np.eye(1, 7)]), np.array([*linear, 0, 0, 0, first])
        damped, right = np.vstack([rows, 1e-4 * np.eye(7)]), np.append(wanted, np.zeros(7))
        expected = np.linalg.lstsq(damped, right, rcond=None)[0]
        found = joint_velocity(point.J, linear, first, 1e-8)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_a_step_of_the_filter_and_of_the_motion():
    random = np.random.default_rng(0)
    step, known = random.standard_normal((3, 6)), random.standard_normal((3, 7))
    q, dq, ddq, slow = random.standard_normal((4, 7))
    wanted = step @ np.vstack([known, ddq, q, dq])
    (velocity, position), smoothed = np.empty((2, 7)), slow.copy()
    filtered(step, known, smoothed, q, dq, ddq, 0.02, velocity)
    close(known, wanted)
    close(velocity, wanted[1])
    close(smoothed, slow + 0.02 * (wanted[2] - slow))
    moved(q, dq, ddq, DT, velocity, position)
    close(velocity, dq + ddq * DT)
    close(position, q + dq * DT + 0.5 * ddq * DT**2)


def test_guards_judge_as_their_plain_forms(panda):
    random, gate, taken = np.random.default_rng(0), StateGate(panda), []
    limits = panda.limits
    gate._time, gate._q = 0, panda.stance.copy()
    for _ in range(300):
        q = gate._q + random.uniform(-1.2, 1.2) * (JITTER + gate._fastest * DT)
        dq = 2.2 * random.uniform(-1.0, 1.0, 7) * limits.velocity
        if random.random() < 0.2:
            (q if random.random() < 0.5 else dq)[random.integers(7)] = np.nan
        plain = gate._implausible(q, dq) or gate._moved_too_far(q, DT)
        taken.append(plausible(q, dq, gate._q, gate._bounds, DT))
        assert taken[-1] == (not plain)
        assert within(dq, limits.velocity, 1.1) == bool((abs(dq) <= 1.1 * limits.velocity).all())
    assert 20 < sum(taken) < 280
    q, dq, last_q, last_dq, apart = random.standard_normal((5, 7))
    after, before, bounds = np.zeros(7), (last_q, last_dq, apart), np.full((4, 7), 1e4)
    bounds[0] = -1e4
    for tolerance in (2.0, 200.0):
        bounds[3] = tolerance
        good = agreeing(q, dq, *before, bounds, DT, after)
        close(after, (apart + (q - last_q - 0.5 * DT * (dq + last_dq)) / 0.1) * 0.99)
        assert good == bool((abs(after) <= tolerance).all())
    found = []
    for bounds[2], bounds[3] in ((1e4, 200.0), (0.1, 200.0), (1e4, 2.0)):
        found.append(judged(q, dq, *before, bounds, DT, after))
    assert found == [GOOD, IMPLAUSIBLE, DISAGREEING]


def test_torques_are_sent_as_their_plain_limits_say(panda):
    random, limits, judged_well = np.random.default_rng(0), panda.limits, []
    for _ in range(300):
        gravity, last = 0.2 * random.uniform(-1.0, 1.0, (2, 7)) * limits.torque
        beyond = last + random.uniform(-1.1, 1.1) * limits.torque_rate * DT
        torque = gravity + (random.choice([1.0, 4.0, np.nan], p=[0.8, 0.1, 0.1])) * beyond
        sent = torque - gravity
        plain = (abs(sent) <= limits.torque).all() and (abs(torque) <= limits.torque).all()
        plain = plain and (abs(sent - last) / DT <= limits.torque_rate).all()
        allowed, wrote = np.stack([limits.torque, limits.torque_rate]), np.zeros(7)
        judged_well.append(sendable(torque, gravity, sent, last, allowed, DT, 1.0, wrote))
        assert judged_well[-1] == plain
        close(wrote, sent)
    assert 20 < sum(judged_well) < 280


@pytest.mark.parametrize("after", ["retract", "press"])
@pytest.mark.parametrize("mode", ["robust", "existential", "unaware"])
def test_nothing_is_compiled_in_a_cycle(panda, contact, scenario, mode, after):
    plan = Plan(contact, mode, speed=0.3, after=after, press_force=5.0)
    controller = ImpactController(panda, plan)
    q, dq, phases = scenario.start(panda).copy(), np.zeros(7), set()
    with event.install_recorder("numba:compile") as recorder:
        for cycle in range(600):
            command = controller.update(q, dq, impact=cycle == 200, elapsed=900_000)
            q, dq = q + DT * dq, dq + DT * command.ddq
            phases.add(command.phase)
    assert not recorder.buffer
    assert len(phases) >= 3


GOAL = """
[ImpactController(r, Plan(c, kind)).update(r.stance, 0 * r.stance)
 for kind in ('robust', 'existential')]
"""  # another kind of limit than that of the plan, as a goal chooses it while the arm moves
RESULT = """
assert run.prediction()
run.holds_impulse(np.ones(3))
"""  # of a goal: worked out in the thread that answers states
PREPARED = """
import sys; import numpy as np
from impact_qp import *; from impact_robots import *; from impact_qp.goals.goal import GoalRun
r, c = load_robot('panda'), Contact((0.6, 0, 0.2), (0, 0, 1))
p = Plan(c, 'unaware')
p.prepare(r)
ImpactController(r, p)
run = GoalRun(r, p, 1.0)
run.before = ArmDynamics(r)(r.stance, np.full(7, 0.01))
before = set(sys.modules)
CODE
print(len(before), *(name for name in set(sys.modules) - before))
"""


@pytest.mark.parametrize("code", [GOAL, RESULT], ids=["goal", "result"])
def test_nothing_compiled_is_loaded_after_what_was_prepared(project_root, code):
    code = PREPARED.replace("CODE", code)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project_root, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert not [name for name in done.stdout.split()[1:] if "compiled" in name]
