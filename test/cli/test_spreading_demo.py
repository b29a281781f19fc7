# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo of reference spreading: five modes side by side, of a push of one's own and a late grab.

A demo takes some 10 s; each is run once and looked at by several tests.
"""

import contextlib
import io
import json

import pytest

pytest.importorskip("rosbags")
pytest.importorskip("mujoco")

from impact_bags import BagReader
from impact_bags.exceptions import AnalysisError
from impact_cli.command_line import run as run_command
from impact_cli.demo import spreading_demo
from impact_trials.truth.cell_truth import START

MODES = ["rs", "no_gamma", "timed", "continuous", "time_invariant"]
MASS, OFFSET, SPEED = 1.7, 0.012, 0.7  # of the push [kg, m, m/s]
OWN = f"""
like: rs_push_catfood_case2
box_mass: {MASS}
box_offset: [0, -{OFFSET}, 0]
variation: {{}}
"""
KEYS = {
    *("mode", "touch_time_s", "peak_feedback_mps2", "feedback_integral_mps"),
    *("peak_joint_torque_nm", "peak_force_n", "detection_delay_s", "stopped"),
}
GRAB_KEYS = {"tilt_deg", "slip_m", "lift_m", "arms_apart_s"}


def demo(scenario, folder, *more):
    """Run it and return what it printed, what it said, and its folder."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run_command(["demo", "--scenario", str(scenario), "--out", str(folder), *more])
    assert status == 0, err.getvalue()
    return out.getvalue(), err.getvalue(), folder


@pytest.fixture(scope="module")
def push(tmp_path_factory):
    """A box heavier than in any scenario, 12 mm further away than it is expected; as text."""
    folder = tmp_path_factory.mktemp("push")
    (folder / "mine.yaml").write_text(OWN)
    return demo(folder / "mine.yaml", folder / "demo")


@pytest.fixture(scope="module")
def grab(tmp_path_factory):
    """As one document."""
    folder = tmp_path_factory.mktemp("grab") / "demo"
    return demo("rs_grab_catfood_late", folder, "--json", "--seed=2")


def by_mode(document):
    return {run["mode"]: run for run in document["runs"]}


@pytest.fixture(scope="module")
def pushes(push):
    return by_mode(json.loads((push[2] / "table.json").read_text()))


@pytest.fixture(scope="module")
def grabs(grab):
    return by_mode(json.loads(grab[0]))


def test_a_box_of_ones_own_is_hit_when_and_as_hard_as_it_must(pushes):
    """Its contact begins with the force 2 z w m v; by the clock the arm slows down before."""
    expected = 2 * 0.6 * 150 * MASS * SPEED
    for mode, run in pushes.items():
        late = run["touch_time_s"] - START - 0.6 - OFFSET / SPEED
        assert late == pytest.approx(0.0, abs=0.02 if mode == "time_invariant" else 2e-3)
        if mode != "timed":
            assert run["peak_force_n"] == pytest.approx(expected, rel=0.04)
    assert pushes["timed"]["peak_force_n"] < 0.96 * expected


def test_reference_spreading_takes_little_feedback_of_a_push(pushes):
    spread, through = pushes["rs"], pushes["continuous"]
    assert spread["peak_feedback_mps2"] < 1.7 and spread["feedback_integral_mps"] < 0.1
    assert through["peak_feedback_mps2"] > 2.5 * spread["peak_feedback_mps2"]
    assert through["feedback_integral_mps"] > 6.0 * spread["feedback_integral_mps"]
    # by the clock the reference changes 17 ms before contact
    assert pushes["timed"]["peak_feedback_mps2"] > 2.0 * spread["peak_feedback_mps2"]
    assert through["peak_joint_torque_nm"][0] > 1.5 * spread["peak_joint_torque_nm"][0]


def test_the_table_says_what_is_bought_and_what_is_not(push, pushes):
    out, err, folder = push
    assert "mine: rs_push_catfood_case2 with its own box_mass, box_offset, variation" in out
    assert MODES in [line.split() for line in out.splitlines()]
    rows = {line[:28].strip(): line[28:].split() for line in out.splitlines()}
    peaks = [f"{pushes[mode]['peak_feedback_mps2']:.2f}" for mode in MODES]
    assert rows["peak feedback [m/s^2]"] == peaks
    said = " ".join(out.split())
    ratio = pushes["continuous"]["peak_feedback_mps2"] / pushes["rs"]["peak_feedback_mps2"]
    assert f"(continuous) makes {ratio:.1f} times the peak feedback" in said
    forces = ", ".join(f"{mode} {pushes[mode]['peak_force_n']:.0f}" for mode in MODES)
    assert f"none of them buys: a lower peak of the contact force ({forces} N)" in said
    assert "a shorter time without contact, or a shorter settling time." in said
    assert str(folder) in out
    assert err.startswith("demo: mine: in this process, not over DDS")
    assert all(line.startswith("[") for line in err.splitlines()[1:])


def test_arms_that_touch_one_after_the_other_need_their_own_trigger_and_gamma(grabs):
    for run in grabs.values():
        assert run["arms_apart_s"] == pytest.approx(0.011, abs=0.002)
    peaks = {mode: run["peak_feedback_mps2"] for mode, run in grabs.items()}
    assert peaks["rs"] < 3.0 and peaks["no_gamma"] > 6.0
    assert peaks["timed"] > 8.0 and peaks["continuous"] > 8.0


def test_the_box_is_lifted_and_no_joint_overloaded(grabs):
    run = grabs["rs"]
    assert run["lift_m"] == pytest.approx(0.16, abs=0.005)
    assert 0.0 < run["tilt_deg"] < 2.0 and abs(run["slip_m"]) < 0.01
    assert run["peak_joint_torque_nm"][5] < 12.0
    assert not any(each["stopped"] for each in grabs.values())


def test_the_document_has_an_entry_a_mode_with_these_keys(grab, grabs, pushes):
    document = json.loads(grab[0])
    assert (document["scenario"], document["seed"]) == ("rs_grab_catfood_late", 2)
    assert [*grabs] == [*pushes] == MODES
    assert all(set(run) == KEYS for run in pushes.values())
    assert all(set(run) == KEYS | GRAB_KEYS for run in grabs.values())
    for mode, run in grabs.items():
        assert len(run["peak_joint_torque_nm"]) == 7
        delays = run["detection_delay_s"]
        if mode in ("timed", "continuous"):
            assert delays is None
        else:
            assert len(delays) == 2 and all(0.0 < delay < 6e-3 for delay in delays)


def test_the_folder_holds_table_pictures_and_recordings(grab):
    out, _, folder = grab
    assert json.loads((folder / "table.json").read_text()) == json.loads(out)
    pictures = {picture.name: picture.stat().st_size for picture in folder.glob("*.png")}
    assert set(pictures) == {"feedback.png", "joint_torques.png", "box.png"}
    assert min(pictures.values()) > 10_000
    for mode in MODES:
        with BagReader(folder / mode / "bag") as bag:
            assert {"/left/joint_states", "/right/wrench", "/box_pose"} < set(bag.topics)


@pytest.mark.parametrize(
    "option",
    [
        ["--realtime"],
        ["--view"],
        ["--port=9000"],
        ["--no-browser"],
        ["--fci"],
        ["--dry-run"],
        ["--arm=arm.yaml"],
    ],
)
def test_options_that_would_do_nothing_are_refused(refused, tmp_path, option):
    folder = tmp_path / "demo"
    line = refused("demo", "--scenario=rs_grab_safe", f"--out={folder}", *option)
    assert f"{option[0].partition('=')[0]}: not with a box, as in rs_grab_safe" in line
    assert not folder.exists()


@pytest.mark.parametrize(
    ("options", "wanted"), [([], "usual"), (["--object-map", "mujoco"], "mujoco")]
)
def test_references_are_made_by_the_chosen_map(capsys, tmp_path, monkeypatch, options, wanted):
    def seen(scenario, seed, choice, **_):
        raise AnalysisError(f"{scenario.name} by {choice.object_map}")

    monkeypatch.setattr(spreading_demo, "spread", seen)
    given = ("--scenario=rs_grab_safe", f"--out={tmp_path / 'demo'}", *options)
    assert run_command(["demo", *given]) == 1
    assert f"rs_grab_safe by {wanted}" in capsys.readouterr().err


@pytest.mark.parametrize("scenario", ["qp_panda_demo", "qp_hrp4_grab", "learn_wall", "hammer_nail"])
def test_a_map_of_references_is_refused_where_there_are_none(refused, tmp_path, scenario):
    given = (f"--scenario={scenario}", f"--out={tmp_path / 'demo'}", "--object-map=mujoco")
    assert "--object-map: only with arms and a box" in refused("demo", *given)
    line = refused("demo", "--scenario=rs_grab_safe", "--object-map=glued")
    assert all(name in line for name in ("usual", "locked", "points", "mujoco"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "scenario: no file"),
        ("like: rs_push", "like: expected one of"),
        ("like: qp_panda_demo", "or a YAML like them, got"),
        ("{like: rs_grab_safe, box_mass: -1}", "box_mass: expected a finite number above 0"),
    ],
)
def test_a_file_that_is_no_scenario_with_a_box_is_one_line(refused, tmp_path, text, message):
    path = tmp_path / "mine.yaml"
    if text is not None:
        path.write_text(text)
    err = refused("demo", "--scenario", path)
    assert "impact demo: argument --scenario: " in err and message in err


def test_a_box_out_of_reach_is_one_line(capsys, tmp_path):
    path = tmp_path / "gone.yaml"
    path.write_text("{like: rs_push_parcel_case3, box_offset: [0.5, 0, 0]}")
    assert run_command(["demo", f"--scenario={path}", f"--out={tmp_path / 'demo'}"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("impact: gone: rs: expected a plate to touch the box, none did\n")
