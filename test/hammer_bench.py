# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Controller and detector of a task with a hammer, and its plant, over DDS in lockstep."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import yaml
from open_goals import set_fields
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.parameter import Parameter
from serving import serve

from impact_detector.node import DetectorNode
from impact_msgs.action import ExecuteImpact
from impact_predictor.strike.striker import Striker
from impact_qp.node import ImpactQpNode
from impact_robots.kinematics import inverse_kinematics
from impact_ros.messages import set_vector
from impact_ros.node.spin import make_executor
from impact_sim.node import ImpactSimNode
from impact_sim.ros import lockstep_node
from impact_trials.strikes import hammer_nail
from impact_trials.strikes.strike_bench import true_use

RUN_UP = 0.1  # [m]
PATIENCE = 120.0  # of the plant, while a strike is planned [s]


def task_file(folder, world, **changes):
    """Write the task of a strike on a scenario's nail; return its path."""
    entries = yaml.safe_load(Path(hammer_nail.FILE).read_text())
    entries |= {
        "robot": world.robot_name,
        "q_impact": list(world.q),
        "contact_normal": (-world.direction).tolist(),
    }
    path = folder / "nail.yaml"
    path.write_text(yaml.safe_dump({k: v for k, v in (entries | changes).items() if v is not None}))
    return path


class HammerSimNode(ImpactSimNode):
    """The arm with the true hammer before the true nail."""

    def __init__(self, world, beside=(0.0, 0.0, 0.0), **options):
        self._world, self._beside = world, np.array(beside)
        super().__init__(**options)

    def _simulated(self):
        simulation = self._world.simulation(self._world.tool, 0)
        striker = Striker(self._world.robot, self._world.tool, np.array(self._world.q))
        self.striker, simulation.plant.window = striker, striker.window
        return simulation

    def _start(self):
        way = -RUN_UP * self._world.direction + self._beside
        return inverse_kinematics(self._world.arm, np.array(self._world.q), way)

    @property
    def depth(self):
        """To which the nail was truly driven [m]."""
        return self.simulation.plant.wall_motion[0]

    @property
    def used(self):
        """Largest fraction of a limit that the first contact truly used, None without one."""
        plant = self.simulation.plant
        if plant.contact_start is None:
            return None
        return float(true_use(plant, self.striker).max())


class HammerBench:
    """All nodes, served by one executor; the clients of the actions are `peer`'s."""

    def __init__(self, context, world, task, monkeypatch, beside=(0.0, 0.0, 0.0), **controller):
        monkeypatch.setattr(lockstep_node, "GIVE_UP_AFTER", PATIENCE)
        normal = (-world.direction).tolist()
        settings = {
            "impact_qp": {
                "task": str(task),
                "speed_cap": 1.0,
                "retract_speed": 0.3,
                "impact_limits": "joint_load",
                "lockstep": True,
                "simulated": True,
            }
            | controller,
            "impact_detector": {
                "robot": world.robot_name,
                "tool": str(task),
                "contact_normal": normal,
                "wrench_normal": normal,
                "lockstep": True,
            },
            "impact_sim": {"duration": 1000.0, "after_contact": 1000.0},
        }

        def made(kind, name, *arguments):
            overrides = [Parameter(k, value=v) for k, v in settings[name].items()]
            return kind(*arguments, context=context, parameter_overrides=overrides)

        self.world = world
        self.controller = made(ImpactQpNode, "impact_qp")
        self.detector = made(DetectorNode, "impact_detector")
        self.plant = made(HammerSimNode, "impact_sim", world, beside)
        self.peer, self.feedback = Node("peer", context=context), []
        self.clients = {}
        self.executor = make_executor(context)
        self.nodes = (self.controller, self.detector, self.plant, self.peer)
        for node in self.nodes:
            self.executor.add_node(node)

    def client(self, kind, name):
        """Return the client of an action of the controller."""
        if name not in self.clients:
            self.clients[name] = ActionClient(self.peer, kind, f"impact_qp/{name}")
        return self.clients[name]

    def spin(self, until):
        serve(self.executor, until)

    def start(self):
        """Configure and activate, once everybody knows each other."""
        assert self.controller.trigger_configure().name == "SUCCESS"
        client = self.client(ExecuteImpact, "execute_impact")
        self.spin(lambda: self.plant.peers >= 2 and client.server_is_ready())
        self.controller.trigger_activate()
        self.plant.start()
        self.spin(lambda: self.plant.simulation.time_ns > 50_000_000)
        return self

    def place(self, goal, beside=(0.0, 0.0, 0.0), **fields):
        """Set the place of a goal, the nail's, and fields."""
        set_vector(goal.contact.pose.position, self.world.place + np.array(beside))
        turn = pin.Quaternion(np.array([0.0, 0.0, 1.0]), -self.world.direction)
        for name in "xyzw":
            setattr(goal.contact.pose.orientation, name, getattr(turn, name))
        set_fields(goal, **fields)
        return goal

    def send(self, kind, name, goal):
        """Send a goal and return its handle."""
        client = self.client(kind, name)
        self.spin(client.server_is_ready)
        future = client.send_goal_async(
            goal, feedback_callback=lambda each: self.feedback.append(each.feedback)
        )
        self.spin(future.done)
        return future.result()

    def result(self, handle):
        """Wait for a result, or the news before it."""
        future = handle.get_result_async()
        while not future.done():
            now = self.plant.simulation.time_ns
            later = now + 500_000_000
            self.spin(lambda t=later: future.done() or self.plant.simulation.time_ns > t)
        return future.result().result

    def speed(self):
        """Largest speed of a joint [rad/s]."""
        return float(np.abs(self.plant.simulation.plant.dq[:7]).max())

    def rests(self, seconds=1.5):
        """Go on for some time; whether the arm then stands."""
        end = self.plant.simulation.time_ns + seconds * 1e9
        self.spin(lambda: self.plant.simulation.time_ns > end)
        return self.speed() < 0.01

    def close(self):
        self.executor.shutdown()
        for client in self.clients.values():
            client.destroy()
        for node in self.nodes:
            node.destroy_node()
