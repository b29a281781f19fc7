# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""LearnSurface by way of the Franka node: learner, node, libfranka's loop and a fake arm."""

import numpy as np
import pytest

pytest.importorskip("rclpy")
pytest.importorskip("franky_sim", reason="the FR3's URDF is in franky-sim")
pytest.importorskip("pylibfranka", reason="needs libfranka's package, up to Python 3.12")

from franka_bench import OK, aimed
from rclpy.action import ActionClient

from impact_bringup.experiments.child import child_process
from impact_bringup.lifecycle import LifecycleClient
from impact_drivers.fake_fr3.fake_process import FakeProcess
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.franka.loop_process import LoopProcess
from impact_msgs.action import LearnSurface

CAP = 0.4  # of the speed [m/s]
STREAMS = ("joint_states", "impact_qp/command", "impact_detector/impact")
PATIENT = {"deadman": 1.0, "realtime": False}  # as a test's machine is


@pytest.fixture
def parameters(demo):
    """Of a node whose goals choose the limits."""
    own = {
        "goal_may_widen": True,
        "raise_thresholds": True,
        "speed_cap": CAP,
        "retract_distance": 0.08,
        "retract_speed": 0.3,
    }
    return demo | PATIENT | own


@pytest.fixture
def learner(parameters, tmp_path):
    """The learner's process: its estimates must not hold up the node that hears the loop."""
    own = {"robot": "fr3", "urdf": parameters["urdf"], "speed_cap": CAP, "silence_timeout": 20.0}
    given = [word for name, value in own.items() for word in ("-p", f"{name}:={value}")]
    with child_process("impact_qp.learning.node", ["--ros-args", *given], tmp_path / "log") as made:
        yield made


@pytest.fixture
def goal(parameters):
    message = aimed(LearnSurface.Goal(hits=2), parameters["contact_point"])
    surface = message.surface
    surface.friction_high, surface.restitution_low, surface.restitution_high = 0.5, 0.02, 0.6
    surface.stiffness_low, surface.stiffness_high = 1e4, 1e7
    return message


def test_a_surface_is_learned_by_way_of_libfranka(make_bench, fr3, parameters, learner, goal):
    heard = []
    with FakeProcess(FakeSetup()) as arm:
        bench = make_bench(LoopProcess, **parameters | {"address": arm.address})
        client = ActionClient(bench.listener, LearnSurface, "impact_learner/learn_surface")
        asked = LifecycleClient(bench.listener, "impact_learner", bench.wait)
        bench.spin(asked.ready)
        asked.request("configure")
        bench.activate()
        asked.request("activate")
        heard_by = bench.listener.count_subscribers
        bench.spin(lambda: all(heard_by(each) == 2 for each in STREAMS))
        bench.spin(client.server_is_ready)
        sent = client.send_goal_async(
            goal, feedback_callback=lambda each: heard.append(each.feedback)
        )
        bench.spin(sent.done)
        finished, states = sent.result().get_result_async(), bench.heard["joint_states"]
        while not finished.done():  # a hit takes longer than a spin waits
            some = len(states) + 100
            bench.spin(lambda some=some: finished.done() or len(states) > some)
        result = bench.result(finished)
        client.destroy()
        assert bench.node.trigger_deactivate() == OK
        assert bench.node.trigger_cleanup() == OK
        felt = np.array([each.tau for each in arm.log])
    assert (result.code, result.hits) == (LearnSurface.Result.CODE_OK, 2), result.message
    first, second = (each for each in heard if each.learned)
    assert (first.reason, second.reason) == ("start", "half faster than the last")
    assert second.speed == pytest.approx(1.5 * first.contact_speed, rel=1e-3)  # as it says
    for each in (first, second):
        assert 0.65 * each.speed < each.contact_speed < 1.05 * each.speed  # joints as announced
        assert 0.0 < each.load < 1.0 and not each.contradicted
    assert result.surface.stiffness_high / result.surface.stiffness_low < 100.0  # of 1000
    assert (np.abs(felt) < fr3.limits.torque_range).all()  # it did not stop itself
