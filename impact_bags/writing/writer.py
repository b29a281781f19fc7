# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writing recordings."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
from rosbags.interfaces import (
    Connection,
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import StoragePlugin, WriterError
from rosbags.rosbag2.storage_mcap import McapWriter
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Writer
from rosbags.typesys.store import Typestore

from impact_bags.exceptions import RecordingError
from impact_bags.typestore import definition, ensure_type, impact_typestore, type_hash
from impact_bags.writing.bag_file import BagFile, TopicMessages
from impact_bags.writing.conversion import to_typestore
from impact_robots.exceptions import WriteError

SUFFIX = {"mcap": ".mcap", "sqlite3": ".db3"}
STORAGES = {"mcap": StoragePlugin.MCAP, "sqlite3": StoragePlugin.SQLITE3}
SAVE_PERIOD, SAVE_COUNT = 1_000_000_000, 10_000  # between checkpoints: [ns] recorded, messages
REFUSED = (OSError, sqlite3.Error)  # by the disk
Tap = Callable[[str, str, bytes | memoryview, int], None]  # topic, type, CDR, time [ns]
FOREVER = QosTime(9223372036, 854775807)
LATCHED = Qos(
    QosHistory.KEEP_LAST,
    10,
    QosReliability.RELIABLE,
    QosDurability.TRANSIENT_LOCAL,
    FOREVER,
    FOREVER,
    QosLiveliness.AUTOMATIC,
    FOREVER,
    False,
)
W = TypeVar("W", bound="BagWriter")


class BagWriter:
    """Writes one rosbag2 folder; a context manager.

    Each type's text goes in too, so that any tool reads the bag without this project. After an
    exception the folder stays without its index: readers refuse it as unfinished, `BagReader(path,
    salvage=True)` reads what was written. So it does when the process is killed, up to the last
    second. A folder without any message is removed.

    Attributes:
        path: The folder.
        typestore: Types known; types are added as they are met.
        count: Messages written.
        tap: Gets each message too: topic, type, CDR and time [ns]; None: nobody does.
    """

    def __init__(
        self,
        path: str | Path,
        typestore: Typestore | None = None,
        *,
        storage: str = "mcap",
        tap: Tap | None = None,
    ) -> None:
        """Say where to write. Nothing is made before the context is entered.

        Args:
            path: Folder to make, its parents too.
            typestore: Types; standard ones and impact_msgs by default.
            storage: "mcap" or "sqlite3".
            tap: Gets each message too, when it is written; must return at once.

        Raises:
            RecordingError: The folder exists, or the storage is unknown.
        """
        self.path = Path(path)
        if storage not in STORAGES:
            raise RecordingError.at(
                path, f"expected storage {' or '.join(STORAGES)}, got {storage!r}"
            )
        self._refuse_existing()
        self._storage = storage
        self.typestore = impact_typestore() if typestore is None else typestore
        self.count, self.tap = 0, tap
        self._saved: int | None = None  # largest time at a checkpoint [ns]
        self._unsaved = 0  # messages since then
        self._writer = BagFile(self.path, version=9, storage_plugin=STORAGES[storage])
        self._open = False
        self._topics: dict[str, Connection] = {}

    def _refuse_existing(self) -> None:
        if self.path.exists():
            raise RecordingError.at(
                self.path, "exists already, and recordings are never overwritten"
            )

    def __enter__(self: W) -> W:
        """Make the folder.

        Raises:
            RecordingError: It exists by now.
            WriteError: It cannot be made.
        """
        self._refuse_existing()
        try:
            self._writer.open()
        except WriterError:  # somebody else made it just now
            self._refuse_existing()
            raise
        except REFUSED as error:
            raise WriteError.of(self.path, error) from error
        self._open = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Finish the recording, or leave it recognisably unfinished after an exception."""
        if kind is None:
            self.close()
        else:
            self.abort()

    def close(self) -> None:
        """Write the index. Closing twice does no harm.

        Raises:
            WriteError: The disk refused; the recording is unfinished then.
        """
        if not self._open:
            return
        self._open = False
        try:
            self._writer.close()
        except REFUSED as error:
            with contextlib.suppress(*REFUSED):
                self._writer.abort()
            raise WriteError.of(self.path, error) from error

    def abort(self) -> None:
        """Stop without an index: the recording does not look whole; its messages are kept."""
        if not self._open:
            return
        self._open = False
        with contextlib.suppress(*REFUSED):
            self._save()
        with contextlib.suppress(*REFUSED):
            self._writer.abort()
        if self.count == 0:
            with contextlib.suppress(OSError):  # not empty: what others put there stays
                (self.path / f"{self.path.name}{SUFFIX[self._storage]}").unlink(missing_ok=True)
                self.path.rmdir()

    def _checkpoint(self, time_ns: int) -> None:
        """Now and then, bring what was written to where a killed process leaves it.

        It goes by recorded time and count, not by the clock: the same messages give the same file.
        """
        self._unsaved += 1
        if self._saved is None:
            self._saved = time_ns
        if time_ns >= self._saved + SAVE_PERIOD or self._unsaved >= SAVE_COUNT:
            self._save()
            self._saved, self._unsaved = time_ns, 0

    def _save(self) -> None:
        """Hand what was written to the system."""
        storage = self._writer.storage
        if isinstance(storage, McapWriter):
            if storage.chunk.bio.tell():
                storage.close_chunk()
            storage.bio.flush()
        elif isinstance(storage, Sqlite3Writer):
            storage.conn.commit()

    def add_topic(self, topic: str, type_name: str, *, latched: bool = False) -> None:
        """Announce a topic before its first message, also one that may stay without any.

        Args:
            topic: Name of the topic.
            type_name: Name of its type, such as "sensor_msgs/msg/JointState".
            latched: Play it back reliable and transient local.

        Raises:
            RecordingError: The type is unknown, or the topic has another one.
        """
        if (known := self._topics.get(topic)) is not None:
            if known.msgtype != type_name:
                raise RecordingError.at(
                    self.path, f"expected {known.msgtype} on {topic}, got {type_name}"
                )
            return
        if not self._open:
            raise RecordingError.at(self.path, "is not open for writing")
        try:
            ensure_type(self.typestore, type_name)
        except KeyError as error:
            raise RecordingError.at(self.path, str(error.args[0])) from error
        self._topics[topic] = self._writer.connect(
            topic,
            type_name,
            definition(self.typestore, type_name),
            type_hash(self.typestore, type_name),
            [LATCHED] if latched else [],
        )

    @property
    def topics(self) -> frozenset[str]:
        """Names of the topics so far."""
        return frozenset(self._topics)

    def write_raw(self, topic: str, type_name: str, cdr: bytes | memoryview, time_ns: int) -> None:
        """Write bytes as they came, for example from a rclpy subscription with `raw=True`.

        Args:
            topic: Name of the topic.
            type_name: Name of its type.
            cdr: Serialised message with its encapsulation header.
            time_ns: Time of the message [ns].

        Raises:
            RecordingError: The type is unknown, the topic has another one, the time is negative.
            WriteError: The disk refuses.
        """
        if not self._open:
            raise RecordingError.at(self.path, "is not open for writing")
        if time_ns < 0:
            raise RecordingError.at(self.path, f"expected a time of at least 0 ns, got {time_ns}")
        if topic not in self._topics or self._topics[topic].msgtype != type_name:
            self.add_topic(topic, type_name)
        try:
            self._writer.write(self._topics[topic], time_ns, cdr)
            self._checkpoint(time_ns)
        except REFUSED as error:
            raise WriteError.of(self.path, error) from error
        self.count += 1
        if self.tap is not None:
            self.tap(topic, type_name, cdr, time_ns)

    def write_rows(self, rows: Sequence[TopicMessages]) -> None:
        """Write messages of several topics in turn, as `write_raw` would, but many at once.

        Args:
            rows: As many messages of each topic: the first of each is written, then the second.

        Raises:
            RecordingError: As `write_raw`.
            WriteError: The disk refuses.
        """
        done, count = 0, len(rows[0].times)
        while done < count:
            left = [each.part(done, count) for each in rows]
            some = self._at_once(left)
            if some > 0:
                self._writer.write_rows(
                    [(self._topics[each.topic], each.part(0, some)) for each in left]
                )
                self._unsaved += some * len(rows)
                self.count += some * len(rows)
            else:
                some = 1
                for topic, type_name, times, cdr in left:
                    self.write_raw(topic, type_name, cdr[0].tobytes(), int(times[0]))
            done += some

    def _at_once(self, rows: Sequence[TopicMessages]) -> int:
        """Return how many of the next messages of each topic neither begin a topic nor save."""
        topics = self._topics
        known = all(
            each.topic in topics and topics[each.topic].msgtype == each.type_name for each in rows
        )
        if not known or not self._open or self._saved is None or self.tap is not None:
            return 0
        times = np.array([each.times for each in rows])
        special = (times < 0) | (times >= self._saved + SAVE_PERIOD)
        first = int(np.append(special.any(axis=0), True).argmax())
        unsaved = (SAVE_COUNT - 1 - self._unsaved) // len(rows)
        return min(first, unsaved, self._writer.room(rows))

    def write(self, topic: str, type_name: str, message: Any, time_ns: int) -> None:
        """Write a message, of the type store or of rclpy.

        Args:
            topic: Name of the topic.
            type_name: Name of its type.
            message: Instance of `typestore.types[type_name]` (arrays as numpy arrays), or
                anything with the same attributes, such as a message of rclpy.
            time_ns: Time of the message [ns].

        Raises:
            RecordingError: As `write_raw`, or the message does not fit its type.
        """
        self.add_topic(topic, type_name)
        try:
            own = to_typestore(self.typestore, type_name, message)
            cdr = self.typestore.serialize_cdr(own, type_name)
        except Exception as error:  # the serialiser is generated code: anything may come
            raise RecordingError.at(
                self.path, f"message on {topic} is no {type_name}: {error}"
            ) from error
        self.write_raw(topic, type_name, cdr, time_ns)
