# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings that are damaged, were not finished, or unpack to gigabytes."""

import json
import os
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rosbags")

from lz4.frame import compress as lz4_compress

from impact_bags import BagReader, BagWriter, RecordingError, impact_typestore
from impact_bags.bag_recording import BagRecording, TopicChoice
from impact_bags.reading import unpacking
from impact_bags.reading.sources import storage_files
from impact_bags.reading.unpacking import TooLargeError, unpack_lz4, unpack_zstd, zstd
from impact_cli.command_line import run as run_command
from impact_robots.exceptions import WriteError

ROOT = Path(__file__).resolve().parents[2]
STATE = "sensor_msgs/msg/JointState"
MILLISECOND = 1_000_000


@pytest.fixture(scope="module")
def campaign_module(benchmarks):
    import damaged_recordings

    return damaged_recordings


@pytest.fixture(scope="module")
def originals(campaign_module, tmp_path_factory):
    """One whole recording of each kind, by name."""
    found = campaign_module.make_recordings(tmp_path_factory.mktemp("whole") / "all")
    return {path.name: path for path in found}


@pytest.fixture
def copied(originals, tmp_path):
    """A function that copies a recording, to be damaged."""

    def copy(name):
        copy_of = shutil.copyfile if originals[name].is_file() else shutil.copytree
        return Path(copy_of(originals[name], tmp_path / name))

    return copy


@pytest.fixture
def detect(capsys):
    """A function that runs `impact detect --json` and returns status, document and lines."""

    def call(path):
        capsys.readouterr()
        status = run_command(["detect", str(path), "--json"])
        out, err = capsys.readouterr()
        return status, json.loads(out) if out else None, err.splitlines()

    return call


def state(store, time):
    types = store.types
    stamp = types["builtin_interfaces/msg/Time"](*divmod(time, 10**9))
    names, zeros = [f"panda_joint{i}" for i in range(1, 8)], np.zeros(7)
    header = types["std_msgs/msg/Header"](stamp, "")
    effort = np.random.default_rng(time).normal(0.0, 0.05, 7)  # exactly zero is no measurement
    return types[STATE](header, names, zeros, zeros, effort)


def test_messages_of_other_joints_on_the_topic_are_no_states(tmp_path, panda):
    """As of a gripper, whose stamps are a little older: time did not run backwards."""
    store, path = impact_typestore(), tmp_path / "with_gripper"
    with BagWriter(path, store) as writer:
        for k in range(1, 6):
            time = k * MILLISECOND
            writer.write("/joint_states", STATE, state(store, time), time)
            gripper = state(store, time - MILLISECOND // 2)
            gripper.name[:] = [f"finger{i}" for i in range(7)]
            writer.write("/joint_states", STATE, gripper, time + 1)
    found = list(BagRecording(path, panda, TopicChoice()).items())
    assert [each.time for each in found] == [k * MILLISECOND for k in range(1, 6)]
    assert all(np.isfinite(each.q).all() for each in found)


@pytest.mark.slow
def test_a_seeded_campaign_finds_nothing(campaign_module):
    assert campaign_module.campaign(150, seed=2024) == (150, 0, [])


def test_the_campaign_would_tell(campaign_module, originals, tmp_path, monkeypatch):
    """Of a traceback, of several lines, of silence, of gigabytes."""
    answer = campaign_module.Answer
    wrong = campaign_module._wrong
    assert wrong(answer("KeyError: 3", "", 0.0)) == "KeyError: 3"
    assert wrong(answer(2, "a\nb\n", 0.0)) == "2 lines: a"
    assert wrong(answer(2, "", 0.0)) == "status 2, not a word"
    assert wrong(answer(0, "", 0.0)) == wrong(answer(2, "a\n", 0.0)) == ""
    monkeypatch.setattr(campaign_module, "TIME_LIMIT", 0.0)
    with campaign_module._Reader() as reader:
        assert reader.judge(originals["mcap"]) == "took more than 0 s"
    monkeypatch.undo()
    monkeypatch.setattr(campaign_module, "MEMORY_LIMIT", -1.0)
    with campaign_module._Reader() as reader:
        assert reader.judge(originals["mcap"]).startswith("took ")


@pytest.mark.parametrize("name", ["mcap", "mcap_chunks", "single_mcap.mcap"])
def test_a_damaged_chunk_costs_what_is_in_it(copied, detect, name):
    path = copied(name)
    (file,) = storage_files(path)
    _, whole, _ = detect(path)
    data = bytearray(file.read_bytes())
    chunks = [(offset, length) for offset, length in records(data) if data[offset] == 0x06]
    begin, length = chunks[2][0] + 60, chunks[2][1] - 60
    data[begin : begin + length] = b"\xff" * length
    file.write_bytes(data)
    _, document, _ = detect(path)
    assert document["lost"]
    assert 0.6 * whole["samples"] < document["samples"] < whole["samples"]


def records(data):
    """Yield offset and length of the records of an MCAP file."""
    offset = 8
    while data[offset : offset + 8] != b"\x89MCAP0\r\n" and offset < len(data):
        (length,) = struct.unpack_from("<Q", data, offset + 1)
        yield offset, length
        offset += 9 + length


@pytest.fixture
def split(tmp_path):
    """A recording of 12 files, a state in each."""
    path, store, names = tmp_path / "split", impact_typestore(), [f"{i}.mcap" for i in range(12)]
    path.mkdir()
    for second, name in enumerate(names, start=1):
        with BagWriter(tmp_path / "part", store) as writer:
            writer.write("/joint_states", STATE, state(store, second * 10**9), second * 10**9)
        (tmp_path / "part" / "part.mcap").rename(path / name)
        (tmp_path / "part" / "metadata.yaml").rename(path / "metadata.yaml")
        (tmp_path / "part").rmdir()
    metadata = (path / "metadata.yaml").read_text()
    listed = "\n  ".join(f"- {name}" for name in names)
    (path / "metadata.yaml").write_text(metadata.replace("- part.mcap", listed))
    return path


def seconds(path):
    with BagReader(path, salvage=True) as reader:
        return [time // 10**9 for _, time, _ in reader.messages()]


def test_more_than_ten_files_without_an_index_are_read_in_the_order_of_time(split):
    (split / "metadata.yaml").unlink()
    assert seconds(split) == [*range(1, 13)]


def test_what_follows_damage_in_one_of_more_than_ten_files_is_read_in_the_order_of_time(split):
    assert seconds(split) == [*range(1, 13)]
    data = bytearray((split / "0.mcap").read_bytes())
    ((offset, length),) = ((at, size) for at, size in records(data) if data[at] == 0x06)
    data[offset + 60 : offset + length] = b"\xff" * (length - 60)
    (split / "0.mcap").write_bytes(data)
    assert seconds(split) == [*range(2, 13)]


@pytest.mark.parametrize("name", ["mcap", "mcap_chunks", "mcap_messages", "single_mcap.mcap"])
def test_of_a_cut_file_everything_before_the_cut_is_read(copied, detect, name):
    path = copied(name)
    (file,) = storage_files(path)
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])
    _, document, _ = detect(path)
    assert 15 <= document["samples"] < 60
    (lost,) = document["lost"]
    assert lost.startswith("everything after byte ")
    with pytest.raises(RecordingError), BagReader(path) as reader:  # unless it is asked for
        list(reader.raw())


@pytest.mark.parametrize("name", ["mcap", "sqlite3", "mcap_messages", "sqlite3_messages"])
@pytest.mark.parametrize("content", ["", "rosbag2_bagfile_information: [", "a: 1\n", "\0" * 100])
def test_a_broken_metadata_file_costs_nothing_but_itself(copied, detect, name, content):
    path = copied(name)
    (path / "metadata.yaml").write_text(content)
    status, document, _ = detect(path)
    assert (status, document["samples"]) == (0, 60)
    assert len(document["lost"]) == 1 and document["lost"][0].startswith("its index ")


def test_a_stamp_or_a_message_that_is_none_costs_one_message(copied, detect):
    path = copied("sqlite3")
    with sqlite3.connect(path / "sqlite3.db3") as database:
        database.execute("UPDATE messages SET data = x'00010000' WHERE id = 4")
    database.close()
    status, document, _ = detect(path)
    (lost,) = document["lost"]
    assert status == 0 and lost.startswith("1 messages on /")


def test_text_says_it_too(copied, capsys):
    path = copied("mcap")
    (path / "metadata.yaml").write_text("[")
    assert run_command(["detect", str(path)]) == 0
    assert "damaged or not finished, lost: its index (" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["mcap", "sqlite3", "sqlite3_file", "mcap_file", "table.csv"])
def test_what_holds_nothing_is_one_line_and_status_two(copied, detect, name):
    path = copied(name)
    for file in [path] if path.is_file() else path.iterdir():
        file.write_bytes(b"\x07" * 5000)
    status, document, lines = detect(path)
    assert (status, document) == (2, None)
    assert len(lines) == 1 and str(path) in lines[0]


def test_analyze_says_what_was_lost(copied, tmp_path):
    path = copied("mcap")
    file = path / "mcap.mcap"
    file.write_bytes(file.read_bytes()[:30_000])
    assert run_command(["analyze", str(path), "--out", str(tmp_path / "out")]) == 0
    document = json.loads((tmp_path / "out" / "analysis.json").read_text())
    assert any("damaged: lost everything after byte" in text for text in document["warnings"])


# --- killed while recording -------------------------------------------------------------------

KILLED = """
import os, signal, sys
import numpy as np
from impact_bags import BagWriter, impact_typestore
from test_damaged_recordings import STATE, state
store = impact_typestore()
with BagWriter(sys.argv[1], store, storage=sys.argv[2]) as writer:
    for k in range(3500):
        time = 10**9 + k * 10**6
        writer.write("/joint_states", STATE, state(store, time), time)
    if sys.argv[3] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    raise RuntimeError
"""


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
@pytest.mark.parametrize(("end", "least"), [("kill", 3000), ("raise", 3500)])
def test_of_a_killed_recorder_all_but_the_last_second_is_read(
    tmp_path, detect, storage, end, least
):
    path = tmp_path / "run"
    places = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", KILLED, path, storage, end],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == (-signal.SIGKILL if end == "kill" else 1), done.stderr
    before = {file: file.read_bytes() for file in path.iterdir()}
    status, document, _ = detect(path)
    assert status == 0
    assert document["samples"] >= least
    assert document["lost"] or document["samples"] == 3500
    assert {file: file.read_bytes() for file in path.iterdir()} == before


def test_a_database_that_was_written_to_when_its_writer_died(copied, detect, tmp_path):
    """With the journal of an unfinished transaction beside it, or a log written ahead."""
    for mode in ("DELETE", "WAL"):
        path = copied("sqlite3")
        (path / "metadata.yaml").unlink()
        database = sqlite3.connect(path / "sqlite3.db3", isolation_level=None)
        database.execute(f"PRAGMA journal_mode = {mode}")
        database.execute("PRAGMA cache_size = 1")
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute("DELETE FROM messages WHERE id > 150")
        database.execute("BEGIN")
        database.execute("UPDATE messages SET data = zeroblob(3000)")
        shutil.copytree(path, tmp_path / mode)
        database.close()
        shutil.rmtree(path)
        status, document, _ = detect(tmp_path / mode)
        assert (status in (0, 1), document["samples"] > 40) == (True, True), mode
        assert document["dropped_samples"] == 0
        assert not any("messages on" in text for text in document["lost"]), mode


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_on_a_full_disk_it_stops_with_a_line_and_keeps_what_it_has(tmp_path, storage):
    store = impact_typestore()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
    try:
        with pytest.raises(WriteError, match=r"^cannot write .*run: [^\n]*$"):
            with BagWriter(tmp_path / "run", store, storage=storage) as writer:
                for k in range(20_000):
                    time = 10**9 + k * MILLISECOND
                    writer.write("/joint_states", STATE, state(store, time), time)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with BagReader(tmp_path / "run", salvage=True) as reader:
        assert len(list(reader.messages())) >= 1000


# --- limits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pack", "unpack"), [(zstd.compress, unpack_zstd), (lz4_compress, unpack_lz4)]
)
def test_unpacking_gives_what_was_packed_up_to_the_limit(pack, unpack, monkeypatch):
    data = bytes(range(256)) * 1000
    assert unpack(pack(data), len(data)) == unpack(pack(data)) == data
    assert unpack(pack(data) + pack(data)) == data * 2
    with pytest.raises(ValueError, match="cut off"):
        unpack(pack(data)[:-10])
    with pytest.raises(ValueError, match="expected 1000 bytes unpacked, got more"):
        unpack(pack(data), 1000)
    large = pack(bytes(unpacking.ALWAYS + 1))
    with pytest.raises(TooLargeError, match=r"more than the 64 MB allowed; .*IMPACT_UNPACK_MB"):
        unpack(large)
    monkeypatch.setenv("IMPACT_UNPACK_MB", "65")
    assert len(unpack(large)) == unpacking.ALWAYS + 1


def bomb(size):
    """Return about `size` bytes of zeros, packed, without ever holding them."""
    packer, block = zstd.ZstdCompressor(), bytes(2**20)
    parts = [packer.compress(block) for _ in range(size // len(block))]
    return b"".join([*parts, packer.flush()])


def chunk_of(data, claimed):
    body = struct.pack("<QQQI", 0, 2**62, claimed, 0)
    body += struct.pack("<I", 4) + b"zstd" + struct.pack("<Q", len(data)) + data
    return b"\x06" + struct.pack("<Q", len(body)) + body


@pytest.mark.parametrize("lie", [False, True])
@pytest.mark.parametrize("kind", ["chunk", "file", "messages"])
def test_a_bomb_is_refused_in_one_line(copied, detect, kind, lie, tmp_path):
    """62 kB that unpack to 2 GB; with a lie it claims to be small."""
    packed = bomb(2 * 2**30)
    assert len(packed) < 100_000
    if kind == "chunk":
        path = tmp_path / "bomb.mcap"
        header = struct.pack("<I", 4) + b"ros2" + struct.pack("<I", 0)
        footer = b"\x02" + struct.pack("<QQQI", 20, 0, 0, 0)
        content = chunk_of(packed, 1000 if lie else 2 * 2**30)
        magic = b"\x89MCAP0\r\n"
        head = b"\x01" + struct.pack("<Q", len(header)) + header
        path.write_bytes(magic + head + content + footer + magic)
    elif kind == "file":
        path = copied("sqlite3_file")
        (path / "sqlite3_file.db3.zstd").write_bytes(packed)
    else:
        path = copied("sqlite3_messages")
        with sqlite3.connect(path / "sqlite3_messages.db3") as database:
            database.execute("UPDATE messages SET data = ?", (packed,))
        database.close()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    status, _, lines = detect(path)
    assert status == 2 and len(lines) == 1
    if not (lie and kind == "chunk"):  # which is just damage
        assert "more than the 64 MB allowed" in lines[0] and "IMPACT_UNPACK_MB" in lines[0]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000  # kB


# --- CSV --------------------------------------------------------------------------------------


def test_a_line_that_never_ends_is_not_held(tmp_path, detect):
    path = tmp_path / "long.csv"
    with path.open("wb") as file:
        file.truncate(2**31)  # of zeros, sparse
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    status, _, lines = detect(path)
    assert status == 2 and len(lines) == 1 and "a line of more than 1048576 characters" in lines[0]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


@pytest.mark.parametrize("row", ["iim_wall_cfg1", 'iim,"' + "x" * 200_000, "a,b,\udcff,1,1"])
def test_a_damaged_table_of_trials_is_one_line(tmp_path, row, refused):
    header = "scenario,bag,duration_s,speed_reference_mps,impact_time_s"
    text = f"{header}\n{row}\n".encode(errors="surrogateescape")
    (tmp_path / "trials.csv").write_bytes(text)
    assert "trials.csv: damaged: " in refused("detect", tmp_path, "--score")


@pytest.mark.parametrize("time", ["1e300", "-1e18", "9e9", "nan", "inf"])
def test_a_time_that_is_none_is_named_by_its_line(originals, tmp_path, detect, time):
    rows = originals["table.csv"].read_text().splitlines()
    rows[30] = f"{time},{rows[30].split(',', 1)[1]}"
    (tmp_path / "table.csv").write_text("\n".join(rows))
    status, _, lines = detect(tmp_path / "table.csv")
    assert status == 2 and len(lines) == 1
    assert "line 31: time_s: expected a finite number below 9e+09 s, got " in lines[0]
