# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Common parts of tests of the predictor's node: a client beside it, and requests. Needs ROS."""

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from impact_msgs.msg import Contact, ImpactPrediction, Polytope
from impact_msgs.srv import ComputeFeasibleSets, PredictImpact
from impact_predictor.node import PredictorNode
from impact_robots.surface import RANGES
from impact_ros.messages import from_nanoseconds, to_nanoseconds
from impact_ros.qos import RECORD, STREAM

TIME_OUT = 20.0  # [s]
NAME = "impact_predictor"
STREAMS = {"prediction": ImpactPrediction, "polytope": Polytope, "markers": MarkerArray}


class Caller:
    """A client and the node in one executor; ``heard`` keeps what the node publishes."""

    def __init__(self, context, namespace="", **parameters):
        """Start both in a namespace, and wait until they know each other."""
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.node = PredictorNode(
            context=context, namespace=namespace, parameter_overrides=overrides
        )
        self.client = Node("client", context=context, namespace=namespace)
        self.states = self.client.create_publisher(JointState, "joint_states", STREAM)
        self.clients = {
            kind: self.client.create_client(kind, f"{NAME}/{name}")
            for kind, name in (
                (PredictImpact, "predict_impact"),
                (ComputeFeasibleSets, "compute_feasible_sets"),
            )
        }
        self.heard = {name: [] for name in STREAMS}
        self.executor = SingleThreadedExecutor(context=context)
        for node in (self.node, self.client):
            self.executor.add_node(node)

    def listen(self):
        """Subscribe to everything that the node publishes."""
        made = [
            self.client.create_subscription(kind, f"{NAME}/{name}", self.heard[name].append, RECORD)
            for name, kind in STREAMS.items()
        ]
        ours = (self.node._predictions, self.node._polytopes, self.node._markers)
        self.spin(lambda: all(each.get_publisher_count() for each in made))
        self.spin(lambda: all(each.get_subscription_count() for each in ours))
        self.spin(lambda: self.states.get_subscription_count() > 0)

    def spin(self, condition):
        """Serve both until a condition holds."""
        end = self.client.get_clock().now().nanoseconds + int(TIME_OUT * 1e9)
        while not condition():
            assert self.client.get_clock().now().nanoseconds < end, "waited in vain"
            self.executor.spin_once(timeout_sec=0.05)

    def feed(self, message):
        """Publish a state until the node has it: a best-effort reader may miss one."""

        def arrived():
            self.states.publish(message)
            self.executor.spin_once(timeout_sec=0.05)
            return self.node._newest_state() == message

        self.spin(arrived)

    def stamps(self, name="prediction"):
        """Return the stamps of what was heard [ms]."""
        return [to_nanoseconds(each.header.stamp) // 1_000_000 for each in self.heard[name]]

    def call(self, request):
        """Return the answer to a request."""
        client = self.clients[
            PredictImpact if isinstance(request, PredictImpact.Request) else ComputeFeasibleSets
        ]
        assert client.wait_for_service(timeout_sec=TIME_OUT)
        future = client.call_async(request)
        self.executor.spin_until_future_complete(future, timeout_sec=TIME_OUT)
        assert future.done(), "no answer"
        return future.result()

    def close(self):
        """End both."""
        self.executor.shutdown()
        self.node.destroy_node()
        self.client.destroy_node()


def wall_contact(**fields):
    """Return a contact with a wall in front of the robot; its ranges are pairs, or one number."""
    ranges = {"friction": 0.3, "restitution": 0.1}
    ranges |= {name: fields.pop(name) for name in RANGES if name in fields}
    made = Contact(**fields)
    made.normal.x = -2.0
    set_ranges(made.surface, **ranges)
    return made


def set_ranges(surface, **ranges):
    """Set ranges of an impact_msgs/Surface; of one number both ends."""
    for name, value in ranges.items():
        low, high = value if isinstance(value, tuple) else (value, value)
        setattr(surface, f"{name}_low", low)
        setattr(surface, f"{name}_high", high)


def joint_state(names, q, dq, milliseconds=12_000):
    """Return a state message."""
    message = JointState(name=list(names), position=list(q), velocity=list(dq))
    from_nanoseconds(milliseconds * 1_000_000, message.header.stamp)
    return message
