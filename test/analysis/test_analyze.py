# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `analyze`: simulated experiments explained, and odd recordings answered in words."""

import csv
import json
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from impact_analysis.analyze import AnalysisSettings, analyze, analyze_impacts, collect
from impact_analysis.analyze import document as summary
from impact_analysis.analyze import run as run_module
from impact_analysis.analyze.analysis import _contact, _mean
from impact_analysis.analyze.page.documents import write
from impact_analysis.analyze.reading.collected import Collected, basis_of, joined, load, save
from impact_analysis.analyze.reading.estimated import group_of
from impact_analysis.analyze.reading.notes import second_contact
from impact_analysis.analyze.reading.recordings import Part, named_recordings, pieces
from impact_analysis.analyze.result import Statistic
from impact_bags import BagWriter, impact_typestore
from impact_bags.bag_recording import BagRecording, TopicChoice
from impact_cli.command_line import run as main
from impact_cli.commands.view import label_of
from impact_detector.signals.sample import JointSample
from impact_predictor.identification.contact_estimate import FigureEstimate, FitFlag
from impact_robots import ArmDynamics, load_robot
from impact_trials.processes import on_cluster

TYPES = ("flex_exp_type1", "flex_exp_type4", "flex_exp_type8", "flex_exp_type9")
ANNOUNCEMENT = "impact_msgs/msg/ImpactAnnouncement"
TOPIC = {"/joint_states": "panda"}
TOUCH = 1.4  # of every trial, to 2 ms [s]


@pytest.fixture(scope="session")
def trials(tmp_path_factory):
    """Two trials each of four motion types, without the truth about them."""
    folder = tmp_path_factory.mktemp("flexible") / "trials"
    asked = ["simulate", *TYPES, "--trials=2", "--record", str(folder), "--json", "--jobs=1"]
    assert main(asked) == 0
    (folder / "trials.csv").unlink()
    return folder


@pytest.fixture(scope="session")
def few(trials, tmp_path_factory):
    """Two of them."""
    folder = tmp_path_factory.mktemp("few")
    for name in (f"{TYPES[0]}_000", f"{TYPES[1]}_000"):
        shutil.copytree(trials / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def few_analysis(few):
    """What one process makes of these two."""
    return analyze(few, jobs=1)


@pytest.fixture(scope="session")
def samples(trials):
    """The joint states of one trial: times [s], positions, velocities, torques, (k, 7)."""
    recording = BagRecording(trials / "flex_exp_type1_000", load_robot("panda"), TopicChoice())
    found = [item for item in recording.items(references=False) if isinstance(item, JointSample)]
    columns = [np.array([getattr(s, name) for s in found]) for name in ("q", "dq", "tau")]
    return np.array([s.time for s in found]) * 1e-9, *columns


@pytest.fixture(scope="session")
def results(trials, tmp_path_factory):
    """The folder that the command made of the trials."""
    out = tmp_path_factory.mktemp("analysis") / "results"
    assert main(["analyze", str(trials), "--out", str(out), "--robot", "panda"]) == 0
    return out


@pytest.fixture(scope="session")
def document(results):
    return json.loads((results / "analysis.json").read_text())


@pytest.fixture
def write_csv(tmp_path):
    """A function that writes joint states into a CSV and returns its path."""

    def write(t, q, dq, tau, name="odd.csv"):
        header = ["time_s"] + [
            pattern.format(i)
            for pattern in ("q{}_rad", "dq{}_radps", "tau{}_nm")
            for i in range(1, 8)
        ]
        path = tmp_path / name
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            for row in zip(t, q, dq, tau, strict=True):
                values = np.concatenate([[row[0]], *row[1:]])
                writer.writerow(["" if np.isnan(v) else repr(float(v)) for v in values])
        return path

    return write


def test_the_apparent_inertia_with_friction_explains_the_flexible_arm(document):
    errors = document["mean_error_degps"]
    assert errors["M+B_theta"] < 0.6 * errors["M+B_rho"]
    assert errors["M+B_theta"] < 0.2 * errors["M"]
    assert document["best_model"] == "M+B_theta, coulomb"
    ranking = document["ranking"]
    assert sum(each["best_share"] for each in ranking if each["inertia"] == "M+B_theta") > 0.95
    without_motors = [each for each in ranking if each["inertia"] == "M"]
    assert len(without_motors) >= 3
    assert all(each["worse_than_best_low_degps"] > 0.0 for each in without_motors)


def test_friction_is_recovered_with_an_interval(document):
    friction = document["friction"]
    assert friction["value"] == pytest.approx(0.3, abs=0.05)
    assert friction["low"] <= friction["value"] <= friction["high"]
    assert friction["high"] - friction["low"] < 0.2  # an exact model is not known to be one


def test_every_impact_is_found_and_compared(document):
    assert len(document["impacts"]) == 8
    assert all(impact["compared"] and impact["complete"] for impact in document["impacts"])
    assert [impact["group"] for impact in document["impacts"]] == [t for t in TYPES for _ in "12"]
    assert 0.0 < document["detection_delay_s"]["median"] < 2e-3
    assert document["membership"]["no_worse_than_set"] == 8


def test_the_impulse_is_explained_by_the_inertia_with_motors(document):
    ratios = {name: each["value"] for name, each in document["impulse_ratio"].items()}
    assert set(ratios) == {"em", "gm", "crb", "flex", "M+B_theta", "M+B_rho"}
    assert ratios["gm"] < ratios["M+B_theta"] < ratios["M+B_rho"] < ratios["em"]
    assert ratios["gm"] < 0.8
    best = next(iter(document["impulse_ratio"]))
    assert best in ("M+B_theta", "M+B_rho")


def test_the_comparison_has_a_cell_per_type_and_joint(document):
    cells = document["comparison"]
    assert len(cells) == len(TYPES) * 7
    assert {cell["repetitions"] for cell in cells} == {2}
    for cell in cells:
        apart = abs(cell["error_M+B_theta_degps"] - cell["error_M+B_rho_degps"])
        assert cell["significant"] == (apart > 1.0)
    mean = np.mean([cell["error_M+B_theta_degps"] for cell in cells])
    assert mean == pytest.approx(document["mean_error_degps"]["M+B_theta"])


def test_the_tables_are_long_and_have_units(results, document):
    with (results / "predictions.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8 * 7 * len(document["ranking"])
    assert {"impact", "joint", "model", "predicted_degps", "error_degps"} <= set(rows[0])
    first = rows[0]
    error = float(first["predicted_degps"]) - float(first["dq_after_degps"])
    assert error == pytest.approx(float(first["error_degps"]), abs=1e-9)
    with (results / "impacts.csv").open() as file:
        header = next(csv.reader(file))
    assert {"time_s", "dq_before_1_radps", "impulse_3_ns"} <= set(header)


def test_json_is_one_document(trials, tmp_path, capsys):
    capsys.readouterr()
    assert main(["analyze", str(trials / f"{TYPES[0]}_000"), "--out", str(tmp_path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["report"] == str(tmp_path / "report.html")
    assert len(printed["impacts"]) == 1
    assert set(printed["mean_error_degps"]) == {"M", "M+B_theta", "M+B_rho"}
    assert set(printed["friction"]) >= {"value", "low", "high"}


@pytest.mark.usefixtures("without_contact_laws")
def test_an_assumed_friction_that_is_wrong_is_said_so(results, trials):
    names = sorted(path.name for path in trials.iterdir() if path.is_dir())
    given = AnalysisSettings().as_json(), load_robot("panda")
    known = [load(results / "parts", name, basis_of(trials / name, *given)) for name in names]
    analysis = analyze_impacts(known, AnalysisSettings(friction=0.1))
    (said,) = [text for text in analysis.answer if "was assumed" in text]
    assert said.startswith("Friction 0.1 was assumed; 0.")
    assert analysis.free_friction.value == pytest.approx(0.3, abs=0.05)
    assert analysis.best.candidate.friction in (0.1, 0.0)


def test_an_assumed_range_is_counted_in_what_is_found(few):
    """Predictions have its middle; restitution that is less certain leaves friction so too."""
    (collected,) = [collect(few / f"{TYPES[0]}_000", AnalysisSettings())]
    sharp, wide = (
        analyze_impacts([collected], AnalysisSettings(restitution=e)) for e in (0.15, (0.0, 0.3))
    )
    for name, found in sharp.coefficients.items():
        other = wide.coefficients[name]
        assert (other.restitution.low, other.restitution.high) == (0.0, 0.3)
        assert other.friction.value == pytest.approx(found.friction.value)
        assert other.friction.low <= found.friction.low
        assert other.friction.high >= found.friction.high
    widest = max(wide.coefficients.values(), key=lambda each: each.friction.high).friction
    assert widest.high >= max(each.friction.high for each in sharp.coefficients.values())
    assert [each.candidate.restitution for each in wide.ranking] == [0.15] * len(wide.ranking)
    assert sharp.settings.as_json()["restitution"] == 0.15
    assert wide.settings.as_json()["restitution"] == (0.0, 0.3)


def test_a_collision_with_another_link_is_not_compared(few):
    (collected,) = [collect(few / f"{TYPES[0]}_000", AnalysisSettings())]
    (item,) = collected.impacts
    elsewhere = replace(item, expected=False, link="panda_link4")
    analysis = analyze_impacts([replace(collected, impacts=[item, elsewhere])], AnalysisSettings())
    assert [bool(impact.predicted) for impact in analysis.impacts] == [True, False]
    (said,) = [text for text in analysis.warnings if "which nobody had announced" in text]
    assert said.startswith("1 impact on panda_link4")
    assert not any("does not approach" in text for text in analysis.warnings)


def test_one_of_several_force_sensors_is_chosen(few):
    bag = few / f"{TYPES[0]}_000"
    fast, slow = analyze(bag), analyze(bag, wrench_topic="/wrench")
    assert (
        fast.impacts[0].measured.trace.force_time.size
        > slow.impacts[0].measured.trace.force_time.size
    )
    none = analyze(bag, wrench_topic="/nowhere")
    assert "no forces on '/nowhere'; the bag has /wrench" in none.recordings[0].error


def test_records_are_ready_for_a_table(trials):
    analysis = analyze(trials / f"{TYPES[0]}_001")
    records = analysis.records()
    assert len(records) == 7 * len(analysis.candidates)
    assert all(np.isscalar(value) for record in records for value in record.values())


@pytest.mark.usefixtures("without_contact_laws")
def test_processes_and_one_process_agree(few, few_analysis):
    one, two = few_analysis, analyze(few, jobs=2)
    assert one.mean_errors == two.mean_errors
    assert one.coefficients == two.coefficients


@pytest.mark.usefixtures("without_contact_laws")
def test_resume_leaves_out_what_is_known(few, tmp_path, monkeypatch):
    collected = []
    collect = run_module.collect
    monkeypatch.setattr(
        run_module,
        "collect",
        lambda path, *rest: collected.append(path.name) or collect(path, *rest),
    )
    first = analyze(few, out=tmp_path)
    assert collected == [f"{TYPES[0]}_000", f"{TYPES[1]}_000"]
    analyze(few, out=tmp_path, resume=True)
    assert len(collected) == 2
    (tmp_path / "parts" / f"{TYPES[1]}_000.json").write_text("{")  # damaged
    again = analyze(few, out=tmp_path, resume=True)
    assert collected[2:] == [f"{TYPES[1]}_000"]
    assert again.mean_errors == pytest.approx(first.mean_errors, rel=1e-12)
    analyze(few, out=tmp_path, resume=True, restitution=0.0)
    assert len(collected) == 5  # other settings: nothing is known


def test_a_result_is_of_these_files_and_this_robot(tmp_path, panda):
    path, settings = tmp_path / "bag", AnalysisSettings().as_json()
    path.mkdir()
    (path / "bag.mcap").write_text("some")
    basis, other = basis_of(path, settings, panda), tmp_path / "other"
    save(tmp_path, Collected("bag", samples=3), basis)
    assert load(tmp_path, "bag", basis_of(path, settings, panda)).samples == 3
    heavier = load_robot("panda", payload=0.1)
    assert load(tmp_path, "bag", basis_of(path, settings, heavier)) is None
    shutil.copytree(path, other)  # the times of its files too
    assert load(tmp_path, "bag", basis_of(other, settings, panda)) is None
    (path / "bag.mcap").write_text("some more")
    assert load(tmp_path, "bag", basis_of(path, settings, panda)) is None


def test_a_failed_recording_is_read_again(tmp_path):
    save(tmp_path, Collected("bag", error="is truncated"), {})
    assert load(tmp_path, "bag", {}) is None


def test_recordings_of_like_names_have_their_own_results(tmp_path):
    names = ("a/b", "a__b", "a%2Fb")
    for number, name in enumerate(names):
        save(tmp_path, Collected(name, samples=number), {})
    assert [load(tmp_path, name, {}).samples for name in names] == [0, 1, 2]


def test_recordings_are_in_the_order_of_their_numbers(tmp_path):
    for name in ("2²", "10", "2", "1", "x"):  # "²" is a digit, but no number
        (tmp_path / name).mkdir()
        (tmp_path / name / "metadata.yaml").touch()
    names = [name for _, name in named_recordings(tmp_path)]
    assert names == ["1", "2", "2²", "10", "x"]


@pytest.mark.parametrize(
    ("folder", "path", "name"),
    [("hit", ".", "hit"), ("hit/a", "..", "hit"), (".", "hit", "hit"), (".", "last", "last")],
)
def test_a_recording_has_its_name_however_the_path_is_written(
    tmp_path, monkeypatch, folder, path, name
):
    (tmp_path / "hit" / "a").mkdir(parents=True)
    (tmp_path / "hit" / "metadata.yaml").touch()
    (tmp_path / "last").symlink_to("hit")
    monkeypatch.chdir(tmp_path / folder)
    ((_, found),) = named_recordings(Path(path))
    assert found == collect(Path(path), AnalysisSettings()).recording == name
    assert label_of(Path(path), Path(path)) == name


def test_what_an_earlier_analysis_learned_is_removed(few_analysis, tmp_path):
    (tmp_path / "learned").mkdir()
    for name in ("wall.yaml", "joints.yaml", "mine.yaml"):
        (tmp_path / "learned" / name).write_text("of an earlier one")
    write(few_analysis, tmp_path)
    assert [each.name for each in (tmp_path / "learned").iterdir()] == ["mine.yaml"]


def test_only_the_first_impacts_keep_their_traces(few):
    one = collect(few / f"{TYPES[0]}_000", AnalysisSettings())
    three = replace(one, impacts=one.impacts * 3)
    names = [str(k) for k in range(30)]
    done = {name: replace(three) for name in names}
    del done["0"]  # not finished yet
    run_module._thin(done, names)
    traced = [item.trace is not None for name in names[1:] for item in done[name].impacts]
    assert traced == [True] * 60 + [False] * 27
    done["0"] = three
    run_module._thin(done, names)
    traced = [item.trace is not None for name in names for item in done[name].impacts]
    assert traced == [True] * 60 + [False] * 30


@pytest.mark.usefixtures("without_contact_laws")
def test_a_cluster_gives_the_same(few, few_analysis):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=None
    ) as cluster:
        with on_cluster(cluster.scheduler_address):
            analysis = analyze(few)
    assert analysis.mean_errors == few_analysis.mean_errors


def test_ctrl_c_keeps_what_is_finished(write_csv, samples, tmp_path):
    """With recordings of free motion, which are soon gone through."""
    free = samples[0] < TOUCH - 0.1
    folder, out = tmp_path / "free", tmp_path / "results"
    folder.mkdir()
    for k in range(8):
        write_csv(*(column[free] for column in samples), name=f"free/{k}.csv")
    child = subprocess.Popen(
        [sys.executable, "-m", "impact_cli", "analyze", folder, "--out", out, "--jobs", "2"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    parts = out / "parts"
    while not (parts.is_dir() and any(parts.glob("*.json"))):
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.01)
    child.send_signal(signal.SIGINT)
    _, error = child.communicate(timeout=60)
    assert child.returncode in (0, 130)  # 0: it was faster
    if child.returncode == 130:
        assert "continue with --resume" in error
        assert "Traceback" not in error
    assert main(["analyze", str(folder), "--out", str(out), "--resume", "--jobs=1"]) == 0
    assert len(list(parts.glob("*.json"))) == 8


def test_an_impact_at_the_end_is_answered_in_words(write_csv, samples):
    t, *columns = samples
    kept = t < TOUCH + 0.03
    path = write_csv(t[kept], *(column[kept] for column in columns))
    analysis = analyze(path, normal=(0, 0, 1))
    (impact,) = analysis.impacts
    assert not impact.measured.complete
    assert any("the recording ends" in text for text in analysis.warnings)
    assert "models can be compared with 0" in analysis.answer[0]


def test_without_torques_acceleration_tells(write_csv, samples):
    t, q, dq, tau = samples
    analysis = analyze(write_csv(t, q, dq, np.full_like(tau, np.nan)), normal=(0, 0, 1))
    assert any("no joint torques" in text for text in analysis.warnings)
    assert [impact.measured.detector for impact in analysis.impacts] == ["acceleration"]
    assert analysis.best.candidate.inertia == "M+B_theta"


def test_without_a_normal_nothing_is_predicted(write_csv, samples):
    analysis = analyze(write_csv(*samples))
    assert len(analysis.impacts) == 1
    assert analysis.best is None
    nothing = dict.fromkeys(("M", "M+B_theta", "M+B_rho"))
    assert summary(analysis, Path("report.html"))["mean_error_degps"] == nothing
    assert any("no surface normal is known" in text for text in analysis.warnings)


def test_a_normal_that_points_away_is_noticed(write_csv, samples):
    analysis = analyze(write_csv(*samples), normal=(0, 0, -1))
    assert any("does not approach the surface" in text for text in analysis.warnings)


def test_gaps_and_jumps_are_said(write_csv, samples):
    t, *columns = samples
    kept = (t < 1.2) | (t > 1.3)
    twice = [np.concatenate([column[kept], column]) for column in columns]
    path = write_csv(np.concatenate([t[kept], t]), *twice)
    analysis = analyze(path, normal=(0, 0, 1))
    said = " ".join(analysis.warnings)
    assert "gaps in the joint states: 1, the longest 0.10" in said
    assert "time jumps back 1 times" in said
    assert len(analysis.impacts) == 2


def test_a_slow_recording_is_said(write_csv, samples):
    path = write_csv(*(column[::5] for column in samples))
    warnings = analyze(path, normal=(0, 0, 1)).warnings
    assert any("come at 200 Hz" in text for text in warnings)
    assert any("fused needs at least 333 Hz, got 200 Hz: use momentum" in text for text in warnings)


def test_what_was_no_event_is_said(write_csv, samples):
    t, q, dq, tau = samples
    jump = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0])
    again = (t > TOUCH + 0.2)[:, None] * jump
    analysis = analyze(write_csv(t, q, dq + again, tau), normal=(0, 0, 1))
    (text,) = [text for text in analysis.warnings if "no impact was reported" in text]
    assert "velocity jump of " in text and "latched after the impact that it found at 1.40" in text
    (missed,) = summary(analysis, Path("report.html"))["recordings"][0]["missed"]
    assert missed["kind"] == "jump" and missed["velocity_jump_radps"] == pytest.approx(
        0.5, abs=0.05
    )


def write_bag(path, samples, robots, *, announced="", desired=None, recorded=None):
    """Write the same joint states on a topic for each robot, whose joints have its name.

    Beside them desired efforts (k, 7) of the first robot, where they are given. ``recorded`` is
    when they are recorded [s], by default at their stamps.
    """
    types = impact_typestore()
    kinds = types.types
    state = kinds["sensor_msgs/msg/JointState"]
    header, stamp = kinds["std_msgs/msg/Header"], kinds["builtin_interfaces/msg/Time"]
    with BagWriter(path, types) as bag:
        if announced:
            message = announcement(kinds, announced)
            bag.write("/impact_qp/announcement", ANNOUNCEMENT, message, 10**8)
        for k, row in enumerate(zip(*samples, strict=True)):
            time = round(row[0] * 1e9)
            written = [(*item, row[3]) for item in robots.items()]
            if desired is not None:
                written.append(("/desired_joint_states", next(iter(robots.values())), desired[k]))
            for topic, robot, effort in written:
                names = [f"{robot}_joint{i}" for i in range(1, 8)]
                message = state(header(stamp(*divmod(time, 10**9)), ""), names, *row[1:3], effort)
                at = time if recorded is None else round(recorded[k] * 1e9)
                bag.write(topic, "sensor_msgs/msg/JointState", message, at)
    return path


def announcement(kinds, frame):
    """A contact with a horizontal plate, announced before the first sample for all time."""
    never, point = kinds["builtin_interfaces/msg/Time"](0, 0), kinds["geometry_msgs/msg/Point"]
    header = kinds["std_msgs/msg/Header"](never, "panda_link0")
    up = kinds["geometry_msgs/msg/Vector3"](0.0, 0.0, 1.0)
    surface = kinds["impact_msgs/msg/Surface"](0.3, 0.3, *(0.0,) * 6)
    contact = kinds["impact_msgs/msg/Contact"](frame, point(0.0, 0.0, 0.0), up, surface)
    return kinds[ANNOUNCEMENT](header, False, contact, never, never)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_interval_of_a_mean_of_few_impacts_holds_it_in_95_percent(count):
    drawn = np.random.default_rng(0).normal(1.0, 0.3, (1000, count))
    found = [_mean(row) for row in drawn]
    held = sum(each.low <= 1.0 <= each.high for each in found)
    assert held == pytest.approx(950, abs=25)
    assert np.isnan(_mean([1.0]).low) and _mean([np.nan]) is None


def fitted(low, value, high, flags=FitFlag.NONE, law="visco", rms=2.0):
    """Return a contact law's fit to an impact, with one figure for both parameters."""
    figure = FigureEstimate(value, 0.0, low, high, "N/m")
    return SimpleNamespace(
        contact_law=law,
        parameters={"stiffness": figure, "damping": figure},
        rms=rms,
        identifiable=not flags,
    )


def test_contact_laws_count_where_the_force_determines_them_with_the_intervals_of_the_fits():
    fits = [
        [fitted(1.0, 3.0, 9.0)],
        [fitted(2.0, 5.0, 6.0)],
        [fitted(1e-300, 1e6, 1e308, FitFlag.FLAT)],
    ]
    found, units = _contact([SimpleNamespace(laws=laws) for laws in fits])
    assert units == {"visco": ("N/m", "N/m")}
    assert found["visco"]["stiffness"] == Statistic(4.0, 1.0, 9.0, 2)
    assert _contact([SimpleNamespace(laws=fits[2])]) == ({}, {})


def test_contact_laws_are_ranked_by_the_same_impacts():
    hard = [fitted(1.0, 3.0, 9.0, rms=7.0), fitted(1, 1, 2, FitFlag.FLAT, law="hc", rms=8.0)]
    easy = [fitted(1.0, 3.0, 9.0, rms=2.0), fitted(1.0, 1.0, 2.0, law="hc", rms=3.0)]
    only_one = [fitted(1.0, 3.0, 9.0, rms=50.0)]
    found, _ = _contact([SimpleNamespace(laws=laws) for laws in (hard, easy, only_one)])
    assert list(found) == ["visco", "hc"]
    assert [each["rms"].value for each in found.values()] == [4.5, 5.5]
    assert [each["rms"].impacts for each in found.values()] == [2, 2]
    assert [each["stiffness"].impacts for each in found.values()] == [3, 1]


def test_another_robot_is_asked_about(tmp_path, samples):
    bag = write_bag(tmp_path / "other", samples, {"/joint_states": "kuka"})
    analysis = analyze(bag)
    (recording,) = analysis.recordings
    assert "is it another robot" in recording.error
    assert recording.error in analysis.warnings[0]
    assert main(["analyze", str(bag), "--out", str(tmp_path / "out")]) == 1
    assert "is it another robot" in (tmp_path / "out" / "report.html").read_text()


def test_several_robots_in_one_bag_are_each_analysed(tmp_path, samples):
    topics = {"/left/joint_states": "panda", "/right/joint_states": "panda"}
    bag = write_bag(tmp_path / "two", samples, topics)
    both = analyze(bag, normal=(0, 0, 1))
    assert [each.recording for each in both.recordings] == ["left of two", "right of two"]
    assert len(both.impacts) == 2 and both.files == ["two"]
    told = analyze(bag, normal=(0, 0, 1), state_topic="/left/joint_states")
    assert len(told.impacts) == 1 and told.arms == []


def test_desired_efforts_with_or_without_gravity_change_nothing(tmp_path, samples, capsys):
    """So analyze needs no --reference-excludes-gravity, as detect does for franka_ros2's."""
    dynamics = ArmDynamics(load_robot("panda"))
    gravity = np.array([dynamics(q, np.zeros(7)).g for q in samples[1]])
    documents, statistics = [], []
    options = ["--detectors", "torque_error", "--bias-samples", "0", "--json"]
    for name, desired in (("none", None), ("whole", gravity), ("lacks", 0.0 * gravity)):
        robots = {"/joint_states": "panda"}
        bag = write_bag(tmp_path / name / "bag", samples, robots, desired=desired)
        documents.append(summary(analyze(bag, normal=(0, 0, 1)), Path("report.html")))
        for option in ([], ["--reference-excludes-gravity"]):
            main(["detect", str(bag), *options, *option])
            statistics.append(json.loads(capsys.readouterr().out)["largest_statistic"])
    assert documents[0]["impacts"] and documents[0] == documents[1] == documents[2]
    *_, whole, _, lacks, added = statistics
    assert added == pytest.approx(whole) and abs(lacks - whole) > 1.0  # detect takes it amiss


def test_an_announcement_at_an_unknown_frame_ends_nothing(tmp_path, samples):
    bag = write_bag(tmp_path / "odd", samples, {"/joint_states": "panda"}, announced="hammer")
    analysis = analyze(bag)
    assert not analysis.recordings[0].error
    assert analysis.best is not None  # the normal is known all the same


def test_a_long_recording_in_pieces_is_the_same(tmp_path, samples, monkeypatch):
    rest = 400  # samples before each hit, so that the detector re-arms
    t = np.concatenate([samples[0][0] - 1e-3 * np.arange(rest, 0, -1), samples[0]])
    columns = [np.concatenate([np.tile(c[0], (rest, 1)), c]) for c in samples[1:]]
    shifted = np.concatenate([t + 10.0 * k for k in range(4)])
    long = [shifted, *(np.tile(column, (4, 1)) for column in columns)]
    topics = {"/joint_states": "panda"}
    bag = write_bag(tmp_path / "long", long, topics, announced="panda_tool_contact")
    whole = collect(bag, AnalysisSettings())
    monkeypatch.setattr("impact_analysis.analyze.reading.recordings.SHORT", 1.0)
    cut = pieces(Part(bag, bag.name), AnalysisSettings(), 3)
    assert len(cut) == 3
    together = joined([collect(bag, AnalysisSettings(), piece) for piece in cut])
    assert together.samples == whole.samples == len(long[0])
    assert together.duration == pytest.approx(whole.duration, abs=1e-9)
    assert together.remarks == whole.remarks
    assert len(whole.gaps) == 3
    times = [impact.detection_time for impact in whole.impacts]
    assert len(times) == 4
    assert [impact.detection_time for impact in together.impacts] == times
    for impact in together.impacts:
        assert impact.normal.tolist() == [0.0, 0.0, 1.0]
        assert impact.announced_friction == 0.3


def at_rest(times):
    """Joint states of an arm at rest at these stamps [s]."""
    still = np.zeros((len(times), 7))
    return times, still, still, still


@pytest.mark.parametrize("restart", [1.0, 3.2])  # of 4 s: where pieces meet, and within one
def test_a_recording_whose_stamps_restart_is_not_cut(tmp_path, monkeypatch, restart):
    monkeypatch.setattr("impact_analysis.analyze.reading.recordings.SHORT", 1.0)
    recorded = 10.0 + np.arange(0.0, 4.0, 0.01)
    stamps = np.where(recorded < 10.0 + restart, recorded, recorded - 0.9)
    bag = write_bag(tmp_path / "bag", at_rest(stamps), TOPIC, recorded=recorded)
    assert pieces(Part(bag, bag.name), AnalysisSettings(), 2) == [Part(bag, bag.name)]
    even = write_bag(tmp_path / "even", at_rest(recorded - 0.9), TOPIC, recorded=recorded)
    assert len(pieces(Part(even, even.name), AnalysisSettings(), 2)) == 2


@pytest.mark.parametrize("count", [2, 3])
def test_a_long_gap_where_pieces_meet_is_said(tmp_path, monkeypatch, count):
    monkeypatch.setattr("impact_analysis.analyze.reading.recordings.SHORT", 1.0)
    some = np.arange(0.0, 2.0, 0.01)
    bag = write_bag(tmp_path / "bag", at_rest(np.concatenate([10.0 + some, 40.0 + some])), TOPIC)
    whole = collect(bag, AnalysisSettings())
    cut = pieces(Part(bag, bag.name), AnalysisSettings(), count)
    assert len(cut) == 2
    together = joined([collect(bag, AnalysisSettings(), piece) for piece in cut])
    assert together.remarks == whole.remarks and len(whole.gaps) == 1
    assert together.duration == pytest.approx(whole.duration, abs=1e-9)


def test_two_contacts_in_one_window_are_said():
    t = np.arange(-0.05, 0.1, 4e-5)
    force = np.zeros((len(t), 3))
    for start in (0.0, 0.02):
        force[:, 2] += 100.0 * np.sin(np.pi * np.clip((t - start) / 0.005, 0.0, 1.0))
    assert second_contact(t, force, 0.005) == pytest.approx(0.02, abs=1e-3)
    assert np.isnan(second_contact(t, force, 0.05))


def test_a_second_hit_20_ms_later_is_said(write_csv, samples):
    t, q, dq, tau = samples
    late = np.maximum(0.0, t - TOUCH - 0.02)
    jump = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0])
    moved = q + late[:, None] * jump, dq + (late > 0.0)[:, None] * jump
    analysis = analyze(write_csv(t, *moved, tau), normal=(0, 0, 1))
    notes = [note for impact in analysis.impacts for note in impact.measured.notes]
    assert any("another impact" in note.text for note in notes)


def test_an_arm_that_coasts_is_not_said_to_be_driven(write_csv, samples):
    (impact,) = analyze(write_csv(*samples), normal=(0, 0, 1)).impacts
    assert impact.measured.notes == []


def test_a_recording_without_an_impact_has_an_answer(write_csv, samples):
    t, *columns = samples
    quiet = t < 1.3
    path = write_csv(t[quiet], *(column[quiet] for column in columns))
    analysis = analyze(path, normal=(0, 0, 1))
    assert analysis.answer[0].startswith("No impact was found in odd.csv (largest statistic")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nowhere", "--out", "OUT"], "nowhere: no such file or folder"),
        (["FILE", "--out", "FILE"], "--out: expected a folder, FILE is a file"),
        (["FILE", "--out", "FULL"], "--out: expected an empty folder"),
        (["FILE", "--out", "OUT", "--resume"], "--resume: expected the folder of an analysis"),
        (
            ["FILE", "--out", "OUT", "--friction", "-1"],
            "friction: expected a finite number, at least 0",
        ),
        (
            ["FILE", "--out", "OUT", "--restitution", "2"],
            "restitution: expected low, high with 0 <= low <= high <= 1",
        ),
        (["FILE", "--out", "OUT", "--normal", "0,0,0"], "normal: expected three finite numbers"),
        (["FILE", "--out", "OUT", "--robot", "nobody"], "robot: expected"),
        (["FILE", "--out", "OUT", "--dask", "tcp://127.0.0.1:1"], "--dask: no scheduler at"),
    ],
)
def test_wrong_usage_is_one_line(arguments, line, tmp_path, write_csv, samples, capsys):
    path = write_csv(*samples)
    full = tmp_path / "full"
    full.mkdir()
    (full / "holiday.jpg").touch()
    places = {"FILE": str(path), "OUT": str(tmp_path / "out"), "FULL": str(full)}
    capsys.readouterr()
    status = main(["analyze", *(places.get(text, text) for text in arguments)])
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert status in (1, 2)
    assert line.replace("FILE", str(path)) in error
    assert "--dask" in arguments or not (tmp_path / "out").exists()
    assert path.is_file()


def test_names_say_what_repeats_itself():
    assert group_of("flex_exp_type1_003") == "flex_exp_type1"
    assert group_of("run-7.mcap") == group_of("run-7.MCAP") == group_of("run-7.csv") == "run"
    assert group_of("wall") == "wall"
    assert group_of("wall_0.1.mcap") == "wall_0.1"  # a value, as of a friction


def test_an_arm_whose_motors_are_unknown_is_explained_by_its_links(few, tmp_path, project_root):
    shipped = project_root / "impact_robots" / "panda.yaml"
    lines = [
        line
        for line in shipped.read_text().splitlines()
        if "motor_inertia" not in line and not line.startswith(("assumed", "urdf"))
    ]
    robot = tmp_path / "bare.yaml"
    robot.write_text("\n".join([*lines, f"urdf: {shipped.with_name('panda.urdf')}", ""]))
    out = tmp_path / "out"
    assert main(["analyze", str(few), "--out", str(out), f"--robot={robot}", "--jobs=1"]) == 0
    document = json.loads((out / "analysis.json").read_text())
    assert "M+B_theta" not in json.dumps(document["summary"])
    assert "effective mass" in (out / "report.html").read_text()
