# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Only what is stale is made again, and what was interrupted is made whole."""

import pytest
from impact_setup import stamps, workspace
from impact_setup.distribution import RosSource
from impact_setup.errors import SetupError

SUITE = ["impact_trials.warm_up", "impact_control"]
EVERYTHING = ["venv", "pip", "impact_msgs", *SUITE]  # in the order in which they start
WHEELS = RosSource()


@pytest.fixture
def prepare(layout, commands):
    """A function that sets up and says which commands that took."""

    def run(source=WHEELS, further=()):
        commands.called.clear()
        commands.stopped.clear()
        workspace.prepare({"PATH": "/usr/bin:/bin"}, layout, source, further)
        return list(commands.called)

    return run


def test_the_first_call_makes_everything_and_the_second_nothing(prepare):
    assert prepare() == EVERYTHING
    assert prepare() == []


def test_a_changed_message_rebuilds_the_messages_alone(layout, prepare):
    prepare()
    (layout.root / "impact_msgs/msg/Event.msg").write_text("float64 velocity\n")
    assert prepare() == ["impact_msgs"]


def test_a_removed_message_rebuilds_the_messages_and_leaves_nothing_of_it(layout, prepare):
    (layout.root / "impact_msgs/msg/Old.msg").write_text("float64 x\n")
    prepare()
    (layout.install("impact_msgs") / "Old.h").touch()
    (layout.root / "impact_msgs/msg/Old.msg").unlink()
    assert prepare() == ["impact_msgs"]
    assert not (layout.install("impact_msgs") / "Old.h").exists()


def test_a_renamed_message_counts_as_a_change(layout, prepare):
    prepare()
    folder = layout.root / "impact_msgs/msg"
    (folder / "Event.msg").rename(folder / "Impact.msg")
    assert prepare() == ["impact_msgs"]


def test_a_changed_requirement_runs_pip_alone(layout, prepare):
    prepare()
    layout.requirements.write_text("numpy==1.0\nscipy==1.0\n")
    assert prepare() == ["pip"]


@pytest.mark.parametrize("line", ["numpy==2.0", "numpy==1.0\nros-rclpy==9.0"])
def test_messages_are_built_again_on_another_numpy_or_ros(line, layout, prepare):
    prepare()
    layout.requirements.write_text(line + "\n")
    assert prepare() == ["pip", "impact_msgs"]


@pytest.mark.parametrize("name", ["setup.py", "package.xml", "launch/sim.launch.py"])
def test_changed_packaging_rebuilds_the_suite_alone(name, layout, prepare):
    prepare()
    file = layout.root / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("<package></package>")
    assert prepare() == SUITE


def test_a_new_package_rebuilds_the_suite_and_an_edited_module_nothing(layout, prepare):
    prepare()
    (layout.root / "impact_robots/__init__.py").write_text("EDITED = True")
    assert prepare() == []
    (layout.root / "impact_qp").mkdir()
    (layout.root / "impact_qp/__init__.py").touch()
    assert prepare() == SUITE


def test_another_ros_makes_everything_anew(prepare):
    prepare()
    jazzy = RosSource("jazzy", ("/opt/ros/jazzy",), "3.12")
    assert prepare(jazzy) == EVERYTHING
    assert prepare(jazzy) == []
    assert prepare() == EVERYTHING


def test_a_moved_checkout_is_made_anew(layout, commands, prepare):
    prepare()
    layout.root.rename(layout.root.with_name("moved"))
    moved = type(layout)(layout.root.with_name("moved"))
    commands.layout = moved
    commands.called.clear()
    workspace.prepare({}, moved, WHEELS)
    assert commands.called == EVERYTHING


@pytest.mark.parametrize("stage", EVERYTHING)
def test_a_set_up_killed_at_any_stage_is_repaired(stage, commands, killed, prepare):
    commands.fail_at = stage
    with pytest.raises(killed):
        prepare()
    commands.fail_at = None
    expected = {
        "venv": EVERYTHING,
        "pip": EVERYTHING,  # packages may be half unpacked: start from an empty environment
        "impact_msgs": ["impact_msgs", *SUITE],
        "impact_trials.warm_up": ["impact_msgs", *SUITE],
        "impact_control": SUITE,
    }
    assert prepare() == expected[stage]
    assert prepare() == []


def test_an_update_of_the_requirements_that_was_killed_starts_from_nothing(
    layout, commands, killed, prepare
):
    prepare()
    layout.requirements.write_text("numpy==2.0\n")
    commands.fail_at = "pip"
    with pytest.raises(killed):
        prepare()
    commands.fail_at = None
    assert prepare()[:2] == ["venv", "pip"]


@pytest.mark.parametrize("failure", [SetupError("no network"), KeyboardInterrupt()])
@pytest.mark.parametrize(
    ("log", "next_call"),
    [("Retrying", ["pip"]), ("Installing collected packages: numpy", ["venv", "pip"])],
)
def test_a_failed_pip_keeps_the_environment_unless_it_began_to_change_it(
    failure, log, next_call, layout, commands, prepare
):
    prepare()
    layout.requirements.write_text("numpy==2.0\n")
    commands.fail_at, commands.failure = "pip", failure
    commands.finish, finish = lambda *a: (layout.log.write_text(log), finish(*a)), commands.finish
    with pytest.raises(type(failure)):
        prepare()
    commands.fail_at = None
    assert prepare()[: len(next_call)] == next_call


@pytest.mark.parametrize("damaged", ["", "{", "[]", '{"key": "other"}'])
def test_a_damaged_stamp_counts_as_none(damaged, layout, prepare):
    prepare()
    layout.package_stamp("impact_msgs").write_text(damaged)
    assert prepare() == ["impact_msgs"]


def test_a_removed_install_folder_is_built_again(layout, prepare):
    prepare()
    layout.install("impact_msgs").rename(layout.root / "gone")
    assert prepare() == ["impact_msgs"]


def test_an_environment_whose_python_is_gone_is_made_anew(layout, prepare):
    prepare()
    layout.python.unlink()
    layout.python.symlink_to("/nowhere/python3")
    assert prepare() == EVERYTHING


def test_lost_search_paths_are_captured_again_without_a_build(layout, prepare):
    prepare()
    layout.environment.unlink()
    assert prepare() == []
    assert layout.environment.exists()


def test_progress_numbers_what_is_done(layout, prepare, capsys):
    prepare()
    shown = capsys.readouterr()
    assert shown.out == ""  # standard output belongs to the command
    assert "[1/5] making .venv... done" in shown.err
    assert "[3/5] compiling inner loops (half a minute)... done" in shown.err
    assert "[5/5] building impact_control... done" in shown.err


def test_loops_that_cannot_be_compiled_now_are_left_to_their_first_use(prepare, commands, capsys):
    commands.fail_at, commands.failure = "impact_trials.warm_up", SetupError("read-only")
    assert prepare() == EVERYTHING
    assert "compiling inner loops (half a minute)... left to their" in capsys.readouterr().err
    assert prepare() == []


def test_a_step_that_fails_ends_the_build_beside_it(prepare, commands, killed):
    commands.fail_at = "impact_trials.warm_up"
    with pytest.raises(killed):
        prepare()
    assert commands.stopped == ["impact_msgs"]


def test_messages_that_are_built_are_not_ended(prepare, commands, killed):
    commands.fail_at = "impact_control"
    with pytest.raises(killed):
        prepare()
    assert commands.stopped == []


def test_what_a_command_needs_besides_is_installed_once_and_stays(layout, prepare):
    layout.requirements.write_text("numpy==1.0\n# == tests: t\npytest==9.0\n# == tables: t\n")
    installed = layout.state / "requirements.txt"
    prepare()
    assert installed.read_text() == "numpy==1.0\n"
    assert prepare(further=["tests"]) == ["pip"]
    assert installed.read_text() == "numpy==1.0\npytest==9.0\n"
    assert prepare(further=["tests"]) == prepare() == []
    layout.requirements.write_text("numpy==1.0\n# == tests: t\npytest==9.1\n")
    assert prepare() == ["pip"]
    assert installed.read_text() == "numpy==1.0\npytest==9.1\n"


def test_an_environment_of_a_layout_without_sections_is_brought_up_to_date(layout, prepare):
    prepare()
    stamp = stamps.read(layout.venv_stamp)
    stamps.write(layout.venv_stamp, {"venv": stamp["venv"], "requirements": "older"})
    assert prepare(further=["tests"]) == ["pip"]
    assert prepare(further=["tests"]) == []
