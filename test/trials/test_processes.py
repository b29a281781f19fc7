# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Work handed to processes: results in the order of the work, whoever does it."""

import os

import pytest

from impact_bags.exceptions import AnalysisError
from impact_trials.processes import in_order


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_work(jobs):
    work = [(2, k) for k in range(6)]
    assert [*in_order(pow, work, jobs, "test")] == [1, 2, 4, 8, 16, 32]


def test_with_one_job_it_is_this_process():
    assert [*in_order(os.getpid, [(), ()], 1, "test")] == 2 * [os.getpid()]
    assert os.getpid() not in [*in_order(os.getpid, [(), ()], 2, "test")]


def test_an_error_of_the_work_is_the_callers():
    with pytest.raises(ZeroDivisionError):
        list(in_order(divmod, [(1, 1), (1, 0)], 2, "test"))


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_before_an_error_are_there_and_those_behind_it_are_kept(jobs):
    kept, found = [], []
    with pytest.raises(ZeroDivisionError):
        found.extend(in_order(divmod, [(7, 2), (1, 0), (9, 2)], jobs, "test", keep=kept.append))
    assert found == [(3, 1)] and kept in ([], [(4, 1)])


def test_a_process_that_dies_is_named_with_its_command():
    with pytest.raises(AnalysisError, match="test: a process died"):
        list(in_order(os._exit, [(1,), (1,)], 2, "test"))
