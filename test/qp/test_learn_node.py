# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""LearnSurface over real DDS: hits that become faster, and every way in which it ends."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("rclpy")

from learn_bench import APPROACHING, LearnBench
from rclpy.lifecycle import TransitionCallbackReturn
from sensor_msgs.msg import JointState

from impact_msgs.action import ExecuteImpact, LearnSurface
from impact_predictor.learning.knowledge import Ceiling
from impact_predictor.learning.learning_box import learning_box
from impact_qp.learning.node import ImpactLearnerNode
from impact_qp.learning.parameters import LearnerParameters
from impact_qp.learning.surface_learner import SurfaceLearner

Result = LearnSurface.Result
HIT = ExecuteImpact.Result


@pytest.fixture
def make_bench(context, panda, scenario):
    made = []

    def make(**changes):
        made.append(LearnBench(context, panda, scenario, **changes))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


@pytest.fixture
def bench(make_bench):
    return make_bench().start()


@pytest.fixture
def underway(make_bench):
    """A bench whose first hit is on its way, before the surface, and the goal's handle."""
    return started(make_bench(duration=APPROACHING))


@pytest.fixture
def impatient(make_bench):
    """The same, of a learner that waits for half a second, and a plant that stands still."""
    own = {"silence_timeout": 0.5}
    return started(make_bench(duration=APPROACHING, unfinished=60.0, learner=own))


def started(bench):
    bench.start()
    handle = bench.send(bench.goal())
    bench.approaching()
    return bench, handle


def learned(bench):
    return [each for each in bench.feedback if each.learned]


def test_hits_become_faster_and_none_overloads_a_joint(bench):
    goal = bench.goal(hits=2)
    result = bench.result(bench.send(goal))
    assert (result.success, result.code, result.hits) == (True, Result.CODE_OK, 2), result.message
    bench.spin(lambda: len(bench.feedback) == 4)
    assert [(each.hit, each.learned) for each in bench.feedback] == [
        (1, False),
        (1, True),
        (2, False),
        (2, True),
    ]
    first, second = learned(bench)
    assert (first.reason, second.reason) == ("start", "harder below")
    assert second.contact_speed > 1.3 * first.contact_speed
    for each in (first, second):
        assert each.contact_speed == pytest.approx(each.speed, rel=0.05)
        assert 0.0 < each.load <= 1.0 and not each.contradicted
    bench.spin(lambda: len(bench.loads) == 2)
    assert bench.loads == pytest.approx([first.load, second.load], rel=0.1)
    assert max(bench.loads) <= 1.0
    known, announced = result.surface, goal.surface
    ratio = known.stiffness_high / known.stiffness_low
    assert ratio < 0.6 * announced.stiffness_high / announced.stiffness_low
    assert known.stiffness_low >= announced.stiffness_low * (1 - 1e-9)
    assert np.all(np.array(result.joint_stiffness_low) < result.joint_stiffness_high)
    assert result.highest_load == max(first.load, second.load)
    assert result.speed_reached == second.contact_speed


def test_the_same_goal_gives_the_same_numbers(make_bench):
    def numbers():
        bench = make_bench().start()
        result = bench.result(bench.send(bench.goal(hits=2)))
        made = bench.feedback[-1].contact_speed, result.surface.stiffness_low, result.highest_load
        bench.executor.shutdown()
        return made

    assert numbers() == numbers()


def test_a_hit_that_is_as_fast_as_wanted_is_the_last(bench):
    result = bench.result(bench.send(bench.goal(hits=9, target_speed=0.1)))
    assert (result.code, result.hits) == (Result.CODE_OK, 1)
    assert result.speed_reached == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize("active", [True, False])
def test_what_cannot_be_begun_says_why_and_nothing_moves(make_bench, active):
    bench = make_bench().start(activate=active)
    if not active:
        assert bench.result(bench.send(bench.goal())).code == Result.CODE_INACTIVE
        return
    start = np.array(bench.plant.simulation.plant.q)
    other = bench.goal()
    other.contact.header.frame_id = "map"
    for goal, said in (
        (bench.goal(hits=0), "hits: expected 1 to 100, got 0"),
        (bench.goal(hits=101), "hits: expected 1 to 100"),
        (bench.goal(target_speed=0.5), "target_speed: expected above 0 up to speed_cap 0.4 m/s"),
        (bench.goal(target_speed=-0.1), "target_speed"),
        (bench.goal(friction_low=0.5), "friction: expected low, high with 0 <= low <= high"),
        (bench.goal(friction_low=-0.1), "friction"),
        (bench.goal(restitution_high=1.5), "restitution"),
        (bench.goal(stiffness_low=-1.0), "stiffness"),
        (bench.goal(exponent_low=0.5), "exponent: expected 1 <= low"),
        (other, "expected a pose in panda_link0, got 'map'"),
    ):
        result = bench.result(bench.send(goal))
        assert (result.success, result.code) == (False, Result.CODE_BAD_GOAL), said
        assert said in result.message and result.hits == 0
        assert np.isnan(result.surface.stiffness_low) and np.isnan(result.highest_load)
    behind = bench.goal()
    behind.contact.pose.position.x = -1.0
    result = bench.result(bench.send(behind))
    assert result.code == Result.CODE_NOT_FEASIBLE and "behind the surface" in result.message
    bench.controller.trigger_deactivate()
    bench.controller.trigger_cleanup()
    result = bench.result(bench.send(bench.goal()))
    assert (result.code, result.hit_code) == (Result.CODE_HIT_FAILED, HIT.CODE_INACTIVE)
    assert result.message == "hit 1: activate the controller first"
    bench.executor.remove_node(bench.controller)
    bench.controller.destroy_node()
    bench.spin(lambda: not bench.learner._server._client.ready)
    result = bench.result(bench.send(bench.goal()))
    assert result.code == Result.CODE_HIT_FAILED and "no controller offers" in result.message
    # The last command of the controller, which holds the arm, may have arrived.
    assert bench.plant.simulation.time_ns <= 1_000_000
    np.testing.assert_allclose(bench.plant.simulation.plant.q, start, atol=1e-6)
    assert not any(each.learned for each in bench.feedback)


def test_a_goal_that_a_cleanup_ends_has_a_result_and_later_ones_are_refused(bench):
    """Nobody is served between the two transitions."""
    handle = bench.send(bench.goal())
    bench.learner.trigger_deactivate()
    bench.learner.trigger_cleanup()
    result = bench.result(handle)
    assert (result.code, result.hits) == (Result.CODE_PREEMPTED, 0)
    assert bench.result(bench.send(bench.goal())).code == Result.CODE_INACTIVE


def test_a_controller_that_allows_no_narrower_ranges_ends_it_after_the_first_hit(make_bench):
    """The first goal says what is announced, the second one what was learned."""
    bench = make_bench(controller={"goal_may_widen": False}).start()
    result = bench.result(bench.send(bench.goal()))
    assert (result.code, result.hit_code) == (Result.CODE_HIT_FAILED, HIT.CODE_BAD_GOAL)
    assert result.hits == 1
    assert result.message.startswith("hit 2: ") and "goal_may_widen is false" in result.message


def test_what_was_learned_of_harm_outlives_goals_and_a_cleanup_lifts_it(bench):
    """A refused request changes nothing of it either."""
    ceiling = Ceiling(bench.learner._server.recorder.position, 0.06)
    box = learning_box(bench.robot, bench.scenario.surface(bench.robot))
    bench.learner._last = SurfaceLearner(box, 1, 1.0, 4.0, (ceiling,))
    refused = bench.result(bench.send(bench.goal(hits=0)))
    assert refused.code == Result.CODE_BAD_GOAL
    handle = bench.send(bench.goal(hits=2))
    bench.spin(lambda: bench.feedback)
    assert (bench.feedback[0].speed, bench.feedback[0].reason) == (0.06, "ceiling")
    handle.cancel_goal_async()
    bench.result(handle)
    assert bench.learner._last.learned.known.ceilings == (ceiling,)
    bench.learner.trigger_deactivate()
    bench.learner.trigger_cleanup()
    assert bench.learner._last is None


def test_from_a_state_that_is_old_no_hit_is_planned(make_bench):
    bench = make_bench(learner={"lockstep": False, "silence_timeout": 0.5}).start()
    bench.learner._server._state_time = 0.0  # the last one came long ago
    result = bench.result(bench.send(bench.goal()))
    assert result.code == Result.CODE_INPUT_LOST
    assert "no usable joint state for 0.5 s" in result.message and not bench.feedback


def test_cancelling_stops_the_hit_and_another_goal_meanwhile_is_rejected(underway):
    bench, handle = underway
    assert not bench.send(bench.goal()).accepted
    cancelled = handle.cancel_goal_async()
    bench.spin(cancelled.done)
    result = bench.result(handle)
    assert (result.code, result.hit_code) == (Result.CODE_CANCELED, HIT.CODE_CANCELED)
    assert bench.at_rest() and result.hits == 0
    assert (result.surface.stiffness_low, result.surface.stiffness_high) == pytest.approx(
        bench.scenario.surface(bench.robot).stiffness
    )


def test_a_deactivation_stops_the_hit(underway):
    bench, handle = underway
    bench.learner.trigger_deactivate()
    assert bench.result(handle).code == Result.CODE_PREEMPTED
    assert bench.at_rest()


@pytest.mark.parametrize("how", [["shutdown"], ["deactivate", "cleanup"]])
def test_a_learner_that_is_taken_away_has_cancelled_its_hit(underway, how):
    bench, _ = underway
    for change in how:
        getattr(bench.learner, f"trigger_{change}")()
    assert bench.at_rest()


def test_a_controller_that_is_deactivated_ends_it(underway):
    bench, handle = underway
    bench.controller.trigger_deactivate()
    result = bench.result(handle)
    assert (result.code, result.hit_code) == (Result.CODE_HIT_FAILED, HIT.CODE_PREEMPTED)
    assert result.message == "hit 1: deactivated"
    assert bench.at_rest()


@pytest.mark.parametrize("who", ["impact_qp", "impact_sim"])
def test_what_is_killed_in_a_hit_ends_it(impatient, who):
    bench, handle = impatient
    bench.executor.remove_node(bench.nodes[who])
    result = bench.result(handle)
    assert result.code == Result.CODE_INPUT_LOST
    assert result.message.startswith("no usable joint state for 0.5 s")
    bench.executor.add_node(bench.nodes[who])  # it was only very slow: the cancellation arrives
    assert bench.at_rest()


def test_commands_that_fall_silent_end_it(impatient):
    bench, handle = impatient
    future, server = handle.get_result_async(), bench.learner._server
    bench.spin(lambda: server.hear(command=False) or future.done())  # states go on
    result = future.result().result
    assert result.code == Result.CODE_INPUT_LOST and "no usable command for 0.5 s" in result.message
    assert bench.at_rest()


def test_states_without_torque_end_it(impatient):
    bench, handle = impatient
    state = JointState(name=list(bench.robot.joint_names), position=[0.0] * 7, velocity=[0.0] * 7)
    bench.learner._listeners[0].callback(state)
    result = bench.result(handle)
    assert result.code == Result.CODE_INPUT_LOST
    assert result.message.startswith("no usable joint state for 0.5 s (joint_states dropped: expec")


def test_a_goal_that_is_cancelled_after_its_contact_remembers_the_load(bench, monkeypatch):
    hits = []
    monkeypatch.setattr(SurfaceLearner, "remember", lambda self, hit: hits.append(hit))
    handle, recorder = bench.send(bench.goal()), bench.learner._server.recorder
    bench.spin(lambda: recorder._complete)
    handle.cancel_goal_async()
    assert bench.result(handle).code == Result.CODE_CANCELED
    assert len(hits) == 1 and hits[0].time[-1] > 0.03


def test_a_hit_without_an_event_is_the_last(bench):
    bench.learner.destroy_subscription(bench.learner._listeners.pop(2))
    result = bench.result(bench.send(bench.goal()))
    assert (result.code, result.hit_code) == (Result.CODE_NO_EVENT, HIT.CODE_OK)
    assert result.message == "hit 1: the detector reported no impact" and result.hits == 0


def test_a_hit_with_missing_samples_is_the_last(bench, monkeypatch):
    recorder = bench.learner._server.recorder
    add, lost = recorder.add_state, range(3)  # of 15: some in every window

    def lossy(stamp, *values):
        if stamp // 1_000_000 % 15 not in lost:
            add(stamp, *values)

    monkeypatch.setattr(recorder, "add_state", lossy)
    result = bench.result(bench.send(bench.goal()))
    assert result.code == Result.CODE_BAD_RECORD
    assert "expected rising times at most" in result.message and result.hits == 0


def test_an_error_of_its_own_ends_it(bench, monkeypatch):
    def broken(hit):
        raise ZeroDivisionError("nobody thought of this")

    handle = bench.send(bench.goal())
    bench.spin(lambda: bench.feedback)
    monkeypatch.setattr(bench.learner._server._learner, "learn", broken)
    result = bench.result(handle)
    assert result.code == Result.CODE_INTERNAL_ERROR
    assert result.message == "ZeroDivisionError: nobody thought of this"


def test_a_robot_without_what_loads_need_is_not_configured(context, panda, monkeypatch):
    bare = replace(panda, joint_stiffness=np.full(7, np.nan))
    monkeypatch.setattr(LearnerParameters, "load_robot", lambda self: bare)
    node = ImpactLearnerNode(context=context)
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert not [each for each in node.subscriptions if "joint_states" in each.topic_name]
    node.destroy_node()
