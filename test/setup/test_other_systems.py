# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The README's two commands in a bare Debian or Ubuntu, made by debootstrap, in a chroot.

A user without a home, a clone whose path has a space, Python 3.10 to 3.13, limited memory, and
nothing but what the README asks for. Needs root and a mirror; is skipped where these are not to be
had.
"""

import faulthandler
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow_build, pytest.mark.timeout(2400)]
TIMEOUT = 2000  # of a command in there [s]
ASKED_FOR = "python3,python3-dev,python3-venv,git,g++"  # by the README, as Debian calls it
UBUNTU = ("jammy", "noble")
MIRROR, SCRIPT = "http://archive.ubuntu.com/ubuntu", "/usr/share/debootstrap/scripts/gutsy"
LONG = ("trixie", *UBUNTU)
RELEASES = ["bookworm", *(pytest.param(name, marks=pytest.mark.long) for name in LONG)]
MEMORY = 2 * 2**30  # for set-up, demo and a test, as the README says [bytes]
LIMITS = {  # of control groups, versions 1 and 2
    "/sys/fs/cgroup/memory": "memory.limit_in_bytes",
    "/sys/fs/cgroup": "memory.max",
}
# Mounts, which end with the name space, and becomes the user.
ENTER = """
set -eu
[ -z "$1" ] || echo $$ > "$1/cgroup.procs"; shift
mount --bind /proc "$1/proc"; mount --rbind /dev "$1/dev"; mount -t tmpfs none "$1/tmp"
shift_root=$1; shift
while [ "$1" != -- ]; do mount --bind "$1" "$shift_root$1"; shift; done
shift
exec chroot --userspec=tester "$shift_root" env -i PATH=/usr/bin:/bin HOME=/nonexistent "$@"
"""


@pytest.fixture(autouse=True)
def _only_the_longer_time_out():
    """Leave out what ends a test that hangs in compiled code: set-ups wait for children, longer."""
    faulthandler.cancel_dump_traceback_later()


def of_pip():
    """Return what pip is told on this machine: variables, and the files and folders they name."""
    told = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    listing = [sys.executable, "-m", "pip", "config", "list"]
    said = subprocess.run(listing, capture_output=True, text=True, timeout=60).stdout
    for name, value in re.findall(r"^global\.([\w-]+)='(.*)'$", said, re.MULTILINE):
        told.setdefault(f"PIP_{name.upper().replace('-', '_')}", value)
    words = re.split(r"\s+|file://", " ".join(told.values()))
    places = {Path(word) for word in words if word.startswith("/") and Path(word).exists()}
    places = {place.parent if place.name == "simple" else place for place in places}  # its files
    proxies = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    return told | proxies, sorted(places)


def limited_groups():
    """Yield new control groups of limited memory, of each version that can be had."""
    for base, limit in LIMITS.items():
        made = Path(base) / f"impact_test_{os.getpid()}"
        try:
            made.mkdir()
            (made / limit).write_text(str(MEMORY))
        except OSError:
            if made.is_dir():
                made.rmdir()
        else:
            yield made


@pytest.fixture
def group():
    """A control group of limited memory, "" where there can be none."""
    made = next(limited_groups(), None)
    yield made or ""
    if made:
        made.rmdir()


@pytest.fixture(params=RELEASES)
def system(request, tmp_path_factory):
    """A bare file system of a release of Debian or Ubuntu, with a user who has no home."""
    release = request.param
    if os.geteuid() != 0:
        pytest.skip("making a file system of another system needs root")
    if shutil.which("debootstrap") is None:
        pytest.skip("debootstrap is not installed")
    root = tmp_path_factory.mktemp(release)
    root.chmod(0o755)  # pytest's are for their owner alone
    make = ["debootstrap", "--variant=minbase", f"--include={ASKED_FOR}"]
    if release in UBUNTU:
        make += ["--components=main,universe", release, str(root), MIRROR, SCRIPT]
    else:
        make += [release, str(root)]
    made = subprocess.run(make, capture_output=True, text=True, timeout=TIMEOUT)
    if made.returncode:
        pytest.skip(f"debootstrap: {(made.stdout + made.stderr).strip().splitlines()[-1]}")
    for file in ("resolv.conf", "hosts"):
        shutil.copy(f"/etc/{file}", root / "etc")
    subprocess.run(["chroot", root, "useradd", "-M", "-d", "/nonexistent", "tester"], check=True)
    yield root
    shutil.rmtree(root)


def test_both_commands_run_in_a_bare_system(system, group, project_root):
    place = system / "srv" / "a place"
    place.mkdir()
    subprocess.run(["git", "clone", "-q", project_root, place / "impact"], check=True)
    subprocess.run(["chroot", system, "chown", "-R", "tester", "/srv/a place"], check=True)
    variables, places = of_pip()
    for each in places:
        inside = Path(f"{system}{each}")
        inside.parent.mkdir(parents=True, exist_ok=True)
        if not inside.exists():
            inside.mkdir() if each.is_dir() else inside.touch()

    def run(command):
        settings = [f"{name}={value}" for name, value in variables.items()]
        line = ["unshare", "-m", "sh", "-c", ENTER, "sh", group, system, *places, "--", *settings]
        line += ["sh", "-c", f"cd '/srv/a place/impact' && {command}"]
        done = subprocess.run(line, capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        assert "no ROS 2" not in done.stderr, done.stderr[-4000:]
        return done.stdout

    there = json.loads(run("./impact demo --json --out /tmp/demo"))["runs"]
    here = subprocess.run(
        [project_root / "impact", "demo", "--json", "--out", place / "demo"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=True,
    )
    rows = json.loads(here.stdout)["runs"]
    figures = [{k: v for k, v in row.items() if isinstance(v, float)} for row in there]
    expected = [{k: row[k] for k in own} for row, own in zip(rows, figures, strict=True)]
    assert len(figures) == 4
    for row, own in zip(expected, figures, strict=True):
        assert own == pytest.approx(row, rel=1e-6, nan_ok=True)
    assert re.search(r"\d+ passed", run("./impact test test/predictor/test_coulomb.py"))
