# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a process claims for its cycles, and says where it may not."""

import os

import pytest

from impact_drivers.franka.arm import real_time


@pytest.fixture
def latency(tmp_path, monkeypatch):
    """A file in place of the kernel's; closed afterwards."""
    file = tmp_path / "latency"
    monkeypatch.setattr(real_time, "LATENCY", file)
    monkeypatch.setattr(real_time, "_awake", open_files := [])
    yield file
    for each in open_files:
        os.close(each)


def test_the_processors_stay_awake_while_the_file_is_open(latency):
    latency.write_bytes(b"")
    real_time.stay_awake()
    real_time.stay_awake()
    assert latency.read_bytes() == bytes(4), "0 us, once"
    (file,) = real_time._awake
    os.fstat(file)
    assert not os.get_inheritable(file), "a program it starts does not keep them awake"


def test_claiming_says_that_the_processors_may_sleep(latency, monkeypatch):
    monkeypatch.setattr(real_time.ctypes, "CDLL", lambda *_, **__: Permissive())
    monkeypatch.setattr(real_time.os, "sched_setscheduler", lambda *_: None)
    monkeypatch.setattr(real_time.os, "sched_setaffinity", lambda *_: None)
    assert real_time.claim() == [f"the processors may sleep: No such file or directory: {latency}"]
    latency.write_bytes(b"")
    assert real_time.claim() == []


class Permissive:
    """A C library that locks memory."""

    def mlockall(self, flags):
        return 0
