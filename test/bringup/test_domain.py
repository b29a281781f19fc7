# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A DDS domain for each experiment: the user's, else one that nobody else has."""

import os

import pytest

from impact_bringup.experiments import domain
from impact_bringup.experiments.domain import own_domain
from impact_ros.exceptions import RosError

VARIABLE = "ROS_DOMAIN_ID"


@pytest.fixture
def no_domain(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture
def three_domains(no_domain, monkeypatch):
    monkeypatch.setattr(domain, "DOMAINS", range(97, 100))


def test_the_users_domain_is_kept(monkeypatch):
    monkeypatch.setenv(VARIABLE, "42")
    with own_domain() as number:
        assert number == 42
    assert os.environ[VARIABLE] == "42"


@pytest.mark.parametrize("given", ["x", "-1", "233", "1.5", " 7"])
def test_a_domain_that_is_none_is_refused_in_one_line(monkeypatch, given):
    monkeypatch.setenv(VARIABLE, given)
    with pytest.raises(RosError, match=r"^ROS_DOMAIN_ID: expected a number from 0 to 232, got"):
        own_domain().__enter__()


@pytest.mark.usefixtures("no_domain")
def test_without_one_there_is_one_inside_and_none_after():
    with own_domain() as number:
        assert os.environ[VARIABLE] == str(number)
        assert number in domain.DOMAINS
    assert VARIABLE not in os.environ


@pytest.mark.usefixtures("no_domain")
def test_two_at_a_time_differ(monkeypatch):
    with own_domain() as first:
        monkeypatch.delenv(VARIABLE)
        with own_domain() as second:
            assert second != first
        monkeypatch.setenv(VARIABLE, str(first))


@pytest.mark.usefixtures("three_domains")
def test_a_domain_is_free_again_after_an_error():
    for _ in range(5):
        with pytest.raises(ZeroDivisionError), own_domain():
            raise ZeroDivisionError
        assert VARIABLE not in os.environ


@pytest.mark.usefixtures("no_domain")
def test_when_all_are_taken_it_says_so(monkeypatch):
    monkeypatch.setattr(domain, "DOMAINS", ())
    with pytest.raises(RosError, match="no free DDS domain: 0 experiments run"):
        own_domain().__enter__()
    assert VARIABLE not in os.environ
