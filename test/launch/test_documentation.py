# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The documentation says what the code does: parameters word by word, topics by name."""

import re
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

from doc_scripts import loaded
from rclpy.context import Context
from rclpy.parameter import Parameter

from impact_detector.node import DetectorNode
from impact_drivers.franka.node import FrankaNode
from impact_predictor.node import PredictorNode
from impact_qp.arms.node import ImpactSpreadingNode
from impact_qp.body.node import ImpactHumanoidNode
from impact_qp.governor.node import ImpactGovernorNode
from impact_qp.learning.node import ImpactLearnerNode
from impact_qp.node import ImpactQpNode
from impact_ros.node.closing import close
from impact_sim.humanoid.node import ImpactHumanoidSimNode
from impact_sim.node import ImpactSimNode

DOC = Path(__file__).resolve().parents[2] / "doc"
OF_RCLPY = ("/rosout", "/parameter_events", "transition_event")
OWN_OF_RCLPY = ("rcl_interfaces", "lifecycle_msgs", "type_description_interfaces")
NODES = {
    "impact_sim": ImpactSimNode,
    "impact_detector": DetectorNode,
    "impact_predictor": PredictorNode,
    "impact_qp": ImpactQpNode,
    "impact_spreading": ImpactSpreadingNode,
    "impact_humanoid_sim": ImpactHumanoidSimNode,
    "impact_humanoid": ImpactHumanoidNode,
    "impact_learner": ImpactLearnerNode,
    "impact_governor": ImpactGovernorNode,
    "franka": FrankaNode,
}
SURFACE = {"contact_point": [0.5, 0.0, 0.4], "contact_normal": [-1.0, 0.0, 0.0]}
GIVEN = {  # to configure, and to use every topic
    "impact_detector": {"detectors": ["torque_error"]},
    "impact_qp": SURFACE,
    "impact_spreading": {"task": "rs_grab_safe", "simulated": True},
    "impact_learner": {"robot": "panda"},
    "impact_governor": {"interface": "velocity"},
    "impact_humanoid": {"task": "qp_hrp4_grab"},
}


@pytest.fixture
def interfaces():
    """Return a function that lists a node's topics and services by direction, with their types."""
    context = Context()
    context.init(args=[])
    made = []

    def of(name):
        given = GIVEN.get(name, {})
        overrides = [Parameter(key, value=value) for key, value in given.items()]
        node = NODES[name](context=context, parameter_overrides=overrides)
        made.append(node)
        if hasattr(node, "trigger_configure") and given:
            node.trigger_configure()
        subscriptions = [*node.subscriptions, *getattr(node, "unserved", ())]
        return {
            "in": rows(subscriptions, lambda each: (each.topic_name, each.msg_type), name),
            "out": rows(node.publishers, lambda each: (each.topic_name, each.msg_type), name),
            "service": rows(node.services, lambda each: (each.srv_name, each.srv_type), name),
        }

    yield of
    close(*made, context=context)


def rows(entities, read, node):
    """Return name and type of each entity that is the node's own doing."""
    found = set()
    for topic, kind in map(read, entities):
        package, name = kind.__module__.split(".")[0], kind.__name__
        other_arm = topic.startswith("/right/")  # as the left one
        if not topic.endswith(OF_RCLPY) and package not in OWN_OF_RCLPY and not other_arm:
            name_here = topic.lstrip("/").replace(f"{node}/", "~/", 1)
            found.add((name_here, f"{package}/{name}"))
    return found


def documented(node):
    """Return what topics.md's table of a node says, in the same form."""
    text = (DOC / "topics.md").read_text()
    section = text.split(f"\n## `{node}`", 1)[1].split("\n## ", 1)[0]
    found = {"in": set(), "out": set(), "service": set()}
    for direction, topic, kind in re.findall(
        r"^\| (in|out|service) \| `([^`]+)` \| `([^`]+)` \|", section, flags=re.MULTILINE
    ):
        found[direction].add((topic.lstrip("/"), kind))
    return found


def test_the_parameters_page_is_up_to_date():
    module = loaded("make_parameters")
    assert module.FILE.read_text() == module.document(), (
        "run: ./impact shell -- python doc/make_parameters.py"
    )


@pytest.mark.parametrize("node", NODES)
def test_the_topics_page_lists_every_topic_and_service_with_its_type(interfaces, node):
    assert documented(node) == interfaces(node)
