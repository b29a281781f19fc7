# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The files of a bag as rosbags writes them, byte by byte, in less time for many small bags.

rosbags writes its descriptions of topics with a YAML library in plain Python, a tenth of the time
of a simulated hit, and each message, and each entry of an index, by itself. Here the descriptions
are made once per process, and messages and indices are written in rows.
"""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from io import BytesIO, StringIO
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from rosbags.interfaces import (
    Connection,
    ConnectionExtRosbag2,
    MessageDefinition,
    MessageDefinitionFormat,
    Qos,
)
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.rosbag2.metadata import dump_qos_v9
from rosbags.rosbag2.storage_mcap import McapWriter, PendingChunk
from ruamel.yaml import YAML

from impact_bags.databases import DatabaseWriter

CHUNK = 2**20  # bytes above which rosbags begins another chunk
PLAIN = re.compile(
    r"[A-Za-z_][\w-]{0,39}\.mcap"
)  # names of files that YAML neither quotes nor folds
_HEAD = np.dtype(  # of an MCAP message
    [
        ("operation", "u1"),
        ("length", "<u8"),
        ("channel", "<u2"),
        ("sequence", "<u4"),
        ("logged", "<u8"),
        ("published", "<u8"),
    ]
)
_MESSAGE, _CHUNK, _INDEX = 0x05, 0x06, 0x07  # records of MCAP
_NEVER = 2**63 - 1, 0  # first and last time of no messages [ns]


class TopicMessages(NamedTuple):
    """K messages of one topic."""

    topic: str
    type_name: str
    times: np.ndarray  # integers, shape (K,) [ns]
    cdr: np.ndarray  # serialised with their heads of encapsulation, bytes, shape (K, L)

    def part(self, first: int, end: int) -> TopicMessages:
        """Return some of the messages."""
        return self._replace(times=self.times[first:end], cdr=self.cdr[first:end])


class McapFile(McapWriter):
    """rosbags' file in the MCAP format."""

    def close_chunk(self) -> None:
        """Write the chunk and the places of its messages, and begin another one."""
        if self.compression:
            super().close_chunk()
            return
        chunk, records = self.chunk, self.chunk.bio.getvalue()
        times, size = (chunk.message_start_time, chunk.message_end_time), len(records)
        start = self.bio.tell()
        head = struct.pack("<3Q2IQ", *times, size, 0, 0, size)  # no checksum, no compression
        self._record(_CHUNK, head, records)
        end, places = self.bio.tell(), b""
        for channel, messages in chunk.msgs.items():
            places += struct.pack("<HQ", channel, self.bio.tell())
            numbers = 2 * len(messages)
            index = struct.pack(f"<{numbers}Q", *chain.from_iterable(messages))
            self._record(_INDEX, struct.pack("<HI", channel, len(index)), index)
        index = struct.pack("<4QI", *times, start, end - start, len(places)) + places
        index += struct.pack("<QI2Q", self.bio.tell() - end, 0, size, size)
        self.chunks.append(BytesIO())
        self.chunks[-1].write(index)
        self.chunk = PendingChunk(*_NEVER, BytesIO(), defaultdict(list))

    def _record(self, operation: int, head: bytes, body: bytes) -> None:
        """Write a record of MCAP in two parts."""
        self.bio.write(struct.pack("<BQ", operation, len(head) + len(body)))
        self.bio.write(head)
        self.bio.write(body)


class BagFile(Writer):
    """rosbags' writer of version 9."""

    STORAGE_PLUGINS: Mapping[StoragePlugin, type[Any]] = {
        **Writer.STORAGE_PLUGINS,
        StoragePlugin.MCAP: McapFile,
        StoragePlugin.SQLITE3: DatabaseWriter,
    }

    def connect(
        self, topic: str, type_name: str, text: str, digest: str, profiles: Sequence[Qos]
    ) -> Connection:
        """Add a topic that is new, as ``add_connection`` does.

        Args:
            topic: its name.
            type_name: of its messages.
            text: definition of the type, in the form of .msg files.
            digest: hash of the type.
            profiles: offered.
        """
        storage, described = self.storage, MessageDefinition(MessageDefinitionFormat.MSG, text)
        assert storage is not None
        extension, number = ConnectionExtRosbag2("cdr", list(profiles)), len(self.connections) + 1
        known = number, topic, type_name, described, digest, 0, extension, self
        connection = Connection(*known)
        if type_name not in self.added_types:
            storage.add_msgtype(connection)
            self.added_types.add(type_name)
        storage.add_connection(connection, _profiles_text(tuple(profiles)))
        self.connections.append(connection)
        self.counts[number] = 0
        return connection

    def close(self) -> None:
        """Write the index and ``metadata.yaml``."""
        storage = self.storage
        if self.storage_plugin is not StoragePlugin.MCAP or not isinstance(storage, McapWriter):
            super().close()
            return
        if not PLAIN.fullmatch(storage.path.name) or not self.connections:
            super().close()
            return
        text = self._metadata(storage.path.name)
        self.storage = None
        storage.close(self.version, text.strip())
        lines = "".join(f"  {line}\n" for line in text.splitlines())
        written = self.metapath.with_suffix(".yaml.tmp")
        written.write_text("rosbag2_bagfile_information:\n" + lines, "utf8")
        written.replace(self.metapath)

    def _metadata(self, name: str) -> str:
        """Return the description of the bag, whose only file has a name, as YAML."""
        duration, start = max(0, self.max_timestamp - self.min_timestamp), self.min_timestamp
        count = sum(self.counts.values())
        topics = "".join(
            _described(each.topic, each.msgtype, each.digest, tuple(_profiles(each))).replace(
                "message_count: 0", f"message_count: {self.counts[each.id]}", 1
            )
            for each in self.connections
        )
        return f"""\
compression_format: ''
compression_mode: ''
custom_data: null
duration:
  nanoseconds: {duration}
files:
- duration:
    nanoseconds: {duration}
  message_count: {count}
  path: {name}
  starting_time:
    nanoseconds_since_epoch: {start}
message_count: {count}
relative_file_paths:
- {name}
ros_distro: rosbags
starting_time:
  nanoseconds_since_epoch: {start}
storage_identifier: mcap
topics_with_message_count:
{topics}version: {self.version}
"""

    def write_rows(self, rows: Sequence[tuple[Connection, TopicMessages]]) -> None:
        """Write the first message of each topic, the second of each, ...; they fit into the chunk.

        Args:
            rows: connections of this bag, with as many messages each.
        """
        storage = self.storage
        assert isinstance(storage, McapWriter)
        chunk, count = storage.chunk, len(rows[0][1].times)
        heads = _HEAD.itemsize
        width = sum(heads + each.cdr.shape[1] for _, each in rows)
        block, at = np.empty((count, width), np.uint8), 0
        start = chunk.bio.tell() + width * np.arange(count)
        for connection, each in rows:
            head = np.zeros(count, _HEAD)
            head["operation"], head["channel"] = _MESSAGE, connection.id
            length = each.cdr.shape[1]
            head["length"] = heads + length - 9  # without operation and length
            head["logged"] = head["published"] = each.times
            block[:, at : at + heads] = head.view(np.uint8).reshape(count, heads)
            block[:, at + heads : at + heads + length] = each.cdr
            places = zip(each.times.tolist(), (start + at).tolist(), strict=True)
            chunk.msgs[connection.id].extend(places)
            at += heads + length
            first, last = int(each.times.min()), int(each.times.max())
            chunk.message_start_time = min(first, chunk.message_start_time)
            chunk.message_end_time = max(last, chunk.message_end_time)
            storage.message_start_time = min(first, storage.message_start_time)
            storage.message_end_time = max(last, storage.message_end_time)
            storage.channel_stats[connection.id] += count
            self.counts[connection.id] += count
            self.min_timestamp = min(first, self.min_timestamp)
            self.max_timestamp = max(last, self.max_timestamp)
        chunk.bio.write(block.data)

    def room(self, rows: Sequence[TopicMessages]) -> int:
        """Return how many messages of each fit into the present chunk; 0: not an MCAP file."""
        if not isinstance(self.storage, McapWriter):
            return 0
        width = sum(_HEAD.itemsize + each.cdr.shape[1] for each in rows)
        return max(0, CHUNK - self.storage.chunk.bio.tell()) // width


def _profiles(connection: Connection) -> list[Qos]:
    profiles: list[Qos] = getattr(connection.ext, "offered_qos_profiles", [])
    return profiles


@lru_cache(maxsize=16)
def _profiles_text(profiles: tuple[Qos, ...]) -> str:
    """Return offered profiles as an MCAP channel has them."""
    return _yaml(dump_qos_v9(list(profiles))).strip()


@lru_cache(maxsize=256)
def _described(topic: str, kind: str, digest: str, profiles: tuple[Qos, ...]) -> str:
    """Return a topic without messages as ``metadata.yaml`` has it."""
    described = {
        "name": topic,
        "type": kind,
        "serialization_format": "cdr",
        "offered_qos_profiles": dump_qos_v9(list(profiles)),
        "type_description_hash": digest,
    }
    return _yaml([{"topic_metadata": described, "message_count": 0}])


def _yaml(document: Any) -> str:
    """Return a document as rosbags writes it."""
    yaml, text = YAML(typ="safe"), StringIO()
    yaml.default_flow_style = False
    yaml.dump(document, text)
    return text.getvalue()
