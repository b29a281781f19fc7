# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Security that was asked for is there, or nothing starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from impact_ros.node.security import FASTDDS, SecurityError, lacks_security, require_security

ROOT = Path(__file__).resolve().parents[2]
TIME_OUT = 60.0  # [s]
ASKED = {"ROS_SECURITY_ENABLE": "true"}


@pytest.fixture
def keystore(tmp_path):
    (tmp_path / "keystore" / "enclaves").mkdir(parents=True)
    return str(tmp_path / "keystore")


@pytest.fixture(params=[b"-DSECURITY=ON CMake option", b"secured"], ids=["without", "with"])
def middleware(request, tmp_path):
    """Return a prefix with a Fast DDS that was built without security, or with."""
    (tmp_path / "ros" / "lib").mkdir(parents=True)
    (tmp_path / "ros" / "lib" / FASTDDS).write_bytes(b"\x7fELF\0" + request.param + b"\0")
    return str(tmp_path / "ros"), request.param != b"secured"


@pytest.mark.parametrize("environ", [{}, {"ROS_SECURITY_ENABLE": "false"}])
def test_who_asks_for_no_security_gets_none(environ):
    require_security(environ)


@pytest.mark.parametrize("given", ["TRUE", "1", "yes", "True", " true"])
def test_what_ros_would_take_for_false_is_refused(given):
    with pytest.raises(SecurityError, match="expected true or false, got"):
        require_security({"ROS_SECURITY_ENABLE": given})


@pytest.mark.parametrize("strategy", [None, "Permissive", "enforce", ""])
def test_a_strategy_that_falls_back_to_no_security_is_refused(keystore, strategy):
    environ = ASKED | {"ROS_SECURITY_KEYSTORE": keystore}
    environ |= {} if strategy is None else {"ROS_SECURITY_STRATEGY": strategy}
    with pytest.raises(SecurityError, match="expected Enforce"):
        require_security(environ)


@pytest.mark.parametrize("folder", [None, "", "/nowhere"])
def test_keys_must_be_there(folder):
    environ = ASKED | {"ROS_SECURITY_STRATEGY": "Enforce"}
    environ |= {} if folder is None else {"ROS_SECURITY_KEYSTORE": folder}
    with pytest.raises(SecurityError, match="ROS_SECURITY_KEYSTORE"):
        require_security(environ)


@pytest.mark.parametrize("variable", ["AMENT_PREFIX_PATH", "LD_LIBRARY_PATH"])
def test_a_middleware_without_security_is_refused(keystore, middleware, variable):
    prefix, without = middleware
    path = f"/nowhere:{prefix}" + ("/lib" if variable == "LD_LIBRARY_PATH" else "")
    environ = ASKED | {"ROS_SECURITY_STRATEGY": "Enforce", "ROS_SECURITY_KEYSTORE": keystore}
    environ[variable] = path
    assert lacks_security(environ) == without
    assert not lacks_security(environ | {"RMW_IMPLEMENTATION": "rmw_cyclonedds_cpp"})
    if without:
        with pytest.raises(SecurityError, match="built without security"):
            require_security(environ)
    else:
        require_security(environ)


@pytest.mark.parametrize("executable", ["suite", "impact_qp", "impact_sim"])
def test_no_process_starts_unsecured_when_security_was_asked_for(executable, tmp_path):
    pytest.importorskip("rclpy")
    code = f"import sys; sys.argv = ['{executable}']; from impact_bringup import entry"
    ended = subprocess.run(
        [sys.executable, "-c", f"{code}; sys.exit(entry.{executable}())"],
        env=os.environ | ASKED,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIME_OUT,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"{executable}: ROS_SECURITY_")
    assert ended.stderr.count("\n") == 1


def test_no_experiment_starts_unsecured_when_security_was_asked_for(tmp_path, monkeypatch):
    pytest.importorskip("rclpy")
    from impact_bags.reading.run_record import Run
    from impact_bringup.experiments.experiment import run_experiment
    from impact_sim.scenarios import load_scenario

    monkeypatch.setenv("ROS_SECURITY_ENABLE", "true")
    monkeypatch.delenv("ROS_SECURITY_STRATEGY", raising=False)
    with pytest.raises(SecurityError, match="ROS_SECURITY_"):
        run_experiment(Run(load_scenario("qp_panda_demo"), "robust", tmp_path / "run"))
