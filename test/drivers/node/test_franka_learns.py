# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""LearnSurface by way of the Franka node: learner, node, libfranka's loop and a fake arm."""

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy")
pytest.importorskip("franky_sim", reason="the FR3's URDF is in franky-sim")
pytest.importorskip("pylibfranka", reason="needs libfranka's package, up to Python 3.12")

import franky_sim.urdf as franky
from franka_bench import OK
from rclpy.action import ActionClient
from rclpy.parameter import Parameter

from impact_drivers.fake_fr3.fake_process import FakeProcess
from impact_drivers.fake_fr3.fake_setup import FakeSetup, load_fr3
from impact_drivers.franka.loop_process import LoopProcess
from impact_msgs.action import LearnSurface
from impact_qp.learning.node import ImpactLearnerNode

CAP = 0.4  # of the speed [m/s]
PATIENT = {"deadman": 1.0, "realtime": False}  # as a test's machine is


@pytest.fixture
def parameters(tmp_path):
    """The FR3 under its names in ROS, before the demo's surface; goals choose the limits."""
    path = tmp_path / "fr3.urdf"
    text = Path(franky.URDF_PATH).read_text()
    path.write_text(re.sub(r'"(joint|link)(\d)', r'"fr3_\1\2', text))
    scenario = FakeSetup().load_scenario()
    own = {"goal_may_widen": True, "speed_cap": CAP, "retract_distance": 0.08}
    return {
        "urdf": str(path),
        "contact_point": scenario.surface_point(load_fr3()).tolist(),
        "contact_normal": list(scenario.normal),
    } | (PATIENT | own)


@pytest.fixture
def learner(context, parameters):
    given = {"robot": "fr3", "urdf": parameters["urdf"], "speed_cap": CAP, "silence_timeout": 20.0}
    node = ImpactLearnerNode(
        context=context,
        parameter_overrides=[Parameter(name, value=value) for name, value in given.items()],
    )
    yield node
    node.destroy_node()


@pytest.fixture
def goal(parameters):
    message = LearnSurface.Goal(hits=2)
    position, turn = message.contact.pose.position, message.contact.pose.orientation
    position.x, position.y, position.z = parameters["contact_point"]
    turn.w, turn.y = np.sqrt(0.5), -np.sqrt(0.5)  # z axis along -x
    message.friction_high, message.restitution_low, message.restitution_high = 0.5, 0.02, 0.6
    message.stiffness_low, message.stiffness_high = 1e4, 1e7
    return message


def test_a_surface_is_learned_by_way_of_libfranka(make_bench, parameters, learner, goal):
    heard = []
    with FakeProcess(FakeSetup()) as arm:
        bench = make_bench(LoopProcess, **parameters | {"address": arm.address})
        bench.executor.add_node(learner)
        client = ActionClient(bench.listener, LearnSurface, "impact_learner/learn_surface")
        learner.trigger_configure()
        bench.spin(client.server_is_ready)
        bench.activate()
        learner.trigger_activate()
        bench.spin(lambda: learner._server.recorder.position is not None)
        sent = client.send_goal_async(
            goal, feedback_callback=lambda each: heard.append(each.feedback)
        )
        bench.spin(sent.done)
        finished = sent.result().get_result_async()
        for news in range(1, 5):  # before and after each of two hits
            bench.spin(lambda news=news: finished.done() or len(heard) >= news)
        result = bench.result(finished)
        bench.executor.remove_node(learner)
        client.destroy()
        assert bench.node.trigger_deactivate() == OK
        assert bench.node.trigger_cleanup() == OK
        felt = np.array([each.tau for each in arm.log])
    assert (result.code, result.hits) == (LearnSurface.Result.CODE_OK, 2), result.message
    first, second = (each for each in heard if each.learned)
    assert (first.reason, second.reason) == ("start", "learned")
    assert second.contact_speed > 1.3 * first.contact_speed
    for each in (first, second):
        assert each.contact_speed == pytest.approx(each.speed, rel=0.05)
        assert 0.0 < each.load < 1.0 and not each.contradicted
    assert result.stiffness_high / result.stiffness_low < 100.0  # of 1000
    assert (np.abs(felt) < learner._robot.limits.torque_range).all()  # it did not stop itself
