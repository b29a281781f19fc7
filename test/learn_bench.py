# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The learner's node with controller, detector and a simulated arm, over real DDS in lockstep."""

import numpy as np
import pinocchio as pin
from open_goals import set_fields
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.parameter import Parameter
from serving import serve

from impact_bringup.experiments.hit_pacer import HitPacer
from impact_detector.node import DetectorNode
from impact_msgs.action import LearnSurface
from impact_predictor.joint_load.load_limits import load_limits
from impact_qp.learning.node import ImpactLearnerNode
from impact_qp.node import ImpactQpNode
from impact_robots.surface import RANGES
from impact_ros.messages import set_vector
from impact_ros.node.spin import make_executor
from impact_ros.surface_message import surface_fields
from impact_sim.repeated_node import RepeatedSimNode
from impact_sim.suite_settings import suite_settings

AFTER_CONTACT = 0.7  # by when the arm holds again [s]
CAP = 0.4  # of the speed [m/s]
BRAKING = 100  # times that the plant goes on, by the end of which an arm stands
APPROACHING = 0.4  # of a hit, after which the plant stops before the surface [s]


class LearnBench:
    """All nodes, served by one executor; the client of the action is `peer`."""

    def __init__(
        self, context, robot, scenario, learner=None, controller=None, duration=3.0, unfinished=0.2
    ):
        settings = suite_settings(scenario, "joint_load", lockstep=True)
        settings["impact_qp"] |= {
            "approach_on_activation": False,
            "goal_may_widen": True,
            "speed_cap": CAP,
            "coast_time": 0.05,
            "retract_speed": 0.3,
            "retract_distance": 0.04,
        } | (controller or {})
        own = {"speed_cap": CAP, "lockstep": True, "silence_timeout": 60.0} | (learner or {})
        settings["impact_learner"] = own
        settings["impact_sim"] = {
            "scenario": scenario.name,
            "duration": duration,
            "after_contact": AFTER_CONTACT,
        }
        kinds = {
            "impact_qp": ImpactQpNode,
            "impact_detector": DetectorNode,
            "impact_learner": ImpactLearnerNode,
            "impact_sim": RepeatedSimNode,
        }
        self.nodes = {
            name: kind(
                context=context,
                parameter_overrides=[Parameter(k, value=v) for k, v in settings[name].items()],
            )
            for name, kind in kinds.items()
        }
        self.robot, self.scenario = robot, scenario
        self.plant, self.learner = self.nodes["impact_sim"], self.nodes["impact_learner"]
        self.controller = self.nodes["impact_qp"]
        self.loads, self.feedback = [], []
        self.pacer = HitPacer(self.plant, self._note, unfinished=unfinished)
        self.peer = Node("peer", context=context)
        self.client = ActionClient(self.peer, LearnSurface, "impact_learner/learn_surface")
        self.executor = make_executor(context)
        for node in (*self.nodes.values(), self.peer):
            self.executor.add_node(node)

    def _note(self, plant):
        """Store the true joint loads of a hit, if there was one."""
        if plant.truth.contact_start is not None:
            limits = load_limits(self.robot, plant.truth.torque_before)
            self.loads.append(float(limits.used(plant.truth.load)[: 2 * self.robot.dof].max()))

    def spin(self, until):
        def done():
            self.pacer.look()
            return until()

        serve(self.executor, done)

    def start(self, activate=True):
        """Configure and activate, once everybody knows each other."""
        for name in ("impact_qp", "impact_learner"):
            self.nodes[name].trigger_configure()
        self.spin(self._connected)
        self.controller.trigger_activate()
        if activate:
            self.learner.trigger_activate()
        self.plant.start()
        recorder = self.learner._server.recorder
        self.spin(lambda: self.plant.finished and recorder.position is not None)
        return self

    def _connected(self):
        own = ("/joint_states", "/impact_qp/command", "/impact_detector/impact")
        heard = [each for each in self.learner.subscriptions if each.topic_name in own]
        return (
            len(heard) == 3
            and all(each.get_publisher_count() for each in heard)
            and self.plant.peers >= 3
            and self.client.server_is_ready()
            and self.learner._server._client.ready
        )

    def goal(self, **fields):
        """Return a goal at the scenario's surface, of which its announced ranges are known."""
        surface = self.scenario.surface(self.robot)
        goal = LearnSurface.Goal(hits=2)
        ranges = {name: getattr(surface, name) for name in RANGES}
        set_fields(goal, **surface_fields(ranges))
        set_vector(goal.contact.pose.position, surface.point)
        turn = pin.Quaternion(np.array([0.0, 0.0, 1.0]), surface.normal)
        for name in "xyzw":
            setattr(goal.contact.pose.orientation, name, getattr(turn, name))
        set_fields(goal, **fields)
        return goal

    def send(self, goal):
        """Send a goal and return its handle."""
        future = self.client.send_goal_async(
            goal, feedback_callback=lambda each: self.feedback.append(each.feedback)
        )
        self.spin(future.done)
        return future.result()

    def result(self, handle):
        """Wait for a result, or the news before it."""
        future = handle.get_result_async()
        while not future.done():
            count = len(self.feedback)
            self.spin(lambda count=count: future.done() or len(self.feedback) > count)
        return future.result().result

    def approaching(self):
        """Wait until a hit is on its way; the plant stops there, see ``APPROACHING``."""
        self.spin(lambda: self.plant.finished and self.plant.simulation.time_ns > 0)
        assert self.plant.truth.contact_start is None
        assert np.abs(self.plant.simulation.plant.dq).max() > 0.02

    def at_rest(self):
        """Go on for some time; whether the arm then stands, and nothing was hit."""
        self.spin(lambda: self.plant.finished)
        untouched = self.plant.truth.contact_start is None
        still = False
        for _ in range(BRAKING):
            self.plant.go_on()
            self.spin(lambda: self.plant.finished)
            still = float(np.abs(self.plant.simulation.plant.dq).max()) < 0.01
            if still:
                break
        return still and untouched and self.plant.truth.contact_start is None

    def close(self):
        self.executor.shutdown()
        self.client.destroy()
        for node in (*self.nodes.values(), self.peer):
            node.destroy_node()
