# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The ring of cycles between loop and node: one writes and never waits, the other reads."""

from __future__ import annotations

import time
from collections.abc import Iterator

from impact_drivers.franka.loop.loop_cycle import LoopCycle
from impact_drivers.franka.memory.checked_record import CheckedRecord
from impact_drivers.franka.memory.cycle_record import CYCLE, pack, unpack
from impact_drivers.franka.memory.shared_memory import SharedMemory

SLOTS = 4096  # at 1 kHz a reader may sleep for four seconds
WORD = 8  # number of cycles written so far, before the slots [bytes]
SIZE = WORD + SLOTS * CYCLE.itemsize


class _Ring:
    """Layout of the slots, numbered by their cycles, from 1 on."""

    def __init__(self, memory: SharedMemory, start: int) -> None:
        self._written = memory.view(start, WORD, "Q")
        self._slots = memory.view(start + WORD, SIZE - WORD)
        self._record = CheckedRecord(CYCLE)

    def _slot(self, number: int) -> memoryview:
        first = number % SLOTS * CYCLE.itemsize
        return self._slots[first : first + CYCLE.itemsize]


class RingWriter(_Ring):
    """The loop's end: takes some twenty microseconds a cycle, independent of the reader.

    A writer that is killed leaves a slot half-written that it has not yet counted, which is
    therefore not read. A second writer, as after an orderly end, goes on counting.
    """

    def write(self, cycle: LoopCycle) -> None:
        """Write one cycle; the oldest one is overwritten."""
        number = self._written[0] + 1
        self._record.fields["number"] = number
        pack(cycle, self._record.fields)
        self._record.fields["reported"] = time.monotonic_ns()
        self._record.write_to(self._slot(number))
        self._written[0] = number


class RingReader(_Ring):
    """The node's end.

    Attributes:
        lost: cycles that were overwritten before they were read.
        torn: cycles that were overwritten while they were read; they are lost too.
    """

    def __init__(self, memory: SharedMemory, start: int) -> None:
        """Begin with the first cycle that was written.

        Args:
            memory: shared by loop and node.
            start: of the ring in it [bytes].
        """
        super().__init__(memory, start)
        self._next, self.lost, self.torn = 1, 0, 0

    def read(self) -> Iterator[LoopCycle]:
        """Yield the cycles written since the last call, in order, up to those present now."""
        last = self._written[0]
        while self._next <= last:
            if (oldest := self._written[0] - SLOTS + 1) > self._next:
                self.lost += oldest - self._next
                self._next = oldest
                continue
            number, self._next = self._next, self._next + 1
            if not self._record.read_from(self._slot(number)):
                self.torn += 1
                self.lost += 1
            elif self._record.fields["number"] != number:
                self.lost += 1
            else:
                yield unpack(self._record.fields)
