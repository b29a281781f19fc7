# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo through libfranka: what it asks, what it refuses, what it tells."""

import json
import sys

import numpy as np
import pytest

from impact_bags import BagReader
from impact_bags.exceptions import RecordingError
from impact_cli.command_line import make_parser, run
from impact_cli.commands import demo
from impact_cli.fci_arm import SLOWEST_FIRST, SPEED_CAP, with_thresholds
from impact_cli.fci_demo import run_fci_demo
from impact_cli.fci_questions import Questions, checked_distance
from impact_drivers.fake_fr3.fake_process import FakeProcess
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.franka.arm.fr3_model import load_fr3
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.hit_process import HitJob
from impact_qp.control.plan import Plan
from impact_qp.limits import Contact
from impact_robots.exceptions import UsageError


def arguments(*given):
    return make_parser("demo").parse_args(["demo", *given])


@pytest.fixture(scope="module")
def fr3():
    pytest.importorskip("franky_sim", reason="the FR3's URDF is in franky-sim")
    return load_fr3()


@pytest.fixture(scope="module")
def robust(libfranka, tmp_path_factory):
    """Folder of the robust run."""
    folder = tmp_path_factory.mktemp("fci")
    assert run_fci_demo(arguments("--fci", "--json"), ("robust",), lambda: folder) == 0
    return folder


def test_a_run_stands_beside_that_of_the_other_demo(robust):
    (found,) = json.loads((robust / "table.json").read_text())["runs"]
    assert {"contact_speed_mps", "impulse_ns", "detection_delay_s", "torque_change_nm"} <= set(
        found
    )
    assert found["controller"] == "robust" and 0.05 < found["contact_speed_mps"] < 0.1
    assert found["reflexes"] == [] and found["stopped_by"] is None
    assert found["states_skipped"] == 0 and found["success_rate"] == 1.0


def test_a_run_is_recorded_with_the_force_of_the_wall(robust):
    with BagReader(robust / "robust" / "bag") as bag:
        assert set(bag.topics) == {
            "/joint_states",
            "/impact_qp/desired_joint_states",
            "/wrench_batch",
        }
        _, _, state = next(bag.messages(["/joint_states"]))
        assert list(state.name) == [f"fr3_joint{i}" for i in range(1, 8)]


def test_its_recordings_are_read_by_the_robot_that_is_written_beside_them(robust, capsys):
    robot = str(robust / "fr3.yaml")
    status = run(["detect", str(robust / "robust" / "bag"), "--robot", robot, "--json"])
    assert status == 0
    (found,) = json.loads(capsys.readouterr().out)["events"]
    assert found["detector"] == "fused"


def test_an_arm_at_an_address_goes_slowly_and_says_when_nothing_was_there(libfranka, tmp_path):
    with FakeProcess(FakeSetup()) as fake:
        given = ("--fci", fake.address, "--unattended", "--distance", "0.02")
        given += ("--arm", str(tmp_path / "arm.yaml"))
        (tmp_path / "arm.yaml").write_text("realtime: false\nload_mass: 0.2\n")
        with pytest.raises(RecordingError, match=r"^robust: no impact was detected$"):
            run_fci_demo(arguments(*given), demo.FCI_CONTROLLERS, lambda: tmp_path)
        assert fake.load[0] == pytest.approx(0.2)
        speeds = np.array([row.dq for row in fake.log])
    assert 0.01 < abs(speeds).max() < 1.0
    assert (tmp_path / "robust" / "bag").is_dir() and SPEED_CAP == 0.1


def test_nothing_moves_without_a_yes(libfranka, tmp_path, monkeypatch, capsys):
    answers = iter(["0.1", "yes", *["no"] * 2])
    asked = Questions(lambda text: next(answers), is_terminal=True)
    monkeypatch.setattr("impact_cli.fci_arm.Questions", lambda: asked)
    (tmp_path / "arm.yaml").write_text("realtime: false\n")
    with FakeProcess(FakeSetup()) as fake:
        given = ("--fci", fake.address, "--arm", str(tmp_path / "arm.yaml"))
        parsed = arguments(*given)
        assert run_fci_demo(parsed, demo.FCI_CONTROLLERS, lambda: tmp_path / "none") == 1
        assert len(fake.log) == 1  # it was only looked at
    assert capsys.readouterr().out == "Nothing was hit.\n"
    assert next(answers, None) is None and not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("given", "answers", "raises"),
    [
        ((), ["no"], False),
        ((), ["yes"], True),
        (("--raise-thresholds",), [], True),
        (("--unattended",), [], False),
    ],
)
def test_thresholds_are_raised_only_by_a_word(fr3, given, answers, raises):
    said = []
    asked = Questions(lambda text: said.append(text) or answers.pop(0), is_terminal=True)
    setup = FakeSetup()
    contact = setup.load_scenario().wall(fr3).surface
    plan = Plan(Contact(contact.point, contact.normal), speed=SPEED_CAP)
    options = arguments("--fci", "fr3.local", *given)
    settings = ArmSettings(raise_thresholds=options.raise_thresholds)
    job = with_thresholds(
        HitJob("fr3.local", plan, settings), setup.start(fr3), fr3, options, asked
    )
    assert job.settings.raise_thresholds is raises and (job.need is not None) is raises
    assert not answers and all("does not stop for a person" in text for text in said)


def test_an_fr3_is_hit_with_by_limits_that_bound_every_impulse_only():
    assert set(demo.FCI_CONTROLLERS) == set(SLOWEST_FIRST) == {"robust", "joint_load"}


def test_nobody_to_ask_is_a_no(libfranka, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["demo", "--fci", "127.9.9.9"]) == 2
    assert "expected a terminal to ask on" in capsys.readouterr().err
    assert run(["demo", "--fci", "127.9.9.9", "--unattended"]) == 2
    assert "--unattended: expected --distance too" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("answer", "agrees"), [("yes", True), ("y", False), ("", False)])
def test_only_yes_is_yes(answer, agrees):
    assert Questions(lambda text: answer, is_terminal=True).agrees("Go?") is agrees


def test_an_end_of_input_is_a_no():
    def ended(text):
        raise EOFError

    questions = Questions(ended, is_terminal=True)
    assert not questions.agrees("Go?")
    with pytest.raises(UsageError, match=r"^distance: expected 0\.02 to 0\.3 m, got ''$"):
        questions.distance(np.zeros(3), np.ones(3))


@pytest.mark.parametrize("wrong", ["nan", "0.01", "0.4", "far"])
def test_a_distance_is_one(wrong):
    with pytest.raises(UsageError, match=r"--distance: expected 0\.02 to 0\.3 m"):
        checked_distance(wrong, "--distance")


def test_without_libfranka_it_says_so_in_one_line(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "pylibfranka", None)
    monkeypatch.chdir(tmp_path)
    assert run(["demo", "--fci"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and "pylibfranka is not installed" in lines[0]
    assert "Python 3.9 to 3.12" in lines[0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--dry-run",), "--dry-run: only with --fci"),
        (("--fci", "--distance", "0.1"), "--distance: only with --fci ADDRESS"),
        (("--raise-thresholds",), "--raise-thresholds: only with --fci"),
        (("--fci", "--raise-thresholds"), "--raise-thresholds: only with --fci ADDRESS"),
        (("--fci", "--realtime"), "--realtime: not with --fci"),
    ],
)
def test_options_that_would_do_nothing_are_refused(given, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["demo", *given]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
