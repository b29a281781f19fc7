# SPDX-License-Identifier: Apache-2.0
"""Reading recordings, as a stream."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from rosbags.interfaces import Connection, MessageDefinitionFormat
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_types_from_idl, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from impact_analysis.exceptions import RecordingError
from impact_analysis.typestore import impact_typestore

SUFFIXES = (".mcap", ".db3")


class TopicInfo(NamedTuple):
    """One topic of a recording.

    Attributes:
        type_name: Name of its type, such as "sensor_msgs/msg/JointState".
        message_count: Number of messages.
        type_hash: Hash of the type as ROS 2 computes it; empty in recordings older than it.
    """

    type_name: str
    message_count: int
    type_hash: str


Span = tuple[int | None, int | None]


class BagReader:
    """Reads a rosbag2 folder, or one .mcap or .db3 file of it; a context manager.

    Types come from the recording itself, so that one made with older messages still reads; where
    it holds none, from the standard messages and impact_msgs.

    Attributes:
        path: The folder or file.
        topics: What is recorded, by topic.
        typestore: Types of the recording.
    """

    def __init__(self, path: str | Path) -> None:
        """Look at the path; nothing is read before the context is entered.

        Args:
            path: Folder or file.

        Raises:
            RecordingError: Missing, no recording, or an unfinished one.
        """
        self.path = Path(path)
        _check_path(self.path)
        self.topics: dict[str, TopicInfo] = {}
        self.typestore: Typestore = get_typestore(Stores.EMPTY)
        self._connections: list[Connection] = []
        self._reader: Reader | None = None

    def __enter__(self) -> BagReader:
        """Read the index.

        Raises:
            RecordingError: Truncated, unfinished or damaged.
        """
        try:
            self._reader = Reader(self.path)
            self._reader.open()
            self._connections = list(self._reader.connections)
        except Exception as error:  # damaged files raise whatever the parser stumbles over
            raise _damaged(self.path, error) from error
        for item in self._connections:
            have = self.topics.get(item.topic, TopicInfo(item.msgtype, 0, item.digest))
            self.topics[item.topic] = have._replace(
                message_count=have.message_count + item.msgcount
            )
        self.typestore = _types_of(self._connections)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the files."""
        self.close()

    def close(self) -> None:
        """Close the files. Closing twice does no harm."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.close()

    @property
    def span(self) -> tuple[int, int]:
        """Recorded time of the first message, and of the end [ns].

        Raises:
            RecordingError: Not open.
        """
        if self._reader is None:
            raise RecordingError.at(self.path, "is not open for reading")
        return self._reader.start_time, self._reader.end_time

    def raw(self, topics: Collection[str] | None = None) -> Iterator[tuple[str, int, bytes]]:
        """Iterate in the order of time, without looking into the messages.

        Args:
            topics: Topics wanted; all by default.

        Yields:
            Topic, time [ns] and the serialised message.

        Raises:
            RecordingError: Not open, unknown topic, or damaged.
        """
        for connection, time_ns, data in self._stream(topics):
            yield connection.topic, time_ns, bytes(data)

    def messages(
        self, topics: Collection[str] | None = None, span: Span = (None, None)
    ) -> Iterator[tuple[str, int, Any]]:
        """Iterate in the order of time.

        Args:
            topics: Topics wanted; all by default.
            span: From when on, and until before when, in recorded time [ns]; None: all.

        Yields:
            Topic, time [ns] and the message; its number arrays are numpy arrays.

        Raises:
            RecordingError: Not open, unknown topic, damaged, or a type that nobody knows.
        """
        for connection, time_ns, data in self._stream(topics, span):
            try:
                message = self.typestore.deserialize_cdr(data, connection.msgtype)
            except KeyError as error:
                raise RecordingError.at(
                    self.path, f"type {connection.msgtype} of {connection.topic} is unknown"
                ) from error
            except Exception as error:
                raise _damaged(self.path, error) from error
            yield connection.topic, time_ns, message

    def _stream(
        self, topics: Collection[str] | None, span: Span = (None, None)
    ) -> Iterator[tuple[Connection, int, bytes]]:
        if self._reader is None:
            raise RecordingError.at(self.path, "is not open for reading")
        wanted = self._select(topics)
        if not wanted:
            return
        stream = self._reader.messages(wanted, *span)
        while True:
            try:
                item = next(stream, None)
            except Exception as error:
                raise _damaged(self.path, error) from error
            if item is None:
                return
            yield item

    def _select(self, topics: Collection[str] | None) -> list[Connection]:
        if topics is None:
            return self._connections
        asked = [topics] if isinstance(topics, str) else list(topics)
        if unknown := [topic for topic in asked if topic not in self.topics]:
            there = ", ".join(sorted(self.topics)) or "nothing"
            raise RecordingError.at(self.path, f"no topic {', '.join(unknown)}; recorded: {there}")
        return [item for item in self._connections if item.topic in asked]


def _check_path(path: Path) -> None:
    if not path.exists():
        raise RecordingError.at(path, "no such recording")
    if path.is_file():
        if path.suffix not in SUFFIXES:
            raise RecordingError.at(path, f"expected a folder or a file {' or '.join(SUFFIXES)}")
        if path.stat().st_size == 0:
            raise RecordingError.at(path, "is empty")
        return
    if not (path / "metadata.yaml").is_file():
        if any(item.suffix in SUFFIXES for item in path.iterdir()):
            raise RecordingError.at(path, "was not finished (it has no metadata.yaml)")
        raise RecordingError.at(path, "is no recording (it has no metadata.yaml)")


def _damaged(path: Path, error: Exception) -> RecordingError:
    detail = " ".join(str(error).split()) or type(error).__name__
    if "end magic" in detail or "footer" in detail or "negative seek" in detail:
        return RecordingError.at(path, f"is truncated, or was not finished ({detail})")
    return RecordingError.at(path, f"is damaged or no recording ({detail})")


def _types_of(connections: list[Connection]) -> Typestore:
    types: dict[str, Any] = {}
    if any(item.msgdef.format == MessageDefinitionFormat.NONE for item in connections):
        types.update(impact_typestore().fielddefs)
    for item in connections:
        if item.msgdef.format == MessageDefinitionFormat.MSG:
            types.update(get_types_from_msg(item.msgdef.data, item.msgtype))
        elif item.msgdef.format == MessageDefinitionFormat.IDL:
            types.update(get_types_from_idl(item.msgdef.data))
    store = get_typestore(Stores.EMPTY)
    store.register({name: value for name, value in types.items() if name not in store.fielddefs})
    return store
