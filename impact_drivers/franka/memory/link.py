# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Both ends of the memory between loop and node."""

from __future__ import annotations

import zlib
from math import inf

from impact_drivers.franka.memory import command_block, ring
from impact_drivers.franka.memory.command_block import CommandReader, CommandWriter
from impact_drivers.franka.memory.cycle_record import CYCLE
from impact_drivers.franka.memory.request import REQUEST
from impact_drivers.franka.memory.ring import RingReader, RingWriter
from impact_drivers.franka.memory.shared_memory import SharedMemory

VERSION = zlib.crc32(repr((CYCLE.descr, REQUEST.descr)).encode())  # the layout itself
_RING = (command_block.SIZE + 63) // 64 * 64  # on a cache line of its own
SIZE = _RING + ring.SIZE


class NodeEnd:
    """The node's side: creates the memory, and passes its descriptor to the loop.

    Attributes:
        descriptor: for ``subprocess.Popen(pass_fds=...)`` and the loop's command line.
        cycles: that the loop reports.
        commands: to the loop.
    """

    def __init__(self) -> None:
        """Make the memory.

        Raises:
            LinkError: none is available.
        """
        self._memory = SharedMemory.create(SIZE, VERSION)
        self.descriptor = self._memory.descriptor
        self.cycles = RingReader(self._memory, _RING)
        self.commands = CommandWriter(self._memory, 0)

    def close(self) -> None:
        """Release the memory; the loop keeps its own mapping."""
        self._memory.close()


class LoopEnd:
    """The loop's side.

    Attributes:
        cycles: to the node.
        commands: of the node.
    """

    def __init__(self, descriptor: int, oldest: float = inf) -> None:
        """Use the memory of an inherited descriptor.

        Args:
            descriptor: of the memory.
            oldest: largest age of a request that begins a motion [s].

        Raises:
            LinkError: it is no such memory, or one of another version.
        """
        self._memory = SharedMemory(descriptor, SIZE, VERSION)
        self.cycles = RingWriter(self._memory, _RING)
        self.commands = CommandReader(self._memory, 0, oldest)

    def close(self) -> None:
        """Release the memory."""
        self._memory.close()
