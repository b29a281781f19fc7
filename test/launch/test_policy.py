# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The SROS2 policy says what the nodes do, and nothing more."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("rclpy")

from doc_scripts import loaded

ROOT = Path(__file__).resolve().parents[2]
# Who may request one of these can make an arm move.
MOVES = "/impact_qp/change_state"
MOVES_SPREADING = "/impact_spreading/change_state"
MOVES_HUMANOID = "/impact_humanoid/change_state"
MOVES_LEARNER = "/impact_learner/change_state"
MOVES_GOVERNOR = "/impact_governor/change_state"
MOVES_FRANKA = ("/franka/change_state", "/franka/recover")
CONTROLLERS = {"suite", "franka"}  # of which one runs
HUMANOID = "impact_humanoid"  # or this one, with a robot of its own


@pytest.fixture(scope="module")
def maker():
    return loaded("make_policy")


@pytest.fixture(scope="module")
def policy(maker):
    return ElementTree.parse(maker.FILE).getroot()


def allowed(root, what):
    """Return who (the enclave's last name) may do something, by topic, service or action."""
    found = {}
    for enclave in root.iter("enclave"):
        for rule in enclave.iter():
            if rule.get(what) == "ALLOW":
                for each in rule:
                    found.setdefault(each.text, set()).add(enclave.get("path").rsplit("/", 1)[-1])
    return found


def test_the_policy_is_what_the_nodes_create(maker):
    assert maker.FILE.read_text() == maker.document([]), (
        "run: ./impact shell -- python doc/make_policy.py"
    )


def test_running_nodes_of_the_same_names_are_in_another_domain(maker, context, monkeypatch):
    domains = []

    def policy(own):
        domains.append(own.get_domain_id())
        return ElementTree.Element("policy")

    monkeypatch.setattr(maker, "_policy", policy)
    maker.document([])
    assert len(domains) == 1
    assert domains[0] != context.get_domain_id()


def test_it_has_the_form_that_sros2_reads(policy):
    assert policy.get("version") == "0.2.0"
    children = {"topics": "topic", "services": "service", "actions": "action"}
    verbs = {"publish", "subscribe", "reply", "request", "execute", "call"}
    for profile in policy.iter("profile"):
        assert set(profile.attrib) == {"node", "ns"}
        for rule in profile:
            assert set(rule.attrib) < verbs and len(rule.attrib) == 1
            assert set(rule.attrib.values()) == {"ALLOW"}
            assert len(rule) > 0
            for each in rule:
                assert each.tag == children[rule.tag]
                assert each.text.startswith("/")


def test_nobody_but_the_operator_makes_the_arm_move(policy):
    requests = allowed(policy, "request")
    movers = (MOVES, MOVES_SPREADING, MOVES_HUMANOID, MOVES_LEARNER, MOVES_GOVERNOR, *MOVES_FRANKA)
    assert [requests[name] for name in movers] == [{"operator"}] * 7
    hit, learn = "/impact_qp/execute_impact", "/impact_learner/learn_surface"
    touch, strike = "/impact_qp/touch", "/impact_qp/strike"
    callers = {name: {"operator"} for name in (hit, learn, touch, strike)}
    callers[hit].add("impact_learner")
    assert allowed(policy, "call") == callers
    offered = {hit: CONTROLLERS, learn: {"impact_learner"}, touch: CONTROLLERS, strike: {"suite"}}
    assert allowed(policy, "execute") == offered


def test_commands_verdicts_and_states_have_one_source_each(policy):
    publishers = allowed(policy, "publish")
    for topic in ("command", "desired_joint_states", "status"):
        assert publishers[f"/impact_qp/{topic}"] == CONTROLLERS | {HUMANOID}
    assert publishers["/impact_qp/announcement"] == CONTROLLERS
    assert publishers["/impact_qp/commands"] == {"suite", HUMANOID}, "an FR3 gets none by a topic"
    assert publishers["/impact_detector/status"] == CONTROLLERS
    drivers = {"impact_sim", "franka", "impact_humanoid_sim"}
    assert publishers["/joint_states"] == drivers, "on a robot: the driver alone"
    for topic in ("commands", "factor", "status"):
        assert publishers[f"/impact_governor/{topic}"] == {"impact_governor"}
    assert publishers["/odom"] == {"impact_humanoid_sim"}
    assert publishers["/impact_humanoid/grab"] == {HUMANOID}
    for arm in ("left", "right"):
        assert publishers[f"/{arm}/joint_states"] == {"impact_cell"}
        for topic in ("impact_qp/command", "impact_qp/status", "impact_detector/status"):
            assert publishers[f"/{arm}/{topic}"] == {"impact_spreading"}


def test_nothing_is_allowed_by_a_pattern_or_a_parameter(policy):
    names = [each.text for each in policy.iter() if each.text and each.text.strip()]
    assert not any("*" in name for name in names)
    assert not any("set_parameters" in name for name in allowed(policy, "request"))


def test_remapping_and_namespace_reach_the_policy(maker):
    arguments = ["--ros-args", "-r", "joint_states:=driver/states", "-r", "__ns:=/left"]
    root = ElementTree.fromstring(maker.document(arguments))
    heard = allowed(root, "subscribe")
    assert "/left/driver/states" in heard
    assert "/joint_states" not in heard
    assert {profile.get("ns") for profile in root.iter("profile")} == {"/left", "/"}
    assert allowed(root, "request")[f"/left{MOVES}"] == {"operator"}
