# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Work that is handed over to another thread is done there, in order, and its errors come back."""

import os
import threading

import pytest

from impact_qp.limits.beside import NICE, Beside, helper


@pytest.fixture
def beside():
    made = Beside()
    yield made
    made.close()


def test_jobs_are_done_in_order_by_another_thread(beside):
    done = []
    jobs = [beside.begin(lambda k=k: done.append((k, threading.get_ident()))) for k in range(20)]
    for job in jobs:
        job.finish()
    assert all(job.over for job in jobs)
    assert [k for k, _ in done] == list(range(20))
    assert threading.get_ident() not in {thread for _, thread in done}


def test_the_caller_does_not_wait(beside):
    go_on = threading.Event()
    job = beside.begin(go_on.wait)
    assert not job.over
    go_on.set()
    job.finish()
    assert job.over


def test_an_error_is_raised_where_the_result_is_awaited(beside):
    job = beside.begin(lambda: 1 // 0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            job.finish()
    beside.begin(lambda: None).finish()  # the thread goes on


def test_it_helps_only_where_it_is_told_to(beside):
    assert helper() is None
    with beside.helps():
        assert helper() is beside
        elsewhere = []
        thread = threading.Thread(target=lambda: elsewhere.append(helper()))
        thread.start()
        thread.join()
        assert elsewhere == [None]
    assert helper() is None


def test_a_closed_one_does_what_it_has_begun():
    made, done = Beside(), []
    job = made.begin(lambda: done.append(1))
    made.close()
    job.finish()
    assert done == [1]


@pytest.mark.skipif(not hasattr(os, "sched_getscheduler"), reason="priorities of Linux")
@pytest.mark.skipif(
    hasattr(os, "sched_getscheduler") and os.sched_getscheduler(0) != os.SCHED_OTHER,
    reason="this process has a real-time priority",
)
def test_the_thread_that_answers_goes_first(beside):
    found = []
    beside.begin(lambda: found.append(os.getpriority(os.PRIO_PROCESS, 0))).finish()
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert found == [min(own + NICE, 19)]
