# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Rows in Parquet files: every trial once, whatever is killed, in memory that does not grow."""

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

import pyarrow.dataset as ds
import pyarrow.parquet as pq

from impact_bags.exceptions import RecordingError
from impact_robots.exceptions import UsageError
from impact_trials import parted_folder
from impact_trials.parted_folder import PartedFolder
from impact_trials.truth.trial_table import JOURNAL, PARTS, part_files, read_trials

COLUMNS = ("scenario", "trial", "seed", "bag", "speed_mps", "contacts")
SCENARIOS, EACH, KEEP = ("hard", "soft"), 7, 3
ASKED = {"seed": 1, "trials": EACH, "robots": {}, "scenarios": {name: {} for name in SCENARIOS}}
CHILD = """
import os, signal, sys
from pathlib import Path
from impact_trials import parted_folder
from test_parted_folder import of, add_all

at, calls = int(sys.argv[2]), 0
write, take = parted_folder.write_file, parted_folder.PartedFolder._append

def die_at(call):
    global calls
    calls += 1
    if calls == at:
        call()
        os.kill(os.getpid(), signal.SIGKILL)

def write_file(path, data):
    die_at(lambda: path.with_name(f".{path.name}.9.unfinished").write_bytes(b"half"))
    write(path, data)
    die_at(lambda: None)

def append(self, data):
    die_at(lambda: take(self, data[: len(data) // 2]))
    take(self, data)
    die_at(lambda: None)

parted_folder.ROWS = 4
parted_folder.write_file = write_file
parted_folder.PartedFolder._append = append
add_all(of(Path(sys.argv[1])))
"""


@pytest.fixture(autouse=True)
def short_files(monkeypatch):
    monkeypatch.setattr(parted_folder, "ROWS", 4)


def of(path, **other):
    campaign = json.dumps(ASKED | other)
    return PartedFolder(path, COLUMNS, campaign, SCENARIOS, EACH, KEEP)


def row(index):
    scenario, number = divmod(index, EACH)
    name = SCENARIOS[scenario]
    return {
        "scenario": name,
        "trial": number,
        "seed": 1 + index,
        "bag": f"{name}_{number:03d}" if number % KEEP == 0 else None,
        "speed_mps": None if index == 5 else 0.1 + 0.2 * index,
        "contacts": None if index == 6 else index,
    }


BAGS = ["hard_000", "hard_003", "hard_006", "soft_000", "soft_003", "soft_006"]
ALL = [row(index) for index in range(2 * EACH)]


def add(folder, index):
    if (name := row(index)["bag"]) is not None:
        bag = folder.unfinished / name
        bag.mkdir()
        (bag / f"{name}.mcap").write_text("whole")
    folder.add(row(index))


def add_all(folder, order=None):
    with folder:
        for index in order or range(2 * EACH):
            if not folder.has(index):
                add(folder, index)


def contents(path):
    files = (each for each in path.rglob("*") if each.is_file() and each.suffix != ".lock")
    return {str(each.relative_to(path)): each.read_bytes() for each in files}


@pytest.fixture
def whole(tmp_path):
    """What a campaign without interruption leaves."""
    add_all(of(tmp_path / "whole"))
    return contents(tmp_path / "whole")


def test_rows_are_read_back_from_files_of_so_many(tmp_path, whole):
    path = tmp_path / "whole"
    names = sorted(each.name for each in (path / PARTS).iterdir())
    assert names == [f"part_{number:06d}.parquet" for number in range(4)]
    assert [pq.read_metadata(path / PARTS / name).num_rows for name in names] == [4, 4, 4, 2]
    assert ds.dataset(path / PARTS).to_table().to_pylist() == ALL
    folder = of(path)
    with folder:
        assert (list(folder.rows()), folder.count) == (ALL, 14)
    assert not (path / JOURNAL).exists()
    assert contents(path) == whole


def test_a_campaign_that_is_resumed_leaves_the_same_bytes(tmp_path, whole):
    path = tmp_path / "parts"
    for some in ([2, 0, 13], [3, 1, 8, 9, 10], [11]):
        add_all(of(path), some)
    folder = of(path)
    with folder:
        assert [index for index in range(14) if folder.has(index)] == [0, 1, 2, 3, 8, 9, 10, 11, 13]
        assert [each["trial"] for each in folder.rows()] == [0, 1, 2, 3, 1, 2, 3, 4, 6]
        assert list(folder._open) == [3]  # only these rows are in memory
    add_all(of(path))
    assert contents(path) == whole


def test_killed_again_and_again_every_trial_is_there_once(tmp_path, whole):
    path, draws = tmp_path / "killed", random.Random(4)
    ends = []
    while not ends or ends[-1] != 0:
        command = [sys.executable, "-c", CHILD, str(path), str(draws.randint(5, 16))]
        child = subprocess.run(command, cwd=Path(__file__).parent, timeout=60)
        assert child.returncode in (0, -signal.SIGKILL)
        ends.append(child.returncode)
        assert len(ends) < 40
    assert len(ends) > 2
    assert contents(path) == whole


@pytest.mark.parametrize("copied", [1, 4])
def test_a_row_in_a_file_and_in_the_journal_counts_once(tmp_path, whole, copied):
    """As a process leaves it that is killed between writing a file and clearing the journal."""
    path = tmp_path / "twice"
    add_all(of(path), range(6))
    lines = [json.dumps(row(index)) + "\n" for index in range(copied)]
    (path / JOURNAL).write_text("".join(lines) + (path / JOURNAL).read_text() + '{"scena')
    folder = of(path)
    with folder:
        assert folder.count == 6
    add_all(of(path))
    assert contents(path) == whole


def test_a_trial_whose_recording_was_deleted_is_run_again(tmp_path, whole):
    path = tmp_path / "whole"
    (path / "hard_003" / "hard_003.mcap").unlink()
    (path / "hard_003").rmdir()
    folder = of(path)
    with folder:
        assert [index for index in range(14) if not folder.has(index)] == [3]
        assert folder.count == 13
    add_all(of(path))
    assert contents(path) == whole


def test_damage_and_other_calls_are_one_line(tmp_path, whole):
    path = tmp_path / "whole"
    (path / JOURNAL).write_text("{}\n")
    with pytest.raises(RecordingError, match=r"\.rows\.jsonl.*damaged"), of(path):
        pass
    (path / JOURNAL).unlink()
    (path / PARTS / "part_000001.parquet").write_bytes(b"no")
    with of(path) as folder, pytest.raises(RecordingError, match=r"part_000001\.parquet.*damaged"):
        list(folder.rows())
    with pytest.raises(UsageError, match="--keep-bags 1, got 3"):
        of(path, keep_bags=3)
    with pytest.raises(UsageError, match=r"rows in trials\.csv"):
        of(path, parquet=True)


def test_a_copy_of_a_file_is_none_of_the_campaign(tmp_path, whole):
    path = tmp_path / "whole"
    part = path / PARTS / "part_000000.parquet"
    copies = [part.with_name(f"{name}.parquet") for name in ("part_000000 (Kopie)", "part_0")]
    for copy in copies:
        copy.write_bytes(part.read_bytes())
    assert list(part_files(path)) == [0, 1, 2, 3]
    assert [each.bag.name for each in read_trials(path, 0)] == BAGS
    folder = of(path)
    with folder:
        assert (list(folder.rows()), folder.count) == (ALL, 14)
    for copy in copies:
        copy.unlink()
    assert contents(path) == whole


@pytest.mark.parametrize("finished", [2, 6])  # no file is complete, one is
def test_the_finished_trials_of_an_interrupted_campaign_are_read(tmp_path, finished):
    path = tmp_path / "parts"
    add_all(of(path), range(finished))
    assert len(part_files(path)) == finished // 4
    known = BAGS[: 1 + finished // 4]
    assert [each.bag.name for each in read_trials(path, 0)] == known
    (path / JOURNAL).write_text(json.dumps(row(0)) + "\n" + (path / JOURNAL).read_text() + '{"sc')
    # As it is left by a process that was killed.
    assert [each.bag.name for each in read_trials(path, 0)] == known
    (path / JOURNAL).write_text("[1]\n")
    with pytest.raises(RecordingError, match="damaged: expected rows with names"):
        read_trials(path, 0)


def test_a_campaign_without_a_finished_trial_is_not_called_damaged(tmp_path):
    path = tmp_path / "parts"
    with of(path):
        pass
    with pytest.raises(RecordingError, match="expected at least one trial, found none"):
        read_trials(path, 0)


def test_pyarrow_is_asked_for_in_a_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match="expected the package pyarrow: pip install pyarrow"):
        of(tmp_path / "new")
