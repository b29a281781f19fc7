# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Unpacks compressed parts of recordings, up to a limit: 60 kB may hold gigabytes of zeros."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from math import inf
from pathlib import Path
from typing import Any

from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped]
from rosbags.rosbag2 import storage_mcap

from impact_bags.exceptions import RecordingError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MEGABYTE = 2**20
ALWAYS = 64 * MEGABYTE  # for packed data of any size
RATIO = 200  # unpacked to packed; measured joint states have 2 to 20, of an arm at rest 60
MOST = 1024 * MEGABYTE  # in memory at once
BLOCK = MEGABYTE
VARIABLE = "IMPACT_UNPACK_MB"


class TooLargeError(RecordingError):
    """A recording unpacks to more than the limit."""


def limit(packed: int, most: float = MOST) -> float:
    """Return the largest unpacked size of packed bytes; the environment may increase it."""
    megabytes = os.environ.get(VARIABLE, "")
    if megabytes.isdecimal():
        return int(megabytes) * MEGABYTE
    return min(most, max(ALWAYS, RATIO * packed))


def check_size(unpacked: int, packed: int, most: float = MOST) -> None:
    """Refuse an unpacked size, claimed or reached, above the limit.

    Raises:
        TooLargeError: it is above the limit.
    """
    allowed = limit(packed, most)
    if unpacked > allowed:
        raise TooLargeError(
            f"{packed} bytes unpack to more than the {allowed / MEGABYTE:.0f} MB allowed; if that"
            f" is intended, set {VARIABLE} to a larger number in the environment"
        )


def unpack_zstd(data: bytes, size: int | None = None) -> bytes:
    """Unpack frames of zstd; see :func:`unpack`."""
    return unpack(zstd.ZstdDecompressor, data, size)


def unpack_lz4(data: bytes, size: int | None = None) -> bytes:
    """Unpack frames of lz4; see :func:`unpack`."""
    return unpack(LZ4FrameDecompressor, data, size)


def unpack(kind: Any, data: bytes, size: int | None) -> bytes:
    """Unpack one frame after another.

    Args:
        kind: makes a decompressor of one frame, as Python's own are.
        data: packed.
        size: expected, in bytes; None: unknown.

    Raises:
        TooLargeError: it is above the limit.
        ValueError: the last frame is cut off, or it is more than ``size``.
    """
    packed, parts, total = len(data), [], 0
    allowed = int(limit(packed))
    most = allowed if size is None else min(size, allowed)
    while data:
        decompressor = kind()
        parts.append(decompressor.decompress(data, max_length=most - total + 1))
        total += len(parts[-1])
        check_size(total, packed)
        if total > most:
            raise ValueError(f"expected {size} bytes unpacked, got more")
        if not decompressor.eof:
            raise ValueError("compressed data are cut off")
        data = decompressor.unused_data or b""
    return b"".join(parts)


def check_files(folder: Path) -> None:
    """Refuse compressed files of a bag above the limit of unpacked size.

    Raises:
        TooLargeError: above the limit, or above half of the free space for temporary files.
    """
    free = shutil.disk_usage(tempfile.gettempdir()).free
    for path in sorted(folder.glob("*.zstd")):
        packed, total = path.stat().st_size, 0
        with zstd.open(path, "rb") as file:
            while block := file.read(BLOCK):
                total += len(block)
                check_size(total, packed, inf)
                if 2 * total > free:
                    raise TooLargeError(
                        f"{path.name} unpacks to more than half of what is free in"
                        f" {tempfile.gettempdir()}; set TMPDIR to a larger disk"
                    )


def check_chunks(chunks: Any, packed: int) -> None:
    """Refuse chunks that together are too large: those that overlap in time are in memory at once.

    Raises:
        TooLargeError: they are above the limit.
        ValueError: a chunk of the index is larger than the file.
    """
    if any(max(chunk.compressed_size, chunk.chunk_length) > packed for chunk in chunks):
        raise ValueError("the index names a chunk that is larger than the file")
    whole = sum(chunk.uncompressed_size for chunk in chunks if chunk.compression)
    check_size(whole, packed, inf)


# rosbags passes the size that a chunk claims; its own decompressors ignore it
storage_mcap.DECOMPRESSORS.update(zstd=unpack_zstd, lz4=unpack_lz4)
