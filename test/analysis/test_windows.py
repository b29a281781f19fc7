# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`impact export hdf5|parquet`: contact windows that `analyze` reads back to the same report."""

import json
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from impact_analysis.analyze import AnalysisSettings, analyze, collect, document
from impact_bags import BagWriter, impact_typestore
from impact_bags.bag_recording import BagRecording, TopicChoice
from impact_bags.exceptions import RecordingError
from impact_bags.open_recording import open_recording
from impact_cli.command_line import run as main
from impact_detector.signals.sample import JointSample
from impact_robots import load_robot

KINDS = ("hdf5", "parquet")
LIBRARY = {"hdf5": "h5py", "parquet": "pyarrow"}
LATER = 100.0  # between the hits of a long recording [s]
REST = 6000  # samples before each of its hits
WALL_CLOCK = 1_764_000_000_123_456_789  # of a real robot [ns]

pytestmark = pytest.mark.usefixtures("without_contact_laws")


@pytest.fixture(params=KINDS)
def kind(request):
    pytest.importorskip(LIBRARY[request.param])
    return request.param


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    """Two trials with force, announcement and desired torques."""
    folder = tmp_path_factory.mktemp("windows") / "trials"
    asked = ["simulate", "qp_panda_demo", "--trials=2", "--record", str(folder), "--jobs=1"]
    assert main(asked) == 0
    (folder / "trials.csv").unlink()
    return folder


@pytest.fixture(scope="module")
def samples(trials):
    """The joint states of one trial: times [s], positions, velocities, torques, (k, 7)."""
    recording = BagRecording(trials / "qp_panda_demo_000", load_robot("panda"), TopicChoice())
    found = [item for item in recording.items(references=False) if isinstance(item, JointSample)]
    columns = [np.array([getattr(each, name) for each in found]) for name in ("q", "dq", "tau")]
    return np.array([each.time for each in found]) * 1e-9, *columns


@pytest.fixture
def long(tmp_path, samples):
    """A bag with two hits at rest before and far apart, the noise of each its own."""
    rng = np.random.default_rng(3)
    t = np.concatenate([samples[0][0] - 1e-3 * np.arange(REST, 0, -1), samples[0]])
    columns = [np.concatenate([np.tile(c[0], (REST, 1)), c]) for c in samples[1:]]
    noisy = [
        [c + scale * rng.standard_normal(c.shape) for c, scale in zip(columns, NOISE, strict=True)]
        for _ in range(2)
    ]
    states = [np.concatenate(each) for each in zip(*noisy, strict=True)]
    return write_bag(tmp_path / "long", np.concatenate([t, t + LATER]), states, ["panda"])


NOISE = (1e-6, 1e-4, 1e-2)  # of positions, velocities, torques [rad; rad/s; N.m]


def write_bag(path, times, states, robots, begin=100 * 10**9):
    """Write the same joint states for each robot, whose joints have its name, from a time [ns]."""
    types = impact_typestore()
    kinds = types.types
    state, header = kinds["sensor_msgs/msg/JointState"], kinds["std_msgs/msg/Header"]
    stamp = kinds["builtin_interfaces/msg/Time"]
    with BagWriter(path, types) as bag:
        stamps = begin + np.round(1e9 * times).astype(int)
        for time, *row in zip(stamps, *states, strict=True):
            for robot in robots:
                names = [f"panda_joint{i}" for i in range(1, 8)]
                topic = f"/{robot}/joint_states" if len(robots) > 1 else "/joint_states"
                message = state(header(stamp(*divmod(int(time), 10**9)), ""), names, *row)
                bag.write(topic, "sensor_msgs/msg/JointState", message, int(time))
    return path


def exported(kind, bag, out, *options):
    """The files that the command makes of a recording."""
    assert main(["export", kind, str(bag), "--out", str(out), *options]) == 0
    return sorted(out.iterdir())


def report(path, **settings):
    """The report as JSON, without names of files."""
    text = json.dumps(document(analyze(path, **settings), Path("report.html")))
    return json.loads(text.replace(".h5", ""))


def test_the_report_of_the_windows_is_that_of_the_bags(kind, trials, tmp_path):
    files = exported(kind, trials, tmp_path / "out")
    assert len(files) == 2
    told = report(tmp_path / "out")
    assert len(told["impacts"]) == 2 and told == report(trials)


def test_every_item_comes_back_as_it_was(kind, trials, tmp_path):
    bag = trials / "qp_panda_demo_000"
    (file,) = exported(kind, bag, tmp_path / "out")
    robot, choice = load_robot("panda"), TopicChoice()
    there, back = (list(open_recording(path, robot, choice).items()) for path in (bag, file))
    assert len(there) == len(back)  # the trial is shorter than a window
    assert {type(item) for item in back} == {type(item) for item in there}
    for one, other in zip(there, back, strict=True):
        assert type(one) is type(other) and repr(one) == repr(other)


def test_far_hits_have_their_own_windows_and_the_same_figures(kind, long, tmp_path):
    (file,) = exported(kind, long, tmp_path / "out", "--normal=-1,0,0")
    recording = open_recording(file, load_robot("panda"), TopicChoice())
    times = [item.time * 1e-9 for item in recording.items()]
    steps = np.diff(times)
    assert len(recording.windows) == 2 and np.sum(steps > LATER / 2) == 1
    assert sum(steps[steps < 1.0]) > 2 * 5.0  # both much longer than a contact
    settings = AnalysisSettings(normal=(-1.0, 0.0, 0.0))
    whole, windows = collect(long, settings), collect(file, settings)
    assert (windows.samples, windows.duration) == (whole.samples, whole.duration)
    assert windows.gaps == whole.gaps and windows.remarks == whole.remarks
    assert repr(windows.missed) == repr(whole.missed)  # NaN is not equal to itself
    assert len(whole.impacts) == len(windows.impacts) == 2
    for one, other in zip(whole.impacts, windows.impacts, strict=True):
        assert one.detection_time == other.detection_time
        np.testing.assert_allclose(one.dq_after, other.dq_after, atol=1e-9)
        np.testing.assert_allclose(one.impulse, other.impulse, atol=1e-9)


def test_impacts_with_stamps_of_a_wall_clock_come_back(kind, samples, tmp_path):
    """Their stamps have more digits than seconds in floating point."""
    bag = write_bag(tmp_path / "real", samples[0], samples[1:], ["panda"], WALL_CLOCK)
    (file,) = exported(kind, bag, tmp_path / "out")
    stamps = [each.detection_stamp for each in collect(bag, AnalysisSettings()).impacts]
    assert [stamp % 1_000_000 for stamp in stamps] == [WALL_CLOCK % 1_000_000]
    assert [each.detection_stamp for each in collect(file, AnalysisSettings()).impacts] == stamps


@pytest.mark.parametrize("error", [-400, 400])
def test_windows_whose_ends_were_rounded_keep_their_impacts(samples, tmp_path, error):
    """Earlier versions rounded stamps of a wall clock by up to 384 ns."""
    h5py = pytest.importorskip("h5py")
    bag = write_bag(tmp_path / "real", samples[0], samples[1:], ["panda"], WALL_CLOCK)
    (path,) = exported("hdf5", bag, tmp_path / "out")
    with h5py.File(path, "r+") as file:
        for name in ("first_ns", "last_ns"):
            file["windows"][name][...] += error
    assert len(collect(path, AnalysisSettings()).impacts) == 1


def test_the_arms_of_a_cell_are_exported_one_by_one(kind, tmp_path, samples, capsys):
    bag = write_bag(tmp_path / "two", samples[0], samples[1:], ["left", "right"])
    files = exported(kind, bag, tmp_path / "out", "--normal=-1,0,0")
    assert [file.stem for file in files] == ["left_of_two", "right_of_two"]
    assert "not which arms hit together" in capsys.readouterr().out
    told, whole = (analyze(path, normal=(-1, 0, 0)) for path in (tmp_path / "out", bag))
    figures = [[each.measured.dq_after.tolist() for each in one.impacts] for one in (told, whole)]
    assert len(told.impacts) == 2 and figures[0] == figures[1]


def test_hdf5_has_units_and_frames(trials, tmp_path):
    h5py = pytest.importorskip("h5py")
    (path,) = exported("hdf5", trials / "qp_panda_demo_000", tmp_path / "out")
    with h5py.File(path) as file:
        assert file.attrs["robot"] == "panda"
        assert json.loads(file.attrs["joint_names"])[0] == "panda_joint1"
        for table in file.values():
            for name, column in table.items():
                assert {"unit", "frame", "description"} == set(column.attrs)
                assert column.attrs["description"], name
        tau = file["joints/tau3_nm"]
        assert (tau.attrs["unit"], tau.attrs["frame"]) == ("N.m", "panda_joint3")
        assert file["announcements/normal_x"].attrs["frame"] == file.attrs["base_frame"]
        assert file["force/force_x_n"].attrs["unit"] == "N"
        assert file["impacts/dq_after1_radps"].shape == (1,)


def test_pyarrow_reads_the_documented_columns(trials, tmp_path, project_root):
    parquet = pytest.importorskip("pyarrow.parquet")
    (folder,) = exported("parquet", trials / "qp_panda_demo_000", tmp_path / "out")
    page = (project_root / "doc" / "windows.md").read_text()
    for path in folder.iterdir():
        for field in parquet.read_schema(path):
            first = re.sub(r"_[yz](_|$)", r"_x\1", re.sub(r"[2-7](?=_)", "1", field.name))
            assert f"`{first}`" in page, (path.name, field.name)
            assert field.metadata[b"description"]
    joints = parquet.read_table(folder / "joints.parquet")
    period = np.median(np.diff(joints["time_ns"].to_numpy()))
    assert period == 1e6  # torques at the rate of the joint states
    assert np.isfinite(joints["tau7_nm"].to_numpy()).all()


@pytest.mark.parametrize("content", [b"", b"no table", b"\x89HDF\r\n\x1a\n" + bytes(100)])
def test_a_damaged_file_is_one_line(tmp_path, content, refused):
    pytest.importorskip("h5py")
    (tmp_path / "bad.h5").write_bytes(content)
    assert "bad.h5: expected contact" in refused("detect", tmp_path / "bad.h5")


def test_cut_tables_are_one_line(kind, trials, tmp_path, impact, refused):
    (path,) = exported(kind, trials / "qp_panda_demo_000", tmp_path / "out")
    impact()  # what was printed
    if kind == "hdf5":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    else:
        (path / "force.parquet").unlink()
    assert str(path) in refused("detect", path)


def test_another_robot_is_refused_with_the_robot_it_is_of(kind, trials, tmp_path):
    (path,) = exported(kind, trials / "qp_panda_demo_000", tmp_path / "out")
    other = SimpleNamespace(name="other", joint_names=("a", "b"), dof=2)
    with pytest.raises(RecordingError, match=r"expected joints a, b of .* of 'panda'; choose with"):
        open_recording(path, other, TopicChoice())


def test_a_recording_without_impact_is_one_line(tmp_path, impact, samples, kind):
    still = [column[:200] for column in samples[1:]]
    bag = write_bag(tmp_path / "still", samples[0][:200], still, ["panda"])
    status, printed, error = impact("export", kind, bag, "--out", tmp_path / "out")
    assert (status, printed) == (2, "") and error == "impact: still: no impact found\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["hdf5"], "expected a recording"),
        (["hdf5", "nowhere"], "nowhere: no such file or folder"),
        (["hdf5", "nowhere", "--flexible"], "--flexible: expected the format mjcf or gazebo"),
        (["mjcf", "bag"], "export mjcf: expected no recording, got bag"),
        (["mjcf", "--state-topic", "/a"], "--state-topic: expected the format hdf5 or parquet"),
    ],
)
def test_wrong_use_is_one_line(tmp_path, arguments, text, refused):
    if find_spec("h5py") is None and "nowhere" in text:
        pytest.skip("h5py is not installed")
    assert text in refused("export", *arguments, "--out", tmp_path / "out")


def test_a_folder_with_files_is_not_written_to(trials, tmp_path, refused):
    (tmp_path / "mine").write_text("")
    assert "has files in it" in refused("export", "hdf5", trials, "--out", tmp_path)


def test_a_disk_that_refuses_is_one_line(kind, trials, tmp_path, monkeypatch, refused):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    bag = trials / "qp_panda_demo_000"
    assert "No space left" in refused("export", kind, bag, "--out", tmp_path / "out", status=1)


def test_a_missing_library_is_one_line(impact, trials, tmp_path, monkeypatch):
    for kind, name in LIBRARY.items():
        monkeypatch.setitem(sys.modules, name, None)
        status, _, error = impact("export", kind, trials, "--out", tmp_path / "out")
        assert status == 2
        assert error == f"impact: {kind}: expected the package {name}: pip install {name}\n"


def test_recordings_of_one_name_are_refused(impact, trials, tmp_path, kind):
    for name in ("a", "b"):
        shutil.copytree(trials / "qp_panda_demo_000", tmp_path / name / "bag")
    asked = [tmp_path / "a" / "bag", tmp_path / "b" / "bag", "--out", tmp_path / "out"]
    status, _, error = impact("export", kind, *asked)
    assert status == 2 and "expected recordings of different names, got bag" in error
    assert not list((tmp_path / "out").glob("*"))
