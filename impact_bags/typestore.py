# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Message types without ROS: the standard ones, and others from their .msg text.

The text is looked for in the source tree first (a checkout), then in what was installed with this
package (only of impact_msgs: setup.py takes its files along), then in `share/` of every sourced ROS
prefix and of this Python's own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

SEPARATOR = "=" * 80 + "\n"


def impact_typestore() -> Typestore:
    """Make a type store with the standard messages and all of impact_msgs.

    Returns:
        A new store; `store.types["impact_msgs/msg/ImpactEvent"]` is the class of a message.

    Raises:
        KeyError: The texts of impact_msgs are nowhere to be found.
    """
    store = get_typestore(Stores.ROS2_KILTED)
    known = _impact_types()
    store.types.update(known.types)
    store.fielddefs.update(known.fielddefs)
    return store


@cache
def _impact_types() -> Typestore:
    """Return the store that others are copies of: its classes take 0.02 s to make."""
    store = get_typestore(Stores.ROS2_KILTED)
    for name in _message_names("impact_msgs"):
        ensure_type(store, name)
    return store


def ensure_type(store: Typestore, type_name: str) -> None:
    """Add a type, and the types that it is made of, unless the store has it.

    Args:
        store: Store to add to.
        type_name: Name such as "impact_msgs/msg/ImpactEvent".

    Raises:
        KeyError: The text of the type is nowhere to be found.
    """
    if type_name in store.fielddefs:
        return
    text = message_text(type_name)
    if text is None:
        raise KeyError(f"message type {type_name} is unknown: no text of it was found")
    types = dict(parsed(text, type_name))
    for _, fields in types.values():
        for _, description in fields:
            if (nested := _nested(description)) is not None:
                ensure_type(store, nested)
    store.register(types)


@lru_cache(maxsize=256)
def parsed(text: str, type_name: str) -> Mapping[str, Any]:
    """Parse the text of a type once: it takes milliseconds, and every recording asks.

    Args:
        text: Of the type, and of those that it is made of if they follow.
        type_name: Name such as "impact_msgs/msg/ImpactEvent".

    Returns:
        The fields of each type by its name, to be looked at only.

    Raises:
        TypesysError: The text is no definition.
    """
    return MappingProxyType(get_types_from_msg(text, type_name))


@lru_cache(maxsize=256)
def definition(store: Typestore, type_name: str) -> str:
    """Write the text that a bag keeps for a type, with comments (units, frames) where known.

    Args:
        store: Store that has the type.
        type_name: Name of the type.

    Returns:
        The type's own text followed by those of the types that it is made of.
    """
    generated, _ = store.generate_msgdef(type_name, ros_version=2)
    text = message_text(type_name)
    if text is None:
        return str(generated)
    _, *nested = str(generated).split(SEPARATOR)
    return SEPARATOR.join([text.rstrip() + "\n", *nested])


@lru_cache(maxsize=256)
def type_hash(store: Typestore, type_name: str) -> str:
    """Return the hash of a type of a store, by which ROS 2 knows versions of it."""
    return store.hash_rihs01(type_name)


def message_text(type_name: str) -> str | None:
    """Find the .msg text of a type, None where there is none.

    Args:
        type_name: Name such as "impact_msgs/msg/ImpactEvent".
    """
    package, _, name = type_name.partition("/msg/")
    for directory in _directories(package):
        path = directory / f"{name}.msg"
        if name and path.is_file():
            return path.read_text(encoding="utf-8")
    return None


def _message_names(package: str) -> list[str]:
    for directory in _directories(package):
        if names := sorted(path.stem for path in directory.glob("*.msg")):
            return [f"{package}/msg/{name}" for name in names]
    raise KeyError(f"the messages of {package} were not found: source its installation first")


def _directories(package: str) -> Iterator[Path]:
    here = Path(__file__).resolve().parent
    yield here.parent / package / "msg"
    if package == "impact_msgs":
        yield here / "msg"
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    for prefix in filter(None, [*prefixes, sys.prefix]):
        yield Path(prefix) / "share" / package / "msg"


def _nested(description: Any) -> str | None:
    kind, content = description
    if kind in (Nodetype.ARRAY, Nodetype.SEQUENCE):
        kind, content = content[0]
    return str(content) if kind == Nodetype.NAME else None
