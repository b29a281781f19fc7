# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `robot`: writes the YAML of an arm from its URDF, and checks it by loading it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from impact_bags.new_files import write_file
from impact_cli.command_names import COMMANDS
from impact_cli.options.number_options import not_negative, numbers
from impact_cli.reports.robot_report import as_json, as_text, keys_json, keys_text
from impact_robots.description.keys import BY_NAME
from impact_robots.description.loader import robot_of
from impact_robots.description.yaml_draft import as_text as yaml_text
from impact_robots.description.yaml_draft import draft
from impact_robots.exceptions import UsageError
from impact_robots.urdf.chain import find_chain
from impact_robots.urdf.mjcf_file import joint_entries
from impact_robots.urdf.urdf_file import full_model, read_urdf
from impact_robots.yaml_file import mapping_of

_EPILOG = """examples:
  impact robot ur5.urdf --out ur5.yaml
  impact robot ur5.urdf --out ur5.yaml --force --b-theta 0.7,0.7,0.5,0.1,0.1,0.1 --torque-noise 0.5
  impact robot fr3.urdf --from-mjcf fr3.xml --out my_fr3.yaml
  impact robot --keys

Then, with a recording of free motion and one of impacts:
  impact detect free.csv --robot ur5.yaml --learn -o thresholds.yaml
  impact analyze hits --robot ur5.yaml --thresholds thresholds.yaml --normal=-1,0,0 --out results

Joints: the movable ones between base and tip, in the URDF's order; others are locked at zero. Give
one number for all joints, or one per joint, separated by commas.
Exit status: 0 done, 1 the file cannot be written, 2 wrong usage, or an invalid URDF.
"""
# option and key of the YAML: numbers per joint
_PER_JOINT = {
    "--b-theta": "apparent_motor_inertia",
    "--b-rho": "reflected_motor_inertia",
    "--velocity": "velocity",
    "--acceleration": "acceleration",
    "--jerk": "jerk",
    "--torque": "torque",
    "--torque-rate": "torque_rate",
    "--impulsive-torque": "impulsive_torque",
    "--joint-stiffness": "joint_stiffness",
    "--joint-damping": "joint_damping",
}
_FROM_MJCF = (
    "MuJoCo model of the same joints: B_theta is its armature, viscous_friction its damping,"
    " coulomb_friction its frictionloss; other options replace them"
)
_NOISE = {"--velocity-noise": "velocity_noise", "--torque-noise": "torque_noise"}
_TOOL = {"tool_mass": "mass", "tool_radius": "radius"}
_TOOL_POINTS = {"tool_com": "com", "contact_point": "contact_point"}


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "robot",
        help=COMMANDS["robot"],
        description="Write the YAML of an arm: joints, links and limits of its URDF, values of the"
        " options, and marked assumptions; then check it by loading it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("urdf", metavar="URDF", type=Path, nargs="?", help="URDF of the arm, with inertias")
    add("--out", type=Path, metavar="YAML", help="file to write (default: NAME.yaml)")
    add("--force", action="store_true", help="overwrite an existing file")
    add("--keys", action="store_true", help="only list every key of such a file")
    add("--name", default="", help="name of the robot (default: that in the URDF)")
    add("--base", default="", metavar="LINK", help="base link (default: base_link, or the root)")
    add("--tip", default="", metavar="LINK", help="link of the tool (default: the last)")
    add("--from-mjcf", type=Path, metavar="FILE", help=_FROM_MJCF)
    for option, key in _PER_JOINT.items():
        add(option, type=not_negative, metavar="X,..", dest=key, help=_help(key))
    for option, key in _NOISE.items():
        add(option, type=not_negative, metavar="X", dest=key, help=_help(key))
    add("--stance", type=numbers, metavar="Q,..", help=_help("stance"))
    add("--tool-mass", type=not_negative, metavar="M", help="mass of the tool, a sphere [kg]")
    add("--tool-radius", type=not_negative, metavar="R", help="radius of the sphere [m]")
    add("--tool-com", type=numbers, metavar="X,Y,Z", help="its centre in the tip's axes [m]")
    add("--contact-point", type=numbers, metavar="X,Y,Z", help="contact point, tip axes [m]")
    add(
        "--driver-compensates-gravity",
        choices=("true", "false"),
        help=BY_NAME["driver_compensates_gravity"].what,
    )
    add(
        "--inertias-identified-as-a-set",
        action="store_true",
        help=BY_NAME["inertias_identified_as_a_set"].what,
    )
    add("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


def _help(key: str) -> str:
    return f"{key}: {BY_NAME[key].what} [{BY_NAME[key].unit}]".replace("`", "")


def run(arguments: argparse.Namespace) -> int:
    """Write the YAML, or list the keys, and print it."""
    if arguments.keys:
        print(keys_json() if arguments.json else keys_text())
        return 0
    if arguments.urdf is None:
        raise UsageError("robot: expected a URDF, or --keys")
    text, root = read_urdf(arguments.urdf)
    model = full_model(arguments.urdf, text, root)
    name = arguments.name or model.name
    out = arguments.out or Path(f"{name}.yaml")
    _check(out, force=arguments.force)
    chain = find_chain(arguments.urdf, model, arguments.base, arguments.tip)
    urdf = _seen_from(out.parent, arguments.urdf)
    mjcf = joint_entries(arguments.from_mjcf, chain.joints) if arguments.from_mjcf else {}
    parts = draft(name, urdf, chain, model, _given(arguments, len(chain.joints)), mjcf)
    title = f"{name}, written by `impact robot` from {arguments.urdf.name}."
    written = yaml_text(title, parts)
    robot = robot_of(out, mapping_of(written, out))  # what cannot be loaded is not written
    write_file(out, written)
    print((as_json if arguments.json else as_text)(robot, chain, out))
    return 0


def _seen_from(folder: Path, file: Path) -> str:
    """Return the path of a file relative to a folder; either may be behind links to folders."""
    there = os.path.relpath(os.path.realpath(file.parent), os.path.realpath(folder))
    return str(Path(there) / file.name)


def _check(out: Path, *, force: bool) -> None:
    """Refuse a path that is no YAML file, or an existing file without ``force``.

    Raises:
        UsageError: the path is refused.
    """
    if out.suffix not in (".yaml", ".yml"):
        raise UsageError(f"--out: expected a .yaml file, got {out}")
    if out.is_dir():
        raise UsageError(f"--out: expected a file, {out} is a folder")
    if not out.parent.is_dir():
        raise UsageError(f"--out: expected a file in a folder that exists, got {out}")
    if out.exists() and not force:
        raise UsageError(f"--out: {out} exists; to overwrite it: --force")


def _given(arguments: argparse.Namespace, n: int) -> dict[str, Any]:
    """Return the entries that are set by options."""
    found: dict[str, Any] = {}
    for key in (*_PER_JOINT.values(), "stance"):
        values = getattr(arguments, key)
        if values is not None:
            found[key] = list(values) * (n if len(values) == 1 and key != "stance" else 1)
    for option, key in _NOISE.items():
        if (value := getattr(arguments, key)) is not None:
            found[key] = _one(option, value)
    if arguments.driver_compensates_gravity:
        found["driver_compensates_gravity"] = arguments.driver_compensates_gravity == "true"
    if arguments.inertias_identified_as_a_set:
        found["inertias_identified_as_a_set"] = True
    tool: dict[str, Any] = {
        key: _one(f"--{option.replace('_', '-')}", value)
        for option, key in _TOOL.items()
        if (value := getattr(arguments, option)) is not None
    }
    for option, key in _TOOL_POINTS.items():
        if (value := getattr(arguments, option)) is not None:
            tool[key] = list(value)
    return {**found, "tool": tool} if tool else found


def _one(option: str, values: tuple[float, ...]) -> float:
    """Return the single number of an option.

    Raises:
        UsageError: there are several.
    """
    if len(values) != 1:
        raise UsageError(f"{option}: expected one number, got {len(values)}")
    return values[0]
