# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Messages of rclpy as messages of a type store, which serialises them to the same bytes.

rclpy's own `serialize_message` may append some bytes of uninitialised memory, which other readers
refuse and which make no two recordings equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rosbags.interfaces import Nodetype
from rosbags.typesys.store import Typestore


def to_typestore(store: Typestore, type_name: str, message: Any) -> Any:
    """Copy a message, field by field.

    Args:
        store: Store that has the type.
        type_name: Name of the type.
        message: Anything with the type's attributes, such as a message of rclpy.

    Returns:
        Instance of `store.types[type_name]`; the message itself when it is one already.

    Raises:
        AttributeError: The message lacks a field.
    """
    target = store.types[type_name]
    if isinstance(message, target):
        return message
    fields = store.fielddefs[type_name][1]
    return target(*(_value(store, kind, getattr(message, name)) for name, kind in fields))


def _value(store: Typestore, description: Any, value: Any) -> Any:
    kind, content = description
    if kind == Nodetype.NAME:
        return to_typestore(store, content, value)
    if kind == Nodetype.BASE:
        return value
    element, content = content[0]
    if element == Nodetype.NAME:
        return [to_typestore(store, content, item) for item in value]
    if content[0] == "string":
        return list(value)
    return np.array(value, dtype=content[0] if content[0] not in ("byte", "char") else "uint8")
