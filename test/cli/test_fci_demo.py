# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo through libfranka: what it refuses, what it tells."""

import json
import sys

import numpy as np
import pytest

from impact_bags import BagReader
from impact_bringup.experiments.experiment import RECORDED
from impact_cli.command_line import make_parser, run
from impact_cli.demo.fci_demo import run_fci_demo


def arguments(*given):
    return make_parser("demo").parse_args(["demo", *given])


@pytest.fixture(scope="module")
def robust(libfranka, tmp_path_factory):
    """Folder of the robust run, and of one with joint_load beside it."""
    folder = tmp_path_factory.mktemp("fci")
    assert run_fci_demo(arguments("--fci", "--json"), lambda: folder) == 0
    return folder


def test_a_run_stands_beside_that_of_the_other_demo(robust):
    found, other = json.loads((robust / "table.json").read_text())["runs"]
    assert {"contact_speed_mps", "impulse_ns", "detection_delay_s", "torque_change_nm"} <= set(
        found
    )
    assert (found["controller"], other["controller"]) == ("robust", "joint_load")
    assert 0.05 < found["contact_speed_mps"] < 0.1
    assert found["reflexes"] == [] and found["stopped_by"] is None
    assert found["states_skipped"] == 0 and found["success_rate"] == 1.0


def test_a_run_is_recorded_with_the_force_of_the_wall(robust):
    with BagReader(robust / "robust" / "bag") as bag:
        assert set(bag.topics) >= RECORDED - {"/wrench"}
        _, _, state = next(bag.messages(["/joint_states"]))
        assert list(state.name) == [f"fr3_joint{i}" for i in range(1, 8)]


def test_a_run_holds_what_was_announced_judged_commanded_and_found(robust):
    heard = {}
    with BagReader(robust / "robust" / "bag") as bag:
        for topic, _, message in bag.messages(RECORDED & set(bag.topics)):
            heard.setdefault(topic, []).append(message)
    states, status = heard["/joint_states"], heard["/impact_qp/status"]
    order = list(dict.fromkeys(each.mode for each in status))
    kind = type(status[0])
    assert order[0] == kind.MODE_IDLE and order.index(kind.MODE_APPROACH) < order.index(
        kind.MODE_COAST
    ) < order.index(kind.MODE_RETRACT)
    assert [each.withdrawn for each in heard["/impact_qp/announcement"]] == [True, False, True]
    event = heard["/impact_detector/impact"][0]
    assert event.expected == event.EXPECTED_YES and event.contact == "fr3_tool_contact"
    estimate = heard["/impact_detector/estimate"][0]
    assert estimate.impulse_source == estimate.SOURCE_TORQUE
    assert estimate.impulse.x < -0.1 and list(estimate.joint_names) == list(states[0].name)
    assert len(heard["/impact_qp/command"]) == len(heard["/impact_qp/desired_joint_states"])
    assert np.isfinite([each.cycle_time for each in status if each.mode == kind.MODE_COAST]).all()


def test_its_recordings_are_read_by_the_robot_that_is_written_beside_them(robust, capsys):
    for path, count in ((robust, 2), (robust / "robust" / "bag", 1)):
        assert run(["detect", str(path), "--json"]) == 0
        events = json.loads(capsys.readouterr().out)["events"]
        assert [(each["detector"], each["link"]) for each in events] == [
            ("fused", "fr3_link7")
        ] * count


def test_without_libfranka_it_says_so_in_one_line(monkeypatch, tmp_path, refused):
    monkeypatch.setitem(sys.modules, "pylibfranka", None)
    monkeypatch.chdir(tmp_path)
    line = refused("demo", "--fci", status=1)
    assert "pylibfranka is not installed" in line and "Python 3.9 to 3.12" in line


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--dry-run",), "--dry-run: only with --fci"),
        (("--arm", "arm.yaml"), "--arm: only with --fci"),
        (("--fci", "--realtime"), "--realtime: not with --fci"),
        (
            ("--fci", "172.16.0.2", "--distance", "0.1", "--unattended"),
            "impact demo: argument --fci: to move an arm use: impact hit 172.16.0.2",
        ),
    ],
)
def test_options_that_would_do_nothing_or_move_an_arm_are_refused(
    given, said, tmp_path, monkeypatch, refused
):
    monkeypatch.chdir(tmp_path)
    assert said in refused("demo", *given)
    assert not list(tmp_path.iterdir())
