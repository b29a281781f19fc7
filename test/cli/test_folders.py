# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Folders that commands write into: their own only, and one command at a time."""

import json
import os
import signal
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rosbags")

from impact_bags import BagReader
from impact_bags.exceptions import AnalysisError, RecordingError
from impact_bags.folder_lock import locked
from impact_cli.command_line import run as run_command
from impact_cli.commands.simulate import _run
from impact_robots.exceptions import UsageError, WriteError
from impact_sim import load_scenario
from impact_trials.campaign import run_campaign
from impact_trials.campaign_file import CAMPAIGN, campaign_text
from impact_trials.processes import on_cluster
from impact_trials.trial import TrialResult
from impact_trials.trial_folder import TrialFolder
from impact_trials.truth.trial_table import TABLE

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ("bag", "seed", "scenario", "trial")
NAMES = ("a_000", "a_001", "a_002")
ASKED = {"seed": 1, "trials": 3, "robots": {"arm": 7}, "scenarios": {"a": {"speed": 0.1}}}
HEADING = ",".join(COLUMNS) + "\n"
HOLD = """
import sys
from pathlib import Path
from impact_bags.folder_lock import locked
with locked(Path(sys.argv[1]), "--out"):
    print("held", flush=True)
    sys.stdin.read()
"""


def of(path, **other):
    """Return the folder of the campaign, or of one that asks for something else."""
    return TrialFolder(path, COLUMNS, json.dumps(ASKED | other), NAMES)


def row(number):
    return {"bag": NAMES[number], "seed": 1 + number, "scenario": "a", "trial": number}


def text(*numbers):
    """Return the table of some trials."""
    return HEADING + "".join(f"a_00{k},{1 + k},a,{k}\n" for k in numbers)


def record(folder, name, content="whole"):
    """Leave a recording where a trial leaves it."""
    bag = folder.unfinished / name
    bag.mkdir()
    (bag / f"{name}.mcap").write_text(content)


def names(path):
    return sorted(item.name for item in path.iterdir())


@pytest.fixture
def holder(tmp_path):
    """Another process that is writing into tmp_path / "out"."""
    (tmp_path / "out").mkdir()
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "out")],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "held\n"
    yield child
    child.kill()
    child.communicate()


def test_what_others_put_into_the_folder_stays(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "data").write_text("theirs")
    with of(tmp_path / "out") as folder:
        record(folder, "a_000")
        folder.add(row(0))
        record(folder, "a_001", "half")
        (tmp_path / "out" / "thesis").mkdir()
        (tmp_path / "out" / "thesis" / "chapter").write_text("theirs")
        (tmp_path / "out" / "link").symlink_to(tmp_path / "elsewhere")
    assert names(tmp_path / "out") == ["a_000", CAMPAIGN, "link", "thesis", TABLE]
    assert (tmp_path / "out" / "thesis" / "chapter").read_text() == "theirs"
    assert (tmp_path / "elsewhere" / "data").read_text() == "theirs"
    assert (tmp_path / "out" / TABLE).read_text() == text(0)


def test_a_folder_that_has_the_name_of_a_trial_is_not_replaced(tmp_path):
    with of(tmp_path / "out") as folder:
        record(folder, "a_000")
        (tmp_path / "out" / "a_000").mkdir()
        with pytest.raises(RecordingError, match=r"a_000: exists already"):
            folder.add(row(0))
    assert names(tmp_path / "out" / "a_000") == []
    assert (tmp_path / "out" / TABLE).read_text() == text()


def test_a_row_for_which_there_is_no_space_is_taken_back(tmp_path):
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with of(tmp_path / "out") as folder:
        record(folder, "a_000")
        folder.add(row(0))
        record(folder, "a_001")
        whole = (tmp_path / "out" / TABLE).read_bytes()
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 3, before[1]))
        try:
            with pytest.raises(WriteError, match=r"cannot write .*trials\.csv"):
                folder.add(row(1))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert (tmp_path / "out" / TABLE).read_bytes() == whole


def test_two_records_into_one_folder_do_not_mix(tmp_path):
    first, second = (of(tmp_path / "out") for _ in range(2))
    with first:
        record(first, "a_000")
        with pytest.raises(AnalysisError, match=r"^--record: another process is writing into "):
            second.__enter__()
        first.add(row(0))
    with second:
        assert second.finished == (row(0),)
    assert names(tmp_path / "out") == ["a_000", CAMPAIGN, TABLE]


def test_trials_that_other_processes_had_finished_are_kept(tmp_path, monkeypatch):
    """Ctrl-C while the first trial is waited for; the second was over before."""

    def campaign(trials, folder, jobs, *, keep, keep_bags):
        (folder / "a_000").mkdir()
        (folder / "a_001").mkdir()
        try:
            raise KeyboardInterrupt
            yield
        finally:
            keep(TrialResult(row(1), ()))

    monkeypatch.setattr("impact_trials.campaign.run_campaign", campaign)
    with pytest.raises(KeyboardInterrupt):
        _run([], Namespace(jobs=2, keep_bags=1), of(tmp_path / "out"))
    assert names(tmp_path / "out") == ["a_001", CAMPAIGN, TABLE]
    assert (tmp_path / "out" / TABLE).read_text() == text(1)


def test_a_folder_goes_on_and_ends_with_its_rows_in_order(tmp_path):
    with of(tmp_path / "out") as folder:
        for k in (2, 0):
            record(folder, NAMES[k])
            folder.add(row(k))
        assert (tmp_path / "out" / TABLE).read_text() == text(2, 0)
    assert (tmp_path / "out" / TABLE).read_text() == text(0, 2)
    with of(tmp_path / "out") as folder:
        assert (folder.finished, folder.count) == ((row(0), row(2)), 2)
        record(folder, NAMES[1])
        folder.add(row(1))
    assert (tmp_path / "out" / TABLE).read_text() == text(0, 1, 2)
    assert names(tmp_path / "out") == [*NAMES, CAMPAIGN, TABLE]


def test_what_a_killed_call_left_is_cleared_up(tmp_path):
    """Half a row, half a recording, and a recording whose row it did not come to."""
    out = tmp_path / "out"
    with of(out) as folder:
        record(folder, NAMES[0])
        folder.add(row(0))
        record(folder, NAMES[1])
        (folder.unfinished / NAMES[1]).rename(out / NAMES[1])
    (out / ".unfinished_0" / NAMES[2]).mkdir(parents=True)
    (out / TABLE).write_text(text(0, 1)[:-3])
    with of(out) as folder:
        assert folder.finished == (row(0),)
        for k in (1, 2):
            record(folder, NAMES[k])
            folder.add(row(k))
    assert (out / TABLE).read_text() == text(0, 1, 2)
    assert names(out) == [*NAMES, CAMPAIGN, TABLE]


def test_a_trial_whose_recording_was_removed_is_run_again(tmp_path):
    with of(tmp_path / "out") as folder:
        record(folder, NAMES[0])
        folder.add(row(0))
    (tmp_path / "out" / NAMES[0] / "a_000.mcap").unlink()
    (tmp_path / "out" / NAMES[0]).rmdir()
    with of(tmp_path / "out") as folder:
        assert folder.finished == ()


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"seed": 2}, "--seed 1, got 2"),
        ({"trials": 4}, "--trials 3, got 4"),
        ({"scenarios": {"b": {"speed": 0.1}}}, "scenario a, got b"),
        ({"scenarios": {"a": {"speed": 0.2}}}, "scenarios of these names, but other contents"),
        ({"robots": {"arm": 8}}, "robots of these names, but other contents"),
    ],
)
def test_a_folder_of_another_campaign_is_refused(tmp_path, other, message):
    with of(tmp_path / "out"):
        pass
    with pytest.raises(UsageError) as error:
        of(tmp_path / "out", **other)
    assert str(error.value) == (
        f"--record: {tmp_path / 'out'} holds a campaign of {message}: give the same, or name"
        " another folder"
    )


@pytest.mark.parametrize("damage", ["", "{", "[]", "{}", '"text"'])
def test_a_damaged_campaign_is_one_line(tmp_path, damage):
    (tmp_path / CAMPAIGN).write_text(damage)
    with pytest.raises(UsageError, match=r"^--record: .*campaign\.json is damaged: .*"):
        of(tmp_path)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("bag,speed\n", "has the columns of another version: name another folder"),
        (HEADING + "a_000,1\n", "damaged: "),
        (HEADING + "a_000,x,a,0\n", "damaged: "),
        (HEADING + "b_000,1,a,0\n", "holds other trials: b_000"),
    ],
)
def test_a_damaged_table_is_one_line(tmp_path, table, message):
    with of(tmp_path):
        pass
    (tmp_path / TABLE).write_text(table)
    with pytest.raises(RecordingError) as error:
        of(tmp_path).__enter__()
    assert str(error.value).startswith(f"{tmp_path / TABLE}: {message}")
    assert (tmp_path / TABLE).read_text() == table


def test_what_is_asked_for_is_the_scenario_with_its_contents():
    scenario = load_scenario("iim_wall_cfg1")
    asked = json.loads(campaign_text([scenario], 3, 1))
    assert (asked["seed"], asked["trials"]) == (1, 3)
    assert asked["scenarios"]["iim_wall_cfg1"]["reference_speed"] == scenario.reference_speed
    assert asked == json.loads(campaign_text([load_scenario("iim_wall_cfg1")], 3, 1))
    assert set(asked["robots"]) == {scenario.robot}


def test_a_cluster_finishes_in_any_order_and_what_is_left_over_is_kept(monkeypatch):
    monkeypatch.setattr("impact_trials.processes._on_dask", lambda *_: iter([(2, "c"), (0, "a")]))
    kept = []
    with on_cluster("somewhere"):
        assert list(run_campaign("abc", None, 1, kept.append)) == ["a"]
    assert kept == ["c"]


def test_a_full_disk_ends_a_campaign_with_one_line(tmp_path, capsys):
    import resource

    out = tmp_path / "out"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))  # a recording has 1 MB
    try:
        command = ["simulate", "iim_wall_cfg1", "--trials", "2", "--jobs", "1"]
        status = run_command([*command, "--record", str(out)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    err = capsys.readouterr().err
    assert status == 1
    assert err.count("\n") == 1 and "iim_wall_cfg1_000: cannot write " in err
    assert names(out) == [CAMPAIGN, TABLE]
    assert (out / TABLE).read_text().count("\n") == 1


def test_a_killed_campaign_leaves_whole_recordings_only(tmp_path):
    out = tmp_path / "out"
    command = ["simulate", "iim_wall_cfg1", "--trials", "200", "--jobs", "2", "--record", str(out)]
    child = subprocess.Popen([sys.executable, "-m", "impact_cli", *command], cwd=ROOT)
    while not (out / TABLE).exists() or (out / TABLE).read_text().count("\n") < 3:
        assert child.poll() is None
    child.kill()
    child.wait()
    bags = [
        name for name in names(out) if not name.startswith(".") and name not in (CAMPAIGN, TABLE)
    ]
    assert len(bags) >= 2
    for name in bags:
        with BagReader(out / name) as reader:
            assert len(list(reader.raw(["/joint_states"]))) > 100
    rows = (out / TABLE).read_text().splitlines()[1:]
    assert 0 <= len(bags) - len(rows) <= 1  # killed between a recording and its row


# --- analyze ----------------------------------------------------------------------------------


@pytest.fixture
def quiet(tmp_path):
    """A CSV of an arm at rest."""
    columns = ["time_s", *(f"{n}_{u}" for i in range(1, 8) for n, u in ((f"q{i}", "rad"),))]
    columns += [f"dq{i}_radps" for i in range(1, 8)] + [f"tau{i}_nm" for i in range(1, 8)]
    rows = np.zeros((600, 22))
    rows[:, 0] = 1.0 + np.arange(600) * 1e-3
    rows[:, 1:8] = (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.8)
    np.savetxt(tmp_path / "rest.csv", rows, "%.6g", ",", header=",".join(columns), comments="")
    return tmp_path / "rest.csv"


@pytest.mark.parametrize("theirs", ["parts/a.json", "report.html", "parts/report.html"])
def test_a_strangers_folder_is_not_written_to(quiet, tmp_path, theirs, refused):
    path = tmp_path / "out" / theirs
    path.parent.mkdir(parents=True)
    path.write_text("theirs")
    (tmp_path / "out" / "analysis.json").write_text("theirs")
    line = refused("analyze", quiet, "--out", tmp_path / "out")
    assert "expected an empty folder, or one of an analysis" in line
    assert path.read_text() == (tmp_path / "out" / "analysis.json").read_text() == "theirs"


def test_its_own_folder_is_written_to_again(quiet, tmp_path, capsys):
    out = tmp_path / "out"
    for extra in ([], [], ["--resume"]):
        assert run_command(["analyze", str(quiet), "--out", str(out), *extra]) == 0
    (out / "notes.txt").write_text("mine")
    assert run_command(["analyze", str(quiet), "--out", str(out)]) == 0
    assert (out / "notes.txt").read_text() == "mine"
    assert not [name for name in names(out) if "unfinished" in name]
    assert json.loads((out / "analysis.json").read_text())["report"] == str(out / "report.html")


def test_a_second_analysis_into_the_folder_is_refused_until_the_first_has_ended(
    quiet, tmp_path, capsys, holder
):
    out = tmp_path / "out"
    assert run_command(["analyze", str(quiet), "--out", str(out)]) == 1
    err = capsys.readouterr().err
    assert err == (
        f"impact: --out: another process is writing into {out}: wait for it, or choose another"
        " folder\n"
    )
    assert names(out) == []
    holder.send_signal(signal.SIGKILL)  # its lock must not outlive it
    holder.wait()
    assert run_command(["analyze", str(quiet), "--out", str(out)]) == 0


def test_a_lock_is_of_one_folder(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with locked(tmp_path / "a", "--out"), locked(tmp_path / "b", "--out"):
        assert os.listdir(tmp_path / "a") == []  # noqa: PTH208
    with locked(tmp_path / "a", "--out"):
        pass


def test_a_full_disk_leaves_the_earlier_analysis_as_it_was(quiet, tmp_path, capsys):
    import resource

    out = tmp_path / "out"
    assert run_command(["analyze", str(quiet), "--out", str(out)]) == 0
    before = {path: path.read_bytes() for path in out.iterdir() if path.is_file()}
    capsys.readouterr()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))  # the report is larger
    try:
        status = run_command(["analyze", str(quiet), "--out", str(out), "--restitution", "0.5"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    err = capsys.readouterr().err.splitlines()
    assert status == 1
    assert err[-1].startswith(f"impact: cannot write {out / 'report.html'}: ")
    assert {path: path.read_bytes() for path in out.iterdir() if path.is_file()} == before
