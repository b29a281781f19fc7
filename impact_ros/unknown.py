# SPDX-License-Identifier: Apache-2.0
"""Messages that say that nothing is known: every number NaN. Needs no ROS to import."""

from __future__ import annotations

from typing import Any

NAN = float("nan")


def unknown(message: Any) -> Any:
    """Fill all floating-point fields of a message with NaN, those of its parts too.

    Whole numbers, texts and arrays are left alone: as constructed they are 0 (unknown) and empty.

    Args:
        message: Any message, just constructed.

    Returns:
        The same message.
    """
    for name in message.get_fields_and_field_types():
        value = getattr(message, name)
        if isinstance(value, float):
            setattr(message, name, NAN)
        elif hasattr(value, "get_fields_and_field_types"):
            unknown(value)
    return message
