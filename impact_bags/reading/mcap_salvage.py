# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Readable parts of an MCAP file that is damaged or was not finished.

MCAP is a sequence of records (opcode, length, content); this needs neither the index at the end nor
the index of a chunk. Format: https://mcap.dev/spec.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterator
from math import inf
from pathlib import Path
from struct import Struct
from typing import BinaryIO, NamedTuple
from zlib import crc32

from rosbags.interfaces import (
    Connection,
    ConnectionExtRosbag2,
    MessageDefinition,
    MessageDefinitionFormat,
)

from impact_bags.reading.unpacking import TooLargeError, check_size, unpack_lz4, unpack_zstd

MAGIC = b"\x89MCAP0\r\n"
SCHEMA, CHANNEL, MESSAGE, CHUNK = 0x03, 0x04, 0x05, 0x06
LAST_OPCODE = 0x0F  # of the known records; 0 is invalid
SECTION = 4 * 2**20  # messages outside of chunks are read in parts of about this size [bytes]
_HEAD, _CHUNK, _MESSAGE = Struct("<BQ"), Struct("<QQQI"), Struct("<HIQQ")
_SHORT, _WORD, _LONG = Struct("<H"), Struct("<I"), Struct("<Q")
_UNPACK = {"": lambda data, size: data, "lz4": unpack_lz4, "zstd": unpack_zstd}
_FORMATS = {"ros2msg": MessageDefinitionFormat.MSG, "ros2idl": MessageDefinitionFormat.IDL}
Record = tuple[int, bytes]  # opcode and content


class _Part(NamedTuple):
    """A chunk, or messages outside of chunks, that can be read."""

    start: int  # smallest time of its messages [ns]
    offset: int  # in the file [bytes]
    length: int  # [bytes]
    chunk: bool


class McapSalvage:
    """Reads a file as far as its records go, without the chunks that are damaged.

    Attributes:
        connections: Topics, with the number of messages that can be read.
        lost: Unreadable parts, as text.
    """

    def __init__(self, path: Path) -> None:
        """Scan the file once.

        Raises:
            OSError: it cannot be read.
            ValueError: it is no MCAP file.
            TooLargeError: a chunk unpacks to more than the limit.
        """
        self._path, self._size = path, path.stat().st_size
        self.lost: list[str] = []
        self.start_time, self.end_time = 2**63 - 1, 0  # of the messages [ns]
        self._schemas: dict[int, tuple[str, MessageDefinition]] = {}
        self._channels: dict[int, tuple[int, str, str]] = {}
        self._counts: Counter[int] = Counter()
        self._parts: list[_Part] = []
        self._unpacked = 0  # all chunks together [bytes]
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise ValueError("File magic is invalid.")
            self._scan(file)
        self.connections = list(self._connections())

    def messages(
        self,
        connections: Collection[Connection],
        start: int | None = None,
        stop: int | None = None,
    ) -> Iterator[tuple[Connection, int, bytes]]:
        """Yield connection, time [ns] and content in the order of time."""
        wanted = {each.id: each for each in connections}
        heap: list[tuple[int, int, int, bytes]] = []
        count = 0
        with self._path.open("rb") as file:
            for part in [*sorted(self._parts), None]:
                while heap and (part is None or heap[0][0] < part.start):
                    time, _, channel, data = heapq.heappop(heap)
                    yield wanted[channel], time, data
                for channel, time, data in self._messages(file, part) if part else ():
                    early = start is not None and time < start
                    if channel in wanted and not early and (stop is None or time < stop):
                        count += 1
                        heapq.heappush(heap, (time, count, channel, data))

    def close(self) -> None:
        """Do nothing: the file is open only while it is read."""

    def _connections(self) -> Iterator[Connection]:
        for number, (schema, topic, encoding) in self._channels.items():
            nothing = ("", MessageDefinition(MessageDefinitionFormat.NONE, ""))
            name, text = self._schemas.get(schema, nothing)
            extra = ConnectionExtRosbag2(encoding, [])
            # owner: the reader, not used here
            yield Connection(number, topic, name, text, "", self._counts[number], extra, None)

    def _scan(self, file: BinaryIO) -> None:
        """Find the parts that can be read, topics and types."""
        damaged, loose, offset = 0, len(MAGIC), len(MAGIC)
        while offset < self._size:
            head = file.read(_HEAD.size)
            if head.startswith(MAGIC):
                break
            opcode, length = _HEAD.unpack(head) if len(head) == _HEAD.size else (0, 0)
            end = offset + _HEAD.size + length
            if not 0 < opcode <= LAST_OPCODE or end > self._size:
                self.lost.append(f"everything after byte {offset} of {self._size}")
                break
            if opcode == CHUNK:
                self._take(file, _Part(0, loose, offset - loose, False))
                whole = self._take(file, _Part(0, offset, end - offset, True))
                damaged, loose = damaged + (not whole), end
            elif opcode not in (SCHEMA, CHANNEL, MESSAGE):  # an attachment may be large
                self._take(file, _Part(0, loose, offset - loose, False))
                loose = end
            elif end - loose > SECTION:
                self._take(file, _Part(0, loose, end - loose, False))
                loose = end
            offset = end
            file.seek(offset)
        self._take(file, _Part(0, loose, offset - loose, False))
        if damaged:
            self.lost.append(f"{damaged} damaged chunks")

    def _take(self, file: BinaryIO, part: _Part) -> bool:
        """Store a part if it can be read and has messages; return whether it can be read."""
        times, counts = [], Counter[int]()
        try:
            data = self._data(file, part)
            self._unpacked += len(data)
            check_size(self._unpacked, self._size, inf)
            for opcode, content in _records(data):
                if opcode == SCHEMA:
                    self._add_schema(content)
                elif opcode == CHANNEL:
                    self._add_channel(content)
                elif opcode == MESSAGE:
                    channel, _, time, _ = _MESSAGE.unpack_from(content)
                    times.append(time)
                    counts[channel] += 1
        except TooLargeError:
            raise
        except Exception:  # damaged data may raise any exception
            return False
        if times:
            self._parts.append(part._replace(start=min(times)))
            self._counts += counts
            self.start_time = min(self.start_time, *times)
            self.end_time = max(self.end_time, max(times) + 1)
        return True

    def _messages(self, file: BinaryIO, part: _Part) -> Iterator[tuple[int, int, bytes]]:
        """Yield channel, time and content of a part's messages."""
        for opcode, content in _records(self._data(file, part)):
            if opcode == MESSAGE:
                channel, _, time, _ = _MESSAGE.unpack_from(content)
                yield channel, time, content[_MESSAGE.size :]

    def _data(self, file: BinaryIO, part: _Part) -> bytes:
        check_size(part.length, part.length)  # uncompressed; it is held in memory
        file.seek(part.offset)
        data = file.read(part.length)
        return _unpacked(data[_HEAD.size :]) if part.chunk else data

    def _add_schema(self, content: bytes) -> None:
        (number,) = _SHORT.unpack_from(content)
        name, rest = _text(content[_SHORT.size :])
        encoding, rest = _text(rest)
        text, _ = _text(rest)
        kind = _FORMATS.get(encoding, MessageDefinitionFormat.NONE)
        self._schemas.setdefault(number, (name, MessageDefinition(kind, text)))

    def _add_channel(self, content: bytes) -> None:
        number, schema = Struct("<HH").unpack_from(content)
        topic, rest = _text(content[4:])
        encoding, _ = _text(rest)
        self._channels.setdefault(number, (schema, topic, encoding))


def _records(data: bytes) -> Iterator[Record]:
    """Yield the records of a chunk, or between chunks."""
    offset = 0
    while offset < len(data):
        opcode, length = _HEAD.unpack_from(data, offset)
        begin = offset + _HEAD.size
        offset = begin + length
        if offset > len(data):
            raise ValueError("a record is longer than what holds it")
        yield opcode, data[begin:offset]


def _text(content: bytes) -> tuple[str, bytes]:
    """Return a text and the remaining bytes."""
    (length,) = _WORD.unpack_from(content)
    if _WORD.size + length > len(content):
        raise ValueError("a text is longer than its record")
    end = _WORD.size + length
    return content[_WORD.size : end].decode(), content[end:]


def _unpacked(content: bytes) -> bytes:
    """Return the records in a chunk.

    Raises:
        ValueError: they are damaged.
    """
    _, _, size, checksum = _CHUNK.unpack_from(content)
    kind, rest = _text(content[_CHUNK.size :])
    (packed,) = _LONG.unpack_from(rest)
    if kind not in _UNPACK or _LONG.size + packed > len(rest):
        raise ValueError("a chunk is damaged")
    data = _UNPACK[kind](rest[_LONG.size : _LONG.size + packed], size)
    if len(data) != size or (checksum and crc32(data) != checksum):
        raise ValueError("a chunk is damaged")
    return data
