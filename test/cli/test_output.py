# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is printed and written when nobody reads it, or when the disk is full."""

import errno
import os
import resource
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from impact_analysis.picture import save_as
from impact_bags.new_files import NewFiles, write_file
from impact_robots.exceptions import WriteError

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = (sys.executable, "-m", "impact_cli", "scenarios")
HELP = (sys.executable, "-m", "impact_cli", "predict", "--help")
ENTRY = (sys.executable, "-I", "-S", str(ROOT / "tools"), "--help")
FULL = Path("/dev/full")
ALL = pytest.mark.parametrize("command", [SCENARIOS, HELP, ENTRY], ids=["text", "help", "entry"])


@contextmanager
def small_disk():
    """Let no file of this process grow beyond 4 kB; SIGXFSZ is ignored by Python.

    Not a fixture: pytest itself writes, perhaps to a longer file, before a fixture ends.
    """
    assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("unbuffered", ["", "1"])
@ALL
def test_a_reader_that_goes_ends_it_as_it_ends_other_programs(command, unbuffered):
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("streams", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
@ALL
def test_a_closed_output_ends_it_without_a_word(command, streams):
    done = subprocess.run(
        ["sh", "-c", f'"$@" {streams}', "sh", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_a_closed_standard_error_does_not_end_up_in_the_answer(tmp_path):
    """Progress would: print(file=None) goes to standard output."""
    command = [sys.executable, "-m", "impact_cli", "detect", str(tmp_path / "missing.csv")]
    done = subprocess.run(
        ["sh", "-c", '"$@" 2>&-', "sh", *command], cwd=ROOT, capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@ALL
def test_a_full_disk_behind_the_output_is_one_line(command, unbuffered):
    with FULL.open("w") as full:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    said = f"impact: cannot write standard output: {os.strerror(errno.ENOSPC)}\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_files_appear_together(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("old")
    one.chmod(0o640)
    with NewFiles() as new:
        new.open(one).write("1")
        new.open(two).write("2")
        assert one.read_text() == "old"
        assert not two.exists()
    assert (one.read_text(), two.read_text()) == ("1", "2")
    assert one.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [one, two]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_files_of_interrupted_work_do_not_appear(tmp_path, error):
    (tmp_path / "one").write_text("old")
    with pytest.raises(error), NewFiles() as new:
        new.open(tmp_path / "one").write("new")
        new.open(tmp_path / "two").write("new")
        raise error
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    assert (tmp_path / "one").read_text() == "old"


@pytest.mark.parametrize("size", [5000, 5_000_000])
def test_on_a_full_disk_the_old_file_stays(tmp_path, size):
    path = tmp_path / "report.html"
    path.write_text("old")
    expected = rf"cannot write .*report\.html: {os.strerror(27)}"
    with small_disk(), pytest.raises(WriteError, match=expected):
        write_file(path, "x" * size)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_picture_is_whole_or_not_there(tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, axes = pyplot.subplots()
    axes.plot([0, 1])
    with small_disk(), pytest.raises(WriteError, match="cannot write"):
        save_as(figure, tmp_path / "picture.png")
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_gets_what_is_written():
    """As of ``--out >(gzip > file)``."""
    reader, writer = os.pipe()
    with os.fdopen(reader) as received:
        write_file(Path(f"/dev/fd/{writer}"), "text")
        os.close(writer)
        assert received.read() == "text"


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    write_file(Path(os.devnull), "x")
    assert Path(os.devnull).is_char_device()
    if FULL.exists():
        with pytest.raises(WriteError, match=r"cannot write /dev/full"):
            write_file(FULL, "x")
        assert FULL.is_char_device()
