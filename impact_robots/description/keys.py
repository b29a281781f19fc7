# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Every key of a robot's YAML: its unit, its default, and the commands that require it."""

from __future__ import annotations

from typing import NamedTuple

LOADING = "every command"
QP, SIM, PLAN, MAP, SETS = "impact_qp", "impact_sim", "plan", "map", "sets"
ARMS_ONLY = (QP, SIM, PLAN, MAP, "export")  # these need a fixed base and a motor at every joint
VELOCITY_NOISE, TORQUE_NOISE = 4e-3, 0.08  # the Panda's, [rad/s] and [N.m]
_URDF = "the URDF's <limit>"
_UNKNOWN = "unknown"


class Key(NamedTuple):
    """One entry of a robot's YAML."""

    name: str
    unit: str  # empty: dimensionless
    default: str  # value without an entry, as text; empty: the entry is mandatory
    needed_by: tuple[str, ...]  # commands that refuse an unknown value
    what: str


KEYS = (
    Key("name", "", "", (LOADING,), "text"),
    Key("urdf", "", "`--urdf`, or the parameter `urdf`", (LOADING,), "path, from the YAML's"),
    Key("joint_prefix", "", "none", (), "text before every joint and link name of the YAML"),
    Key("joints", "", "", (LOADING,), "that move, in the URDF's order; others are locked at zero"),
    Key(
        "base_link",
        "",
        "",
        (LOADING,),
        'frame of "base axes": root of the URDF, or a link in its place',
    ),
    Key("base", "", "fixed", (), "`fixed`, or `floating`: the base moves, and has six velocities"),
    Key(
        "contacts",
        "m",
        "none",
        (),
        "places that hit, by name: `frame` (a link), `offset` in it, `rpy` by which its axes are"
        " turned, `half_extents` along its x and y of a flat face (none: a point),"
        " `composite` (`moving`, `all` or `chain`)",
    ),
    Key("passive", "", "none", (), "joints without a motor, whose motor inertia may be 0"),
    Key("springs", "N.m/rad", "none", (), "stiffness of a spring beside a joint, by its name"),
    Key(
        "loops",
        "m",
        "none",
        (),
        "what closes chains: `point_a` of link `a` and `point_b` of link `b` stay `length` apart"
        " (a rod), or without a length together (a ball joint)",
    ),
    Key(
        "inertias_identified_as_a_set",
        "",
        "false",
        (),
        "true: right together, but not a body's link by link, as the Panda's",
    ),
    Key(
        "tool",
        "kg, m",
        "the last link, no mass (assumed)",
        (),
        "`parent` link, `mass` and `radius` of a solid sphere, its centre `com` and the"
        " `contact_point` in the parent's axes; perhaps a soft `cover` over that point:"
        " `stiffness` [N/m], `damping` [N.s/m], `thickness`",
    ),
    Key(
        "payload",
        "kg",
        "none",
        (),
        "carried at the contact point beside the tool: one mass, or `[low, high]`; limits count on"
        " both ends, gravity and predictions on the middle",
    ),
    Key("position_lower", "rad", _URDF, (LOADING,), "limit"),
    Key("position_upper", "rad", _URDF, (LOADING,), "limit"),
    Key("velocity", "rad/s", _URDF, (QP, SIM, PLAN, MAP), "limit"),
    Key(
        "limits_beyond_urdf",
        "",
        "false",
        (),
        "true: limits of the YAML that are wider than the URDF's are meant",
    ),
    Key(
        "flange_speed",
        "m/s",
        "not limited",
        (),
        "highest speed of the frame that the tool is fixed to; `plan --tool` keeps it",
    ),
    Key("acceleration", "rad/s^2", _UNKNOWN, (QP, SIM), "limit"),
    Key("jerk", "rad/s^3", _UNKNOWN, (QP, SIM), "limit"),
    Key("torque", "N.m", _URDF, (QP, SIM), "limit; effort in the URDF"),
    Key("torque_rate", "N.m/s", _UNKNOWN, (QP,), "limit"),
    Key(
        "impulsive_torque",
        "N.m",
        _UNKNOWN,
        (QP, PLAN, MAP),
        "largest change of the joint torque that an impact may cause",
    ),
    Key(
        "torque_range",
        "N.m",
        "not limited",
        (),
        "largest measured joint torque, gravity included, beyond which the arm stops itself",
    ),
    Key(
        "force_limits",
        "N",
        "not limited",
        (),
        "largest force of an impact: on what is hit (`contact`), for the force `sensor`, for the"
        " `tool`; any of them",
    ),
    Key("reflected_motor_inertia", "kg.m^2", _UNKNOWN, (SIM,), "B_rho"),
    Key(
        "apparent_motor_inertia",
        "kg.m^2",
        _UNKNOWN,
        (QP, SIM, PLAN, MAP, SETS),
        "B_theta, under the torque loop",
    ),
    Key("joint_stiffness", "N.m/rad", _UNKNOWN, (SIM,), "of the transmission"),
    Key("joint_damping", "N.m.s/rad", _UNKNOWN, (SIM,), "of the transmission"),
    Key(
        "loop_damping_time",
        "s",
        "`joint_damping` over `joint_stiffness`",
        (),
        "D/K that the arm's torque loop takes its joints to have, where they were identified",
    ),
    Key(
        "joint_stiffness_range",
        "-",
        "[0.7, 1.3] if the stiffness is assumed, else [1, 1]",
        (),
        "[low, high] over the nominal value, each a number or one per joint",
    ),
    Key(
        "joint_damping_range",
        "-",
        "[0.5, 1.5] if the damping is assumed, else [1, 1]",
        (),
        "the same of the damping",
    ),
    Key(
        "motor_inertia_range",
        "-",
        "[0.9, 1.1] if the apparent inertia is assumed, else [1, 1]",
        (),
        "the same of both motor inertias",
    ),
    Key(
        "servo_stiffness",
        "N.m/rad",
        _UNKNOWN,
        (),
        "of the position or velocity loop of a robot that is sent these",
    ),
    Key("servo_damping", "N.m.s/rad", _UNKNOWN, (), "of the same loop"),
    Key(
        "coulomb_friction",
        "N.m",
        _UNKNOWN,
        (),
        "of each joint under the loop that drives it; `export mjcf` writes it as `frictionloss`,"
        " with `--flexible` of the motors",
    ),
    Key("viscous_friction", "N.m.s/rad", _UNKNOWN, (), "the same over speed; MuJoCo's `damping`"),
    Key(
        "velocity_noise",
        "rad/s",
        f"{VELOCITY_NOISE:g} (assumed)",
        (),
        "standard deviation of measured joint velocities, for the detector `fused`",
    ),
    Key(
        "torque_noise",
        "N.m",
        f"{TORQUE_NOISE:g} (assumed)",
        (),
        "the same of joint torques",
    ),
    Key(
        "stance",
        "rad",
        _UNKNOWN,
        (),
        "ready for an impact, within the limits; `predict`, `sets` and `plan` begin there without"
        " `--q`",
    ),
    Key(
        "detection_joints",
        "",
        "the two before the last",
        (),
        "joints of `torque_error` and `momentum`, from 1",
    ),
    Key(
        "driver_compensates_gravity",
        "",
        _UNKNOWN,
        (QP, SIM),
        "true: the driver adds gravity to a commanded torque",
    ),
    Key("assumed", "", "none", (), "keys whose values no source gives"),
)
BY_NAME = {key.name: key for key in KEYS}
OPTIONAL = (  # unknown values of these are accepted
    "torque_range",
    "loop_damping_time",
    "servo_stiffness",
    "servo_damping",
    "coulomb_friction",
    "viscous_friction",
)


def needed_by(who: str) -> tuple[str, ...]:
    """Return the keys that a package or command requires."""
    return tuple(key.name for key in KEYS if who in key.needed_by)


def missing_line(robot: str, who: str, names: tuple[str, ...]) -> str:
    """Return the line that lists missing keys, who needs them, and their units."""
    listed = ", ".join(f"{name!r}" for name in names)
    units = [BY_NAME[name].unit for name in names]
    entry, verb, them = ("entry", "is", "it") if len(names) == 1 else ("entries", "are", "them")
    unit = f" [{', '.join(each or '-' for each in units)}]" if any(units) else ""
    return f"robot {robot}: {entry} {listed} {verb} missing: {who} needs {them}{unit}"


def as_markdown() -> str:
    """Return the table of keys for the documentation."""
    rows = [
        "| key | unit | without an entry | needed by | what it is |",
        "|---|---|---|---|---|",
    ]
    for key in KEYS:
        default = key.default or "refused"
        by = ", ".join(key.needed_by) or "-"
        rows.append(f"| `{key.name}` | {key.unit or '-'} | {default} | {by} | {key.what} |")
    return "\n".join(rows)
