# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reading recordings, as a stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import lru_cache, partial
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from rosbags.interfaces import Connection, MessageDefinition, MessageDefinitionFormat
from rosbags.typesys import Stores, get_types_from_idl, get_typestore
from rosbags.typesys.store import Typestore

from impact_bags.exceptions import RecordingError
from impact_bags.reading.mcap_salvage import McapSalvage
from impact_bags.reading.sources import (
    MCAP,
    SUFFIXES,
    Finished,
    Message,
    Source,
    has_suffix,
    left_open,
    storage_files,
    whole_parts,
)
from impact_bags.reading.unpacking import TooLargeError, unpack_zstd
from impact_bags.typestore import impact_typestore, parsed

ZSTD = b"\x28\xb5\x2f\xfd"  # magic number of its frames
LONGEST = 200  # of an error's text


class TopicInfo(NamedTuple):
    """One topic of a recording.

    Attributes:
        type_name: Name of its type, such as "sensor_msgs/msg/JointState".
        message_count: Number of messages.
        type_hash: Hash of the type as ROS 2 computes it; empty in older recordings.
    """

    type_name: str
    message_count: int
    type_hash: str


Shortcut = Callable[[bytes, Callable[[], Any]], Any]
Span = tuple[int | None, int | None]


class BagReader:
    """Reads a rosbag2 folder, or one .mcap or .db3 file of it; a context manager.

    Types come from the recording itself, so that recordings with older messages can be read; if it
    has none, from the standard messages and impact_msgs. Compressed parts are unpacked up to a
    limit (impact_bags.reading.unpacking).

    Attributes:
        path: The folder or file.
        topics: Recorded topics, by name.
        typestore: Types of the recording.
        lost: With ``salvage``, unreadable parts found so far, as text.
    """

    def __init__(self, path: str | Path, *, salvage: bool = False) -> None:
        """Check the path; the recording is read once the context is entered.

        Args:
            path: Folder or file.
            salvage: Read the intact parts of a recording that is damaged, or was not finished
                because its recorder was killed, and list the others in ``lost``.

        Raises:
            RecordingError: Missing, no recording, or an unfinished one without ``salvage``.
        """
        self.path, self._salvage = Path(path), salvage
        _check_path(self.path, unfinished=salvage)
        self.lost: list[str] = []
        self.topics: dict[str, TopicInfo] = {}
        self.typestore: Typestore = get_typestore(Stores.EMPTY)
        self._sources: list[Source] = []
        self._stack: ExitStack | None = None

    def __enter__(self) -> BagReader:
        """Read the index.

        Raises:
            RecordingError: Truncated, unfinished or damaged; with ``salvage``, if nothing of it
                can be read.
        """
        with ExitStack() as stack:
            try:
                self._open(stack)
            except Exception as error:  # damaged files may raise any exception
                if not self._salvage:
                    raise _damaged(self.path, error) from error
                self._open_parts(stack, error)
            self._stack = stack.pop_all()
        return self

    def _open(self, stack: ExitStack) -> None:
        """Open it as an intact recording."""
        if self._salvage and left_open(self.path):
            raise ValueError("its database was not finished")
        source = Finished(self.path)
        stack.callback(source.close)
        self._know([source])

    def _open_parts(self, stack: ExitStack, error: Exception) -> None:
        """Open the intact parts.

        Raises:
            RecordingError: There are none, or they unpack to more than the limit.
        """
        self.topics.clear()
        try:
            sources, lost = whole_parts(self.path, stack)
            self._know(sources)
        except TooLargeError as found:
            raise RecordingError.at(self.path, str(found)) from None
        except Exception:
            raise _damaged(self.path, error) from error
        if not sources:
            raise _damaged(self.path, error) from error
        self._lose(*lost or [f"its index ({_in_one_line(error)})"])

    def _know(self, sources: list[Source]) -> None:
        """Store the files' topics and times."""
        connections = [item for source in sources for item in source.connections]
        for item in connections:
            have = self.topics.get(item.topic, TopicInfo(item.msgtype, 0, item.digest))
            self.topics[item.topic] = have._replace(
                message_count=have.message_count + item.msgcount
            )
        self.typestore = _types_of(connections, None if not self._salvage else self._lose)
        self._sources = sources

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
        stack, self._stack = self._stack, None
        if stack is not None:
            stack.close()

    @property
    def span(self) -> tuple[int, int]:
        """Recorded time of the first message, and of the end [ns].

        Raises:
            RecordingError: Not open.
        """
        self._check_open()
        starts = [source.start_time for source in self._sources]
        return min(starts), max(source.end_time for source in self._sources)

    def raw(self, topics: Collection[str] | None = None) -> Iterator[tuple[str, int, bytes]]:
        """Iterate in the order of time, without parsing the messages.

        Args:
            topics: Requested topics; all by default.

        Yields:
            Topic, time [ns] and the serialised message.

        Raises:
            RecordingError: Not open, unknown topic, or damaged.
        """
        for connection, time_ns, data in self._stream(topics):
            try:
                plain = _plain(data)
            except Exception as error:
                raise _damaged(self.path, error) from error
            yield connection.topic, time_ns, plain

    def messages(
        self,
        topics: Collection[str] | None = None,
        span: Span = (None, None),
        shortcuts: Mapping[str, Shortcut] | None = None,
    ) -> Iterator[tuple[str, int, Any]]:
        """Iterate in the order of time.

        Args:
            topics: Requested topics; all by default.
            span: Start and end (excluded) of recorded time [ns]; None: unlimited.
            shortcuts: By topic, functions of a serialised message and of its parser, which they
                call if needed.

        Yields:
            Topic, time [ns] and the message; its number arrays are numpy arrays.

        Raises:
            RecordingError: Not open, unknown topic; without ``salvage`` also damaged, or a type
                that nobody knows.
        """
        lost: Counter[str] = Counter()
        parse, quick = self.typestore.deserialize_cdr, shortcuts or {}
        for connection, time_ns, data in self._stream(topics, span):
            try:
                plain, kind = _plain(data), connection.msgtype
                if (shortcut := quick.get(connection.topic)) is None:
                    message = parse(plain, kind)
                else:
                    message = shortcut(plain, partial(parse, plain, kind))
            except Exception as error:  # the parser is generated code: any exception is possible
                if not self._salvage or isinstance(error, TooLargeError):
                    raise self._unreadable(connection, error) from error
                lost[connection.topic] += 1
                continue
            yield connection.topic, time_ns, message
        self._lose(*(f"{count} messages on {topic}" for topic, count in lost.items()))

    def _unreadable(self, connection: Connection, error: Exception) -> RecordingError:
        if isinstance(error, KeyError):
            return RecordingError.at(
                self.path, f"type {connection.msgtype} of {connection.topic} is unknown"
            )
        return _damaged(self.path, error)

    def _stream(
        self, topics: Collection[str] | None, span: Span = (None, None)
    ) -> Iterator[Message]:
        self._check_open()
        wanted = self._select(topics)
        for source in self._sources:
            connections = [item for item in source.connections if item.topic in wanted]
            if not connections:
                continue
            latest, seen = span[0], Counter[str]()  # number of messages at that time
            missing = Counter({item.topic: item.msgcount for item in connections})
            try:
                for item in source.messages(connections, *span):
                    if item[1] != latest:
                        latest = item[1]
                        seen.clear()
                    seen[item[0].topic] += 1
                    missing[item[0].topic] -= 1
                    yield item
                if span == (None, None):  # damage within a chunk may go unnoticed
                    self._lose(*(f"{n} messages on {topic}" for topic, n in (+missing).items()))
            except Exception as error:
                if not self._salvage:
                    raise _damaged(self.path, error) from error
                yield from self._after(wanted, (latest, span[1]), seen, error)

    def _after(
        self, wanted: Collection[str], span: Span, seen: Counter[str], error: Exception
    ) -> Iterator[Message]:
        """Yield the intact messages after the place where reading failed.

        Args:
            wanted: Requested topics.
            span: Remaining span; it begins at the last time that was read.
            seen: Number of messages read at that time, by topic.
            error: Why it failed.
        """
        files = [file for file in storage_files(self.path) if has_suffix(file, MCAP)]
        if not files:
            self._lose(f"what follows damage in the middle ({_in_one_line(error)})")
        parts = filter(None, map(self._salvaged, files))
        for part in sorted(parts, key=lambda each: each.start_time):
            connections = [each for each in part.connections if each.topic in wanted]
            for item in part.messages(connections, *span):
                topic = item[0].topic
                if item[1] == span[0] and seen[topic]:
                    seen[topic] -= 1
                else:
                    yield item

    def _salvaged(self, file: Path) -> McapSalvage | None:
        """Open a file as far as it is intact; none if nothing can be read."""
        try:
            part = McapSalvage(file)
        except (OSError, ValueError, RecordingError) as why:
            self._lose(f"{file.name} ({_in_one_line(why)})")
            return None
        self._lose(*part.lost)
        return part

    def _select(self, topics: Collection[str] | None) -> set[str]:
        if topics is None:
            return set(self.topics)
        asked = [topics] if isinstance(topics, str) else list(topics)
        if unknown := [topic for topic in asked if topic not in self.topics]:
            there = ", ".join(sorted(self.topics)) or "nothing"
            raise RecordingError.at(self.path, f"no topic {', '.join(unknown)}; recorded: {there}")
        return set(asked)

    def _lose(self, *what: str) -> None:
        self.lost += [text for text in what if text not in self.lost]

    def _check_open(self) -> None:
        if self._stack is None:
            raise RecordingError.at(self.path, "is not open for reading")


def _plain(data: bytes) -> bytes:
    """Return a message, unpacked if it is compressed: no message begins like that."""
    return unpack_zstd(data) if data.startswith(ZSTD) else bytes(data)


def _check_path(path: Path, *, unfinished: bool) -> None:
    if not path.exists():
        raise RecordingError.at(path, "no such recording")
    if path.is_file():
        if not has_suffix(path, *SUFFIXES):
            raise RecordingError.at(path, f"expected a folder or a file {' or '.join(SUFFIXES)}")
        if path.stat().st_size == 0:
            raise RecordingError.at(path, "is empty")
        return
    if (path / "metadata.yaml").is_file():
        return
    if not storage_files(path):
        raise RecordingError.at(path, "is no recording (it has no metadata.yaml)")
    if not unfinished:
        raise RecordingError.at(path, "was not finished (it has no metadata.yaml)")


def _damaged(path: Path, error: Exception) -> RecordingError:
    detail = _in_one_line(error)
    if isinstance(error, TooLargeError):
        return RecordingError.at(path, detail)
    if "end magic" in detail or "footer" in detail or "negative seek" in detail:
        return RecordingError.at(path, f"is truncated, or was not finished ({detail})")
    return RecordingError.at(path, f"is damaged or no recording ({detail})")


def _in_one_line(error: Exception) -> str:
    """Return an error's text in one line of limited length."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


Definition = tuple[str, MessageDefinition]  # a type's name, and its text


def _types_of(connections: list[Connection], lose: Callable[[str], None] | None) -> Typestore:
    """Return the types of a recording; ``lose`` is called for unreadable ones."""
    definitions = tuple((item.msgtype, item.msgdef) for item in connections)
    try:
        return _types_defined(definitions)
    except Exception:  # the parser is generated code: any exception is possible
        if lose is None:
            raise
    return _typestore(definitions, partial(_types_as_known, lose=lose))


@lru_cache(maxsize=32)
def _types_defined(definitions: tuple[Definition, ...]) -> Typestore:
    """Return the types of all recordings with these definitions; nobody may add to them."""
    return _typestore(definitions, _types_in)


def _typestore(
    definitions: Iterable[Definition], read: Callable[[Definition], Mapping[str, Any]]
) -> Typestore:
    """Return the types that definitions have, each as it is read."""
    types: dict[str, Any] = {}
    if any(each.format == MessageDefinitionFormat.NONE for _, each in definitions):
        types.update(impact_typestore().fielddefs)
    for each in definitions:
        types.update(read(each))
    store = get_typestore(Stores.EMPTY)
    store.register({name: value for name, value in types.items() if name not in store.fielddefs})
    return store


def _types_as_known(definition: Definition, lose: Callable[[str], None]) -> Mapping[str, Any]:
    """Return the types of a definition; the suite's if it is unreadable."""
    try:
        return _types_in(definition)
    except Exception as error:
        lose(f"the definition of {definition[0]} ({_in_one_line(error)})")
        return impact_typestore().fielddefs


def _types_in(definition: Definition) -> Mapping[str, Any]:
    name, (kind, text) = definition
    if kind == MessageDefinitionFormat.MSG:
        return parsed(text, name)
    return get_types_from_idl(text) if kind == MessageDefinitionFormat.IDL else {}
