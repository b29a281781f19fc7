# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `hit`: what it asks, what it refuses, and the fake arm in the foreground."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import numpy as np
import pytest

from impact_cli.command_line import make_parser, run
from impact_cli.demo import fci_demo
from impact_cli.franka import hit_arm
from impact_cli.franka.hit_arm import hit_with_an_arm, with_thresholds
from impact_cli.franka.hit_questions import SLOWEST_FIRST, SPEED_CAP, Questions, checked_distance
from impact_drivers.exceptions import DriverError
from impact_drivers.fake_fr3.fake_process import FakeProcess
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.franka.arm.fr3_model import load_fr3
from impact_drivers.franka.arm.libfranka_arm import is_on_this_machine
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.hit_process import HitJob
from impact_qp.control.plan import Plan
from impact_qp.limits import Contact
from impact_robots.exceptions import UsageError

TIME_OUT = 120.0  # [s]


def arguments(*given):
    return make_parser("hit").parse_args(["hit", *given])


@pytest.fixture(scope="module")
def fr3():
    pytest.importorskip("franky_sim", reason="the FR3's URDF is in franky-sim")
    return load_fr3()


@pytest.fixture
def fake(libfranka, tmp_path):
    """A function that starts `fake-fr3` with options; it returns the process and its address."""
    started = []

    def start(*options):
        command = [sys.executable, "-m", "impact_cli", "fake-fr3", *options]
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, cwd=tmp_path, env=os.environ, **piped))
        line = started[-1].stdout.readline()
        found = re.fullmatch(r"fake FR3 at (\S+)  \(Ctrl-C ends it\)\n", line)
        return started[-1], found[1] if found else ""

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_an_arm_at_an_address_goes_slowly_and_says_when_nothing_was_there(libfranka, tmp_path):
    with FakeProcess(FakeSetup()) as fake:
        given = (fake.address, "--unattended", "--distance", "0.02")
        given += ("--arm", str(tmp_path / "arm.yaml"))
        (tmp_path / "arm.yaml").write_text("load_mass: 0.2\n")
        with pytest.raises(DriverError, match=r"^robust: no impact was detected$"):
            hit_with_an_arm(arguments(*given), lambda: tmp_path)
        assert fake.load[0] == pytest.approx(0.2)
        speeds = np.array([row.dq for row in fake.log])
    assert 0.01 < abs(speeds).max() < 1.0
    assert (tmp_path / "robust" / "bag").is_dir() and SPEED_CAP == 0.1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "group"),
    [(signal.SIGHUP, True), (signal.SIGTERM, False), (signal.SIGKILL, False)],
    ids=["terminal lost", "terminated", "killed"],
)
def test_a_hit_whose_command_ends_brakes_with_low_thresholds(libfranka, tmp_path, number, group):
    """A process of its own commands the arm: it sees that it is alone."""
    with FakeProcess(FakeSetup(lockstep=True)) as fake:
        low, end = fake.collision_behavior, time.monotonic() + TIME_OUT
        given = ("--distance", "0.1", "--unattended", "--raise-thresholds")
        command = [sys.executable, "-m", "impact_cli", "hit", fake.address, *given]
        process = subprocess.Popen(
            [*command, "--out", str(tmp_path / "hit")],
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not ((fake.collision_behavior[0] > low[0]).any() and moves(fake.log[-1])):
            assert process.poll() is None and time.monotonic() < end
        (os.killpg if group else os.kill)(process.pid, number)
        process.wait()
        while moves(fake.log[-1]) or (fake.collision_behavior[0] > low[0]).any():
            assert time.monotonic() < end, "it moves, or thresholds are still raised"
        assert max(np.abs(row.forces).max() for row in fake.log) < 10.0, "it has hit"


def moves(row):
    return np.abs(row.dq).max() > 0.02


def test_an_arm_that_was_moved_during_the_questions_does_not_hit(
    libfranka, fr3, monkeypatch, tmp_path
):
    q = FakeSetup().start(fr3)
    seen = iter([SimpleNamespace(q=q), SimpleNamespace(q=q + 0.05)])
    monkeypatch.setattr(hit_arm, "_look", lambda *given: next(seen))
    monkeypatch.setattr(hit_arm, "_hit_at_an_arm", lambda *given: pytest.fail("it has hit"))
    parsed = arguments("fr3.local", "--unattended", "--distance", "0.1")
    with pytest.raises(DriverError, match=r"^the arm was moved by 0\.05 rad since the distance"):
        hit_with_an_arm(parsed, lambda: tmp_path)


def test_speed_and_limits_are_chosen_and_errors_cleared_by_a_yes(
    libfranka, tmp_path, monkeypatch, capsys
):
    answers = iter(["no", "yes", "no", "no"])
    asked = Questions(lambda text: next(answers), is_terminal=True)
    monkeypatch.setattr("impact_cli.franka.hit_arm.Questions", lambda: asked)
    slow = ("--distance", "0.1", "--speed", "0.05", "--impact-limits", "robust")
    with FakeProcess(FakeSetup()) as fake:
        hit = ["hit", fake.address, *slow, "--out", str(tmp_path / "hit")]
        assert run([*hit, "--unattended"]) == 1  # not 2: nothing that was given is wrong
        capsys.readouterr()
        assert [each.parent.name for each in tmp_path.glob("hit/*/bag")] == ["robust"]
        for refused in ([*hit, "--unattended"], hit):
            assert run(refused) == 1
            assert "expected no errors, got cartesian_reflex" in capsys.readouterr().err
        assert run(hit) == run(hit) == 1  # cleared, then nothing to clear; neither may it hit
        assert 0.01 < abs(np.array([row.dq for row in fake.log])).max() < 1.0
    assert capsys.readouterr().out == 2 * "Nothing was hit.\n" and next(answers, None) is None


@pytest.mark.parametrize(
    ("fault", "refusal", "status", "hits"),
    [("", "", 0, 2), ("reflex", "", 1, 1), ("", "goal: too fast", 1, 1)],
)
def test_a_hit_that_was_stopped_is_the_last_one(
    libfranka, fr3, monkeypatch, tmp_path, fault, refusal, status, hits
):
    run_of = SimpleNamespace(outcome=SimpleNamespace(fault=fault, refusal=refusal))
    stands, told = SimpleNamespace(q=FakeSetup().start(fr3)), []
    monkeypatch.setattr(hit_arm, "_look", lambda *given: stands)
    monkeypatch.setattr(hit_arm, "_hit_at_an_arm", lambda *given: run_of)
    monkeypatch.setattr(hit_arm, "tell", lambda runs, *given, **named: told.extend(runs))
    parsed = arguments("fr3.local", "--unattended", "--distance", "0.1")
    assert hit_with_an_arm(parsed, lambda: tmp_path) == status and len(told) == hits


@pytest.mark.parametrize("wrong", ["0", "0.11", "-0.02"])
def test_a_speed_is_one(libfranka, wrong, refused):
    options = ("--unattended", "--distance", "0.1", "--speed", wrong)
    assert "--speed: expected above 0 to 0.1 m/s" in refused("hit", "127.9.9.9", *options)


def test_nothing_moves_without_a_yes(libfranka, tmp_path, monkeypatch, capsys):
    answers = iter(["0.1", "yes", *["no"] * 2])
    asked = Questions(lambda text: next(answers), is_terminal=True)
    monkeypatch.setattr("impact_cli.franka.hit_arm.Questions", lambda: asked)
    with FakeProcess(FakeSetup()) as fake:
        parsed = arguments(fake.address)
        assert hit_with_an_arm(parsed, lambda: tmp_path / "none") == 1
        assert len(fake.log) == 1  # it was only looked at
    assert capsys.readouterr().out == "Nothing was hit.\n"
    assert next(answers, None) is None and not (tmp_path / "none").exists()


def test_a_dry_run_asks_what_it_is(libfranka, tmp_path, monkeypatch, capsys):
    said = []
    answers = iter(["yes", "no"])
    asked = Questions(lambda text: said.append(text) or next(answers), is_terminal=True)
    monkeypatch.setattr("impact_cli.franka.hit_arm.Questions", lambda: asked)
    options = ("--dry-run", "--distance", "0.1", "--impact-limits", "robust")
    with FakeProcess(FakeSetup()) as fake:
        assert hit_with_an_arm(arguments(fake.address, *options), lambda: tmp_path / "none") == 1
    assert said[-1].startswith("Compute a hit under robust at up to 0.1 m/s, and send zeros")
    assert capsys.readouterr().out == "Nothing was computed.\n"


@pytest.mark.parametrize(
    ("given", "answers", "raises"),
    [
        ((), ["no"], False),
        ((), ["yes"], True),
        (("--raise-thresholds",), [], True),
        (("--unattended",), [], False),
        (("--dry-run",), [], False),
    ],
)
def test_thresholds_are_raised_only_by_a_word(fr3, given, answers, raises):
    said = []
    asked = Questions(lambda text: said.append(text) or answers.pop(0), is_terminal=True)
    setup = FakeSetup()
    contact = setup.load_scenario().wall(fr3).surface
    plan = Plan(Contact(contact.point, contact.normal), speed=SPEED_CAP)
    options = arguments("fr3.local", *given)
    settings = ArmSettings(raise_thresholds=options.raise_thresholds)
    job = HitJob("fr3.local", plan, settings, dry_run=options.dry_run)
    job = with_thresholds(job, setup.start(fr3), fr3, options, asked)
    assert job.settings.raise_thresholds is raises and (job.need is not None) is raises
    assert not answers and all("does not stop for a person" in text for text in said)


def test_an_fr3_is_hit_with_by_limits_that_bound_every_impulse_only():
    assert set(fci_demo.CONTROLLERS) == set(SLOWEST_FIRST) == {"robust", "joint_load"}


def test_nobody_to_ask_is_a_no(libfranka, tmp_path, monkeypatch, refused):
    monkeypatch.chdir(tmp_path)
    assert "expected a terminal for its questions" in refused("hit", "127.9.9.9")
    line = refused("hit", "127.9.9.9", "--unattended")
    assert "--unattended: expected --distance too" in line
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


def test_a_fake_arm_says_where_it_and_its_wall_are_and_is_hit_with(fake, tmp_path, capsys):
    process, address = fake("--urdf", "fr3.urdf")
    distance = re.search(r"A wall is (\S+) m in front", process.stdout.readline())[1]
    assert [process.stdout.readline() for _ in range(2)][1] == f"  impact hit {address}\n"
    out = tmp_path / "out"
    options = ("--distance", distance, "--unattended", "--raise-thresholds", f"--out={out}")
    assert run(["hit", address, *options]) == 0
    shown = capsys.readouterr().out
    assert "largest torque, measured" in shown and "impact view" in shown
    assert not (out / "contact_speed.png").exists(), "the arm does not know the wall's force"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20)[1] == "" and process.returncode == 0
    assert ET.parse(tmp_path / "fr3.urdf").getroot().find("link[@name='fr3_link7']") is not None


def test_an_address_that_is_taken_or_elsewhere_is_one_line(fake):
    _, address = fake()
    for wrong, status, said in (
        (address, 1, f"impact: fake FR3: cannot use the address {address}: is it taken?\n"),
        ("10.0.0.1", 2, "impact: --address: expected a local one, 127.*, got 10.0.0.1\n"),
    ):
        process, _ = fake("--address", wrong)
        assert process.communicate(timeout=20) == ("", said) and process.returncode == status


@pytest.mark.parametrize(
    ("address", "here"),
    [("127.1.0.1", True), ("localhost", True), ("172.16.0.2", False), ("fr3.local", False)],
)
def test_only_a_fake_arm_is_on_this_machine(address, here):
    assert is_on_this_machine(address) is here


def test_without_libfranka_it_says_so_in_one_line(monkeypatch, refused):
    monkeypatch.setitem(sys.modules, "pylibfranka", None)
    assert "pylibfranka is not installed" in refused("hit", "127.9.9.9", status=1)


def test_without_an_address_the_fake_arm_hits_and_stops_itself_at_an_obstacle(libfranka, capsys):
    assert run(["hit", "--json"]) == 0
    gentle, hit, *obstacles = json.loads(capsys.readouterr().out)["runs"]
    assert [gentle["reflexes"], hit["reflexes"]] == [[], []]
    assert hit["contact_speed_mps"] > 2.0 * gentle["contact_speed_mps"]
    for each, speed in zip(obstacles, (0.1, 0.25), strict=True):
        assert (each["run"], each["speed_mps"]) == ("obstacle", speed)
        assert each["reflexes"] and each["stopped_by"]
    assert obstacles[1]["force_thresholds"] == hit["force_thresholds"]  # as high as the hit needs


@pytest.mark.parametrize("option", [("--distance", "0.1"), ("--unattended",), ("--speed", "0.02")])
def test_without_an_address_nothing_else_is_chosen(option, refused):
    assert f"{option[0]}: expected an ADDRESS too" in refused("hit", *option)


def test_a_dry_run_raises_no_thresholds(refused):
    line = refused("hit", "172.16.0.2", "--dry-run", "--raise-thresholds")
    assert "--raise-thresholds: expected no --dry-run, which keeps them low" in line
