# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Every source file says whose it is, under which license, as the linter of ROS reads it."""

import re
import subprocess

import pytest

HEADER = re.compile(
    r"(#!.*\n)?(<\?xml.*\n)?"
    r"(#|<!--) Copyright 2026 The impact_control developers( -->)?\n"
    r"(#|<!--) SPDX-License-Identifier: Apache-2.0( -->)?\n"
)
KINDS = ("py", "msg", "srv", "action", "yaml", "toml", "sh", "bash", "xml", "urdf")
GENERATED = ("config/sros2/policy.xml",)


@pytest.fixture(scope="module")
def files(project_root):
    command = ["git", "ls-files", *(f"*.{kind}" for kind in KINDS)]
    listed = subprocess.run(command, cwd=project_root, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("no git checkout")
    return [name for name in listed.stdout.splitlines() if name not in GENERATED]


def ours(path):
    """Tell whether a file is under our license, which a file of data need not say."""
    return "SPDX-License-Identifier: Apache-2.0" in path.read_text()[:400]


def test_every_file_has_a_line_of_copyright_and_one_of_license(project_root, files):
    paths = [project_root / name for name in files if not name.startswith(".")]
    assert len(paths) > 400
    wrong = [
        str(path.relative_to(project_root))
        for path in paths
        if not HEADER.match(path.read_text()) and (path.suffix == ".py" or ours(path))
    ]
    assert not wrong, wrong


def test_ament_copyright_finds_nothing(project_root, monkeypatch, capsys):
    main = pytest.importorskip("ament_copyright.main").main
    folders = sorted({path.parent for path in project_root.glob("impact_*/*.py")})
    folders += [*(project_root / name for name in ("launch", "studies", "doc", "test"))]
    monkeypatch.chdir(project_root)
    assert main([str(folder.relative_to(project_root)) for folder in folders]) == 0


def test_ament_copyright_is_told_the_form(project_root):
    from impact_ros.node.ament_license import SPDX

    assert SPDX.file_headers == ["{copyright}\nSPDX-License-Identifier: Apache-2.0"]
    setup = (project_root / "setup.py").read_text()
    assert (
        '"ament_copyright.license": ["apache2_spdx = impact_ros.node.ament_license:SPDX"]' in setup
    )
