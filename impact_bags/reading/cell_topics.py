# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arms of a bag, by the namespaces of their topics, and the object that they hit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from impact_bags.bag_recording import DESIRED, JOINT_STATE, drivers_own, is_another_arm, is_measured
from impact_bags.reading.reader import BagReader
from impact_bags.reading.sources import SUFFIXES, has_suffix
from impact_bags.writing.message_maker import POSE, TWIST

POST_REFERENCE = "impact_qp/post_reference"  # of a controller by reference spreading
_OBJECTS = ("box", "object")  # words in the names of topics of an object's pose


class CellTopics(NamedTuple):
    """Arms and object of a bag."""

    arms: tuple[str, ...]  # namespaces with measured joint states; ("",): one arm alone
    silent: tuple[str, ...]  # namespaces of arms whose measured joint states were not recorded
    object: str  # topic of its pose or velocity; empty: unknown
    poses: tuple[str, ...]  # other topics of poses, which may be an object's
    unknown: str = ""  # requested topic of an object that is no pose or velocity here

    @property
    def many(self) -> bool:
        """Whether topics must be distinguished by arm."""
        return self.arms != ("",)


def cell_topics(
    path: Path, object_topic: str = "", joints: Sequence[str] = ()
) -> CellTopics | None:
    """Return the arms of a bag; None for one arm without an object, or if it is no bag.

    Args:
        path: of the recording.
        object_topic: of the object's pose or velocity; empty: one whose name contains "box" or
            "object".
        joints: of each arm: topics with other joints, as of a gripper, are ignored.

    Raises:
        RecordingError: nothing of the bag can be read.
    """
    if not path.is_dir() and not has_suffix(path, *SUFFIXES):
        return None
    with BagReader(path, salvage=True) as bag:
        topics = {topic: info.type_name for topic, info in bag.topics.items()}
        states = [t for t, kind in topics.items() if kind == JOINT_STATE and is_measured(t)]
        own = drivers_own(bag, states, joints) if len(states) > 1 else states
        own += [t for t in states if t not in own and is_another_arm(bag, t, joints)]
    topics = {topic: kind for topic, kind in topics.items() if topic not in states or topic in own}
    arms, silent = _arms(topics)
    known, poses = _objects(topics, (*arms, *silent))
    if object_topic and topics.get(object_topic) not in (POSE, TWIST):
        return CellTopics(arms, silent, "", (*known, *poses), object_topic)
    chosen = object_topic or (known[0] if known else "")
    spread = any(topic.endswith(POST_REFERENCE) for topic in topics)
    if arms == ("",) and not chosen and not spread:
        return None
    others = tuple(topic for topic in (*known, *poses) if topic != chosen)
    return CellTopics(arms, silent, chosen, others)


def _arms(topics: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the namespaces of arms with and without measured joint states."""
    states = [topic for topic, kind in topics.items() if kind == JOINT_STATE]
    names = _namespaces(
        [topic for topic in states if is_measured(topic) or topic.endswith(DESIRED)]
    )
    measured = {name for topic, name in names.items() if is_measured(topic)}
    desired = {name for topic, name in names.items() if not is_measured(topic)}
    if len(measured) < 2 and not (len(desired) > 1 and measured and measured <= desired):
        return ("",), ()
    return tuple(sorted(measured)), tuple(sorted(desired - measured))


def _namespaces(topics: Collection[str]) -> dict[str, str]:
    """Return the namespace of each topic: its first names, until they differ.

    A topic without a namespace belongs to no arm and is left out.
    """
    split = {topic: topic.strip("/").split("/") for topic in topics}
    named = {topic: parts for topic, parts in split.items() if len(parts) > 1}
    shortest = min(map(len, named.values()), default=0)
    depth = 1
    while depth + 1 < shortest and len({tuple(parts[:depth]) for parts in named.values()}) == 1:
        depth += 1
    return {topic: "/".join(parts[:depth]) for topic, parts in named.items()}


def _objects(topics: Mapping[str, str], arms: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the topics of an object's pose or velocity, and other poses."""
    own = tuple(f"/{arm}/" for arm in arms if arm)
    free = sorted(
        t for t, kind in topics.items() if kind in (POSE, TWIST) and not t.startswith(own)
    )
    known = [t for t in free if any(word in t.lower() for word in _OBJECTS)]
    return known, [t for t in free if t not in known and topics[t] == POSE]
