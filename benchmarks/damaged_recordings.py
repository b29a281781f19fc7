# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads recordings that were damaged at random, in every format that `impact detect` takes.

Each is read as a user would, by the command. What must come out: a recording that was read, with a
word on what was lost, or one line on standard error and status 2; never a traceback, never a hang,
never gigabytes. A process of its own reads, so that what hangs can be stopped.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import random
import resource
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

STATES, CHUNK = 60, 45  # joint states in a recording, messages in a chunk
JOINTS = [f"panda_joint{i}" for i in range(1, 8)]
STANCE = (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.8)
TIME_LIMIT = 30.0  # for one recording [s]
MEMORY_LIMIT = 700.0  # that reading one may add [MB]
SHOWN = 10  # failures that are described
STATUSES = (0, 1, 2)
WORDS = (
    b"nan",
    b"inf",
    b"-1",
    b"1e400",
    b"1e300",
    b"-1e18",
    b"0x1F",
    b"99999999999999999999",
    b"",
    b"'",
    b"[",
    b"\0",
)
NUMBERS = (0, 1, 0xFF, 2**31 - 1, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1)
TYPE_SLIPS = (
    (b"float64[]", b"float32[]"),
    (b"float64[]", b"string[] "),
    (b"float64[]", b"float64  "),
    (b"float64[9]", b"float64[4]"),
    (b"position", b"positron"),
    (b"velocity", b"position"),
    (b"nanosec", b"nanosex"),
    (b"Header header", b"Header gibbon"),
    (b"string[] name", b"float64 names"),
    (b"std_msgs/Header", b"std_msgs/Nobody"),
)


class Answer(NamedTuple):
    """What the command made of one recording."""

    status: object
    error: str  # what it wrote on standard error
    memory: float  # largest of the process until now [MB]


def campaign(count: int, seed: int) -> tuple[int, int, list[str]]:
    """Damage ``count`` recordings and read them.

    Args:
        count: how many.
        seed: of what is damaged and how; the same gives the same.

    Returns:
        how many were tried, how many failed, and the first that failed in words.
    """
    failures: list[str] = []
    failed = 0
    with tempfile.TemporaryDirectory(prefix="impact_damaged_") as folder, _Reader() as reader:
        originals = make_recordings(Path(folder) / "whole")
        for number in range(count):
            draw = random.Random(f"{seed} {number}")
            path, damage = damaged(draw, originals, Path(folder) / "damaged")
            wrong = reader.judge(path)
            if wrong:
                failed += 1
                failures += [f"{number}: {path.name}, {damage}: {wrong}"][: SHOWN - len(failures)]
    return count, failed, failures


# --- recordings -------------------------------------------------------------------------------


def make_recordings(folder: Path) -> list[Path]:
    """Write one recording of each kind and return their paths."""
    mcap, sqlite = StoragePlugin.MCAP, StoragePlugin.SQLITE3
    kinds: dict[str, tuple[StoragePlugin, CompressionMode]] = {
        "mcap": (mcap, CompressionMode.NONE),
        "mcap_chunks": (mcap, CompressionMode.STORAGE),
        "mcap_messages": (mcap, CompressionMode.MESSAGE),
        "mcap_file": (mcap, CompressionMode.FILE),
        "sqlite3": (sqlite, CompressionMode.NONE),
        "sqlite3_messages": (sqlite, CompressionMode.MESSAGE),
        "sqlite3_file": (sqlite, CompressionMode.FILE),
    }
    folder.mkdir(parents=True)
    for name, (storage, mode) in kinds.items():
        _write_bag(folder / name, storage, mode)
    for name, suffix in (("mcap", ".mcap"), ("mcap_chunks", ".mcap"), ("sqlite3", ".db3")):
        shutil.copyfile(folder / name / (name + suffix), folder / f"single_{name}{suffix}")
    _write_csv(folder / "table.csv")
    return sorted(folder.iterdir())


def _write_bag(path: Path, storage: StoragePlugin, mode: CompressionMode) -> None:
    from impact_bags import impact_typestore

    store = impact_typestore()
    writer = Writer(path, version=9, storage_plugin=storage)
    writer.set_compression(mode, CompressionFormat.ZSTD)
    writer.open()
    connections = {
        topic: writer.add_connection(topic, kind, typestore=store)
        for topic, kind in (
            ("/joint_states", "sensor_msgs/msg/JointState"),
            ("/impact_qp/desired_joint_states", "sensor_msgs/msg/JointState"),
            ("/wrench", "geometry_msgs/msg/WrenchStamped"),
            ("/impact_qp/announcement", "impact_msgs/msg/ImpactAnnouncement"),
        )
    }
    for count, (topic, time, message) in enumerate(_messages(store.types)):
        kind = connections[topic].msgtype
        writer.write(connections[topic], time, store.serialize_cdr(message, kind))
        if storage == StoragePlugin.MCAP and count % CHUNK == CHUNK - 1:
            writer.storage.close_chunk()  # type: ignore[union-attr]
    writer.close()


def _messages(types: Any) -> Any:
    """Yield topic, time [ns] and message of an arm at rest."""
    noise = np.random.default_rng(0)
    stamp, header = types["builtin_interfaces/msg/Time"], types["std_msgs/msg/Header"]
    state, vector = types["sensor_msgs/msg/JointState"], types["geometry_msgs/msg/Vector3"]
    point, contact = types["geometry_msgs/msg/Point"], types["impact_msgs/msg/Contact"]
    for k in range(STATES):
        time = 1_000_000_000 + k * 1_000_000
        head = header(stamp(*divmod(time, 10**9)), "panda_link0")
        values = [np.array(STANCE), noise.normal(0, 1e-3, 7), noise.normal(0, 0.1, 7)]
        force = vector(*noise.normal(0, 0.5, 3).tolist())
        wrench = types["geometry_msgs/msg/Wrench"](force, vector(0.0, 0.0, 0.0))
        yield "/joint_states", time, state(head, JOINTS, *values)
        yield "/impact_qp/desired_joint_states", time, state(head, JOINTS, *values)
        yield "/wrench", time, types["geometry_msgs/msg/WrenchStamped"](head, wrench)
        if k % 20 == 0:
            where = "panda_link0", point(0.5, 0.0, 0.5), vector(-1.0, 0.0, 0.0)
            ranges = 0.2, 0.2, 0.1, 0.1, *(0.0,) * 4
            said = contact(*where, types["impact_msgs/msg/Surface"](*ranges))
            window = head.stamp, stamp(3, 0)
            kind = types["impact_msgs/msg/ImpactAnnouncement"]
            yield "/impact_qp/announcement", time, kind(head, False, said, *window)


def _write_csv(path: Path) -> None:
    names = [f.format(i) for f in ("q{}_rad", "dq{}_radps", "tau{}_nm") for i in range(1, 8)]
    rows = np.random.default_rng(1).normal(0, 1e-3, (STATES, 22))
    rows[:, 1:8] += STANCE
    rows[:, 0] = 1.0 + np.arange(STATES) * 1e-3
    np.savetxt(path, rows, "%.9g", ",", header=",".join(["time_s", *names]), comments="")


# --- damage -----------------------------------------------------------------------------------

Damage = Callable[[random.Random, bytearray], bytes]


def damaged(draw: random.Random, originals: list[Path], folder: Path) -> tuple[Path, str]:
    """Copy one of the recordings, damage it, and return where it is and what was done."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    original = draw.choice(originals)
    path = folder / original.name
    if original.is_file():
        shutil.copyfile(original, path)
        file = path
    else:
        shutil.copytree(original, path)
        file = draw.choice(sorted(path.iterdir()))
        if draw.random() < 0.05:
            return path, _misplace(draw, file)
    if file.suffix == ".db3" and draw.random() < 0.4:
        return path, _spoil_database(draw, file)
    name = draw.choice(sorted(TEXT if file.suffix in (".csv", ".yaml") else BYTES))
    data = (TEXT | BYTES)[name](draw, bytearray(file.read_bytes()))
    file.write_bytes(data)
    return path, f"{name} of {file.name}"


def _misplace(draw: random.Random, file: Path) -> str:
    """Remove a file of a recording, or put a folder in its place."""
    file.unlink()
    if draw.random() < 0.5:
        file.mkdir()
        return f"folder instead of {file.name}"
    return f"no {file.name}"


def _spoil_database(draw: random.Random, file: Path) -> str:
    """Put into a database what is no recording."""
    number = draw.randrange(1, STATES)
    statement = draw.choice(
        (
            f"UPDATE messages SET data = 'text' WHERE id = {number}",
            f"UPDATE messages SET data = 7 WHERE id % 5 = {number % 5}",
            f"UPDATE messages SET data = x'' WHERE id = {number}",
            f"UPDATE messages SET data = zeroblob({number * 1000}) WHERE id = {number}",
            f"UPDATE messages SET timestamp = 'soon' WHERE id = {number}",
            f"UPDATE messages SET timestamp = -timestamp WHERE id = {number}",
            f"UPDATE messages SET timestamp = 1.5 WHERE id > {number}",
            f"UPDATE messages SET topic_id = {number} WHERE id = {number}",
            "UPDATE messages SET topic_id = 2 WHERE topic_id = 1",
            "UPDATE topics SET name = '/joint_states'",
            "UPDATE topics SET type = 'sensor_msgs/msg/JointState'",
            "UPDATE topics SET type = 'no_msgs/msg/Nothing' WHERE id = 1",
            "UPDATE topics SET serialization_format = 'json'",
            "UPDATE topics SET offered_qos_profiles = '- {'",
            "UPDATE message_definitions SET encoded_message_definition = ''",
            "UPDATE message_definitions SET encoded_message_definition = 'float64[99999999999] x'",
            "UPDATE message_definitions SET encoding = 'ros2idl'",
            "UPDATE message_definitions SET topic_type = 'a'",
            "DELETE FROM message_definitions WHERE id = 1",
            "DELETE FROM messages",
            "DELETE FROM topics WHERE id = 1",
            "DROP TABLE topics",
            "DROP TABLE schema",
            "UPDATE schema SET schema_version = 1",
        )
    )
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute(statement)
    return statement


def _cut(draw: random.Random, data: bytearray) -> bytes:
    return bytes(data[: draw.choice((0, 1, draw.randrange(len(data)), len(data) - 1))])


def _flip(draw: random.Random, data: bytearray) -> bytes:
    for _ in range(draw.choice((1, 1, 2, 5, 20, 200))):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(data)


def _block(draw: random.Random, data: bytearray) -> tuple[int, int]:
    begin = draw.randrange(len(data))
    return begin, min(len(data), begin + draw.choice((1, 8, 100, 4096)))


def _zero(draw: random.Random, data: bytearray) -> bytes:
    begin, end = _block(draw, data)
    data[begin:end] = bytes(end - begin)
    return bytes(data)


def _remove(draw: random.Random, data: bytearray) -> bytes:
    begin, end = _block(draw, data)
    del data[begin:end]
    return bytes(data)


def _repeat(draw: random.Random, data: bytearray) -> bytes:
    begin, end = _block(draw, data)
    return bytes(data[:end] + data[begin:end] * draw.choice((1, 50)) + data[end:])


def _swap(draw: random.Random, data: bytearray) -> bytes:
    """Exchange two blocks; of an MCAP file chunks, as far as it has some."""
    marks = sorted(draw.sample(range(len(data)), min(4, len(data))))
    starts = [k for k in range(len(data) - 9) if data[k] == 6 and not any(data[k + 5 : k + 9])]
    if len(starts) > 2 and draw.random() < 0.7:
        marks = sorted(draw.choices(starts, k=4))
    if len(marks) < 4:
        return bytes(data)
    a, b, c, d = marks
    return bytes(data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:])


def _number(draw: random.Random, data: bytearray) -> bytes:
    """Overwrite what may be a length."""
    size = draw.choice((1, 2, 4, 8))
    begin = draw.randrange(len(data))
    value = draw.choice(NUMBERS) % 256**size
    data[begin : begin + size] = value.to_bytes(size, "little")
    return bytes(data)


def _garbage(draw: random.Random, data: bytearray) -> bytes:
    begin, end = _block(draw, data)
    data[begin:end] = draw.randbytes(end - begin)
    return bytes(data)


def _types(draw: random.Random, data: bytearray) -> bytes:
    """Change the definition of a type (a word of the same length)."""
    there = [slip for slip in TYPE_SLIPS if slip[0] in data]
    if not there:
        return _flip(draw, data)
    old, new = draw.choice(there)
    return bytes(data.replace(old, new, draw.choice((1, -1))))


def _word(draw: random.Random, data: bytearray) -> bytes:
    """Replace a field of a table, or a value."""
    pieces = bytes(data).replace(b"\n", b",\n").split(b",")
    pieces[draw.randrange(len(pieces))] = draw.choice(WORDS)
    return b",".join(pieces).replace(b",\n", b"\n")


def _line(draw: random.Random, data: bytearray) -> bytes:
    """Drop, repeat or move a line."""
    lines = bytes(data).splitlines(keepends=True)
    line = lines.pop(draw.randrange(len(lines)))
    for _ in range(draw.choice((0, 1, 2))):
        lines.insert(draw.randrange(len(lines) + 1), line)
    return b"".join(lines)


def _value(draw: random.Random, data: bytearray) -> bytes:
    """Replace what follows a colon."""
    lines = bytes(data).splitlines()
    number = draw.randrange(len(lines))
    key = lines[number].split(b":")[0]
    lines[number] = key + b": " + draw.choice((*WORDS, b"{a: b}", b"[1, 2]", b"null", b"-5"))
    return b"\n".join(lines)


BYTES: dict[str, Damage] = {
    "cut": _cut,
    "bits flipped": _flip,
    "zeros": _zero,
    "piece removed": _remove,
    "piece repeated": _repeat,
    "pieces swapped": _swap,
    "wrong number": _number,
    "garbage": _garbage,
    "wrong type": _types,
}
TEXT: dict[str, Damage] = {
    "cut text": _cut,
    "flipped text": _flip,
    "garbage text": _garbage,
    "word": _word,
    "line": _line,
    "value": _value,
}

# --- reading ----------------------------------------------------------------------------------


class _Reader:
    """A process that reads recordings, replaced when one takes too long; a context manager."""

    def __enter__(self) -> _Reader:
        """Start it."""
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other,), daemon=True)
        self._process.start()
        other.close()
        self._memory = self._pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def judge(self, path: Path) -> str:
        """Return what is wrong with how a recording was read, empty for nothing."""
        self._pipe.send(path)
        try:
            answer = self._pipe.recv() if self._pipe.poll(TIME_LIMIT) else None
        except EOFError:
            answer = Answer("died", "", 0.0)
        if answer is None or answer.status == "died":
            self.__exit__()
            self.__enter__()
            return "the process died" if answer else f"took more than {TIME_LIMIT:.0f} s"
        more = answer.memory - self._memory
        self._memory = max(self._memory, answer.memory)
        if more > MEMORY_LIMIT:
            return f"took {more:.0f} MB"
        return _wrong(answer)


def _wrong(answer: Answer) -> str:
    """Return what is wrong with an answer, empty for nothing."""
    lines = answer.error.splitlines()
    if answer.status not in STATUSES:
        return str(answer.status)
    if len(lines) > 1:
        return f"{len(lines)} lines: {lines[0]}"
    return "" if len(lines) == 1 or answer.status == 0 else f"status {answer.status}, not a word"


def _serve(pipe: Connection) -> None:
    """Read the recordings whose paths come, and answer."""
    from impact_cli.command_line import run

    with tempfile.TemporaryDirectory(prefix="impact_damaged_") as folder:
        warm = make_recordings(Path(folder) / "whole")[-1]
        _read(run, warm)
        pipe.send(_memory())
        with contextlib.suppress(EOFError):
            while True:
                status, error = _read(run, pipe.recv())
                pipe.send(Answer(status, error, _memory()))


def _read(run: Callable[[list[str]], int], path: Path) -> tuple[object, str]:
    """Return the status, or what was raised, and what was said on standard error."""
    said, status = io.StringIO(), None
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        try:
            status = run(["detect", str(path), "--json"])
        except BaseException as error:  # the campaign is about what escapes
            status = f"{type(error).__name__}: {error}"
    return status, said.getvalue()


def _memory() -> float:
    """Return the largest memory of this process so far [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
