# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Anonymous memory, created by the node and inherited by the loop; the kernel frees it."""

from __future__ import annotations

import mmap
import os

import numpy as np

from impact_drivers.exceptions import LinkError

MAGIC = 0x494D50414354_4633  # "IMPACTF3"
HEADER = np.dtype([(name, "<u8") for name in ("magic", "version", "size")])


class SharedMemory:
    """Bytes shared by two processes; the kernel frees them with the last of the two.

    They are an anonymous file: the child inherits its descriptor, no other process can open it, and
    it is freed however the processes end. It begins with magic number, version and size.

    Attributes:
        descriptor: of the file, for the child's ``pass_fds``.
    """

    def __init__(self, descriptor: int, size: int, version: int) -> None:
        """Map an inherited descriptor; see :meth:`create` for a new one.

        Args:
            descriptor: of the file; closed with the memory.
            size: expected, without the header [bytes].
            version: expected of the layout.

        Raises:
            LinkError: it is no such memory, of another version or of another size.
        """
        self.descriptor = descriptor
        try:
            found = os.fstat(descriptor).st_size
            if found != HEADER.itemsize + size:
                expected = HEADER.itemsize + size
                raise LinkError(f"shared memory: expected {expected} bytes, got {found}")
            self._map = mmap.mmap(descriptor, found)
        except OSError as error:
            reason = error.strerror
            raise LinkError(f"shared memory: descriptor {descriptor}: {reason}") from None
        self._views: list[memoryview] = []
        got = np.frombuffer(self._map[: HEADER.itemsize], HEADER)[0].item()
        if got != (MAGIC, version, size):
            self._map.close()
            raise LinkError(
                f"shared memory: expected magic {MAGIC:x}, version {version} and {size} bytes, got"
                f" {got[0]:x}, {got[1]} and {got[2]}"
            )

    @classmethod
    def create(cls, size: int, version: int) -> SharedMemory:
        """Make new memory of zeros, of a size [bytes] and a version of the layout.

        Raises:
            LinkError: none is available.
        """
        if not hasattr(os, "memfd_create"):
            raise LinkError("shared memory: expected Linux, which alone has anonymous files")
        header = np.array([(MAGIC, version, size)], HEADER).tobytes()
        try:
            descriptor = os.memfd_create("impact_franka")
            os.ftruncate(descriptor, HEADER.itemsize + size)
            os.pwrite(descriptor, header, 0)
        except OSError as error:
            raise LinkError(f"shared memory: {error.strerror}") from None
        return cls(descriptor, size, version)

    def view(self, start: int, size: int, kind: str = "B") -> memoryview:
        """Return a view of ``size`` bytes from ``start`` behind the header on, valid until `close`.

        Args:
            start: of the first byte [bytes].
            size: of the view [bytes].
            kind: of its items, as of ``memoryview.cast``.
        """
        start += HEADER.itemsize
        layers = [memoryview(self._map)]
        layers.append(layers[-1][start : start + size])
        layers.append(layers[-1].cast(kind))  # type: ignore[call-overload]
        self._views.extend(layers)
        return layers[-1]

    def close(self) -> None:
        """Release the memory; the other process keeps its own mapping."""
        for view in reversed(self._views):
            view.release()
        self._map.close()
        os.close(self.descriptor)
