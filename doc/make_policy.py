# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes config/sros2/policy.xml from what the nodes really create: topics, services, actions.

ROS arguments act: make the policy for a robot with the remapping and namespace of its launch file.

Examples:
    ./impact shell -- python doc/make_policy.py
    ./impact shell -- python doc/make_policy.py my_policy.xml --ros-args
        -r joint_states:=franka_robot_state_broadcaster/measured_joint_states
"""

import sys
from pathlib import Path
from xml.etree import ElementTree

from rclpy.context import Context
from rclpy.parameter import Parameter
from rclpy.utilities import remove_ros_args

from impact_bringup.experiments.domain import free_domain
from impact_detector.node import DetectorNode
from impact_drivers.franka.node import FrankaNode
from impact_predictor.node import PredictorNode
from impact_qp.arms.node import ImpactSpreadingNode
from impact_qp.body.node import ImpactHumanoidNode
from impact_qp.governor.node import ImpactGovernorNode
from impact_qp.learning.node import ImpactLearnerNode
from impact_qp.node import ImpactQpNode
from impact_ros.node.closing import one_core
from impact_sim.cell.node import StandaloneCellNode
from impact_sim.humanoid.node import StandaloneHumanoidNode
from impact_sim.node import StandaloneSimNode

FILE = Path(__file__).resolve().parents[1] / "config" / "sros2" / "policy.xml"
ARMS = "left", "right"  # namespaces of two arms with a box, each with a detector
ENCLAVES = {  # a process has one
    "/impact_control/suite": (ImpactQpNode, DetectorNode, PredictorNode),
    "/impact_control/impact_sim": (StandaloneSimNode,),
    "/impact_control/impact_learner": (ImpactLearnerNode,),
    "/impact_control/impact_governor": (ImpactGovernorNode,),
    "/impact_control/franka": (FrankaNode, PredictorNode),
    "/impact_control/impact_cell": (StandaloneCellNode,),
    "/impact_control/impact_spreading": (ImpactSpreadingNode, *ARMS),
    "/impact_control/impact_humanoid_sim": (StandaloneHumanoidNode,),
    "/impact_control/impact_humanoid": (ImpactHumanoidNode,),
}
OPERATOR = "/impact_control/operator"
CONFIGURED = (
    *(ImpactQpNode, ImpactLearnerNode, ImpactSpreadingNode, ImpactHumanoidNode),
    ImpactGovernorNode,
)
SURFACE = {"contact_point": [0.5, 0.0, 0.4], "contact_normal": [-1.0, 0.0, 0.0]}
GRAB = "rs_grab_catfood_case1"
SETTINGS = {
    DetectorNode: {"detectors": ["torque_error"]},  # compares with desired states
    ImpactQpNode: SURFACE,
    StandaloneCellNode: {"scenario": GRAB},
    ImpactSpreadingNode: {"task": GRAB, "simulated": True},
    ImpactHumanoidNode: {"task": "qp_hrp4_grab"},
}
CLOCK = "/clock"  # subscribed to with use_sim_time
ACTION = "/_action/"  # between the name of an action and that of one of its parts
ASKED = ("change_state", "get_state", "recover")
HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by doc/make_policy.py from the nodes; what it is for: doc/security.md. -->
"""


def document(arguments: list[str]) -> str:
    """Return the policy of the nodes with these ROS arguments.

    They are made in a DDS domain of their own: a robot's nodes have the same names as these.
    """
    context = Context()
    with free_domain() as domain:
        context.init(args=arguments, domain_id=domain)
        try:
            policy = _policy(context)
        finally:
            context.try_shutdown()
    ElementTree.indent(policy)
    return HEAD + ElementTree.tostring(policy, encoding="unicode") + "\n"


def _policy(context: Context) -> ElementTree.Element:
    """Return what all of them may do, with the operator."""
    policy = ElementTree.Element("policy", version="0.2.0")
    enclaves = ElementTree.SubElement(policy, "enclaves")
    for path, classes in ENCLAVES.items():
        _add_enclave(enclaves, path, [_profile(make, context) for make in classes])
    _add_enclave(enclaves, OPERATOR, [_operator(policy)])
    return policy


def _add_enclave(enclaves: ElementTree.Element, path: str, profiles: list) -> None:
    enclave = ElementTree.SubElement(enclaves, "enclave", path=path)
    ElementTree.SubElement(enclave, "profiles").extend(profiles)


def _profile(which: type | str, context: Context) -> ElementTree.Element:
    """Return what one node may do, or the detector of an arm: what it does after `configure`."""
    make, space = (DetectorNode, which) if isinstance(which, str) else (which, "")
    overrides = [Parameter(name, value=value) for name, value in SETTINGS.get(make, {}).items()]
    node = make(context=context, namespace=space, parameter_overrides=overrides)
    try:
        if make in CONFIGURED:
            node.trigger_configure()
        return _profile_of(node)
    finally:
        with one_core():
            node.destroy_node()


def _profile_of(node) -> ElementTree.Element:
    """Return what a node creates."""
    me = node.get_name(), node.get_namespace()
    services = _names(node.get_service_names_and_types_by_node(*me))
    profile = ElementTree.Element("profile", node=me[0], ns=me[1])
    subscribed = _names(node.get_subscriber_names_and_types_by_node(*me))
    _allow(profile, "topic", "subscribe", subscribed | {CLOCK})
    _allow(profile, "topic", "publish", _names(node.get_publisher_names_and_types_by_node(*me)))
    _allow(profile, "service", "reply", services)
    _allow(
        profile, "action", "execute", {name.split(ACTION)[0] for name in services if ACTION in name}
    )
    called = _names(node.get_client_names_and_types_by_node(*me))
    _allow(profile, "action", "call", {name.split(ACTION)[0] for name in called if ACTION in name})
    return profile


def _names(names_and_types: list) -> set[str]:
    return {name for name, _ in names_and_types}


def _allow(profile: ElementTree.Element, kind: str, what: str, names: set[str]) -> None:
    """Add the rule that something is allowed; the parts of actions come with their action."""
    if kind != "action":
        names = {name for name in names if ACTION not in name}
    if names:
        rule = ElementTree.SubElement(profile, f"{kind}s", {what: "ALLOW"})
        for name in sorted(names):
            ElementTree.SubElement(rule, kind).text = name


def _operator(policy: ElementTree.Element) -> ElementTree.Element:
    """Return what a person or a planner may: change the controller's state, ask, send goals."""
    profile = ElementTree.Element("profile", node="bring_up", ns="/")
    own = {"/parameter_events", "/rosout"}
    _allow(profile, "topic", "publish", own)
    _allow(profile, "topic", "subscribe", {CLOCK, "/parameter_events"})
    services = {each.text for each in policy.iter("service") if each.text}
    wanted = (*ASKED, "predict_impact", "compute_feasible_sets")
    _allow(profile, "service", "request", {name for name in services if name.endswith(wanted)})
    _allow(profile, "action", "call", {each.text for each in policy.iter("action") if each.text})
    return profile


def main() -> None:
    """Write the file."""
    names = remove_ros_args(sys.argv)[1:]
    file = Path(names[0]) if names else FILE
    file.write_text(document(sys.argv))


if __name__ == "__main__":
    main()
