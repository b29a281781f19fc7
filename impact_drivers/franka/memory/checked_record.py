# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A record of fixed layout shared by two processes, with a checksum."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

CHECKSUM = ("checksum", "<u8")  # first field of every record


class CheckedRecord:
    """One record of this process, and its transfer to and from shared memory.

    A checksum over all other fields detects a record that was read while it was written, for any
    memory order of the processor. No side ever waits.

    Attributes:
        fields: the record, by name of the field.
    """

    def __init__(self, layout: np.dtype) -> None:
        """Make an empty record of a layout whose first field is ``CHECKSUM``."""
        self._array = np.zeros(1, layout)
        self.fields: Any = self._array[0]
        self._bytes = memoryview(self._array.view(np.uint8).data).cast("B")
        self._content = self._bytes[np.dtype(CHECKSUM[1]).itemsize :]
        self._checksum = self._array["checksum"]

    def write_to(self, target: memoryview) -> None:
        """Write the record to shared memory of its size."""
        self._checksum[0] = zlib.crc32(self._content)
        target[:] = self._bytes

    def read_from(self, source: memoryview) -> bool:
        """Read shared memory; return whether the record was complete."""
        self._bytes[:] = source
        return int(self._checksum[0]) == zlib.crc32(self._content)
