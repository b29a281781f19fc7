# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Nodes end in order, on one core, and leave every thread the cores it had."""

import os
import threading

import pytest

from impact_ros.node.closing import close, one_core


class Thread:
    """A thread that waits."""

    def __enter__(self):
        self._end, started = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=lambda: (started.set(), self._end.wait()))
        self._thread.start()
        started.wait()
        return self

    def __exit__(self, *failure):
        self.end()

    @property
    def cores(self):
        return os.sched_getaffinity(self._thread.native_id)

    def end(self):
        self._end.set()
        self._thread.join()


@pytest.fixture
def cores():
    """Return the cores of this process; give them back after the test."""
    before = os.sched_getaffinity(0)
    if len(before) < 2:
        pytest.skip("this machine has one core")
    yield before
    os.sched_setaffinity(0, before)


def test_all_threads_run_on_one_core_and_then_where_they_did(cores):
    own = {max(cores)}
    with Thread() as free, Thread() as bound:
        os.sched_setaffinity(bound._thread.native_id, own)
        with one_core():
            inside = [os.sched_getaffinity(0), free.cores, bound.cores]
        assert inside == [{min(cores)}] * 3
        assert [os.sched_getaffinity(0), free.cores, bound.cores] == [cores, cores, own]


def test_a_thread_may_end_meanwhile_and_a_failure_changes_nothing(cores):
    with Thread() as ending, Thread() as staying:
        with pytest.raises(ZeroDivisionError), one_core():
            ending.end()
            raise ZeroDivisionError
        assert [os.sched_getaffinity(0), staying.cores] == [cores, cores]


def test_a_real_time_priority_is_given_up(cores):
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pytest.skip("no real-time priority is allowed here")
    try:
        with Thread() as inheriting, one_core():
            for thread in (0, inheriting._thread.native_id):
                assert os.sched_getscheduler(thread) == os.SCHED_OTHER
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def test_nodes_end_in_order_and_the_context_last(own_context):
    ended = []

    class Named:
        def __init__(self, name):
            self._name = name

        def destroy_node(self):
            ended.append((self._name, own_context.ok(), len(os.sched_getaffinity(0))))

    close(Named("first"), Named("second"), context=own_context)
    assert ended == [("first", True, 1), ("second", True, 1)] and not own_context.ok()
    close(context=own_context)  # a second time does no harm
