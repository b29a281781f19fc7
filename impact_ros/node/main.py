# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Console scripts of nodes: invalid input ends with one line and status 2, a signal with 0."""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import rclpy
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from impact_robots.exceptions import ImpactError
from impact_ros.exceptions import ParameterError
from impact_ros.node.closing import one_core
from impact_ros.node.parameter_files import unmatched_sections
from impact_ros.node.spin import SLICE, serve_beside, spin, stop_on_signals
from impact_ros.parameters import describe
from impact_ros.standard_streams import failed, fill_closed_streams, with_output

Main = Callable[..., int]
_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h


def main_for(
    *node_classes: Callable[[], Any], name: str = "", beside: Sequence[Callable[[], Any]] = ()
) -> Main:
    """Make the main function of a console script that runs nodes in one process.

    A lifecycle node's `on_shutdown` is called before the end, while it still can publish. All end
    when a node's property `ended`, if it has one, becomes true.

    Args:
        *node_classes: Classes to make a node of, without arguments. A class attribute
            `PARAMETERS` (the dataclass) is listed by `--help`.
        name: Name in messages; that of the script by default.
        beside: More of them, served in a separate thread: the others do not wait for them.

    Returns:
        `main(args=None) -> status`: 0 stopped on request, 1 failed, 2 wrong usage.

    Example:
        main = main_for(DetectorNode)
    """

    def main(args: Sequence[str] | None = None) -> int:
        given = list(sys.argv if args is None else [sys.argv[0], *args])
        script = name or given[0].rsplit("/", 1)[-1]
        extra = _without_ros(given)
        if extra and extra[0] in ("-h", "--help"):
            return _show(script, _help(script, (*node_classes, *beside)))
        if extra:
            return failed(script, f"unexpected {extra[0]!r}; ROS arguments follow --ros-args", 2)
        return _run(script, given, node_classes, beside)

    return main


def _without_ros(given: list[str]) -> list[str]:
    try:
        return list(remove_ros_args(given))[1:]
    except Exception:  # malformed ROS arguments: init reports them
        return []


def _run(
    script: str,
    args: list[str],
    node_classes: Sequence[Callable[[], Any]],
    beside: Sequence[Callable[[], Any]],
) -> int:
    share_one_heap()
    with stop_on_signals() as stop:
        try:
            rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        except Exception as error:  # rclpy has one private class per mistake
            return failed(script, f"cannot start ROS: {error}", 2)
        nodes: list[Any] = []
        others: list[Any] = []
        ending_others = contextlib.ExitStack()
        try:
            nodes.extend(make() for make in node_classes)
            others.extend(make() for make in beside)
            ending_others.callback(serve_beside(others))
            _warn_of_files(args, [*nodes, *others])
            ending = [node for node in nodes if hasattr(node, "ended")]
            over = (lambda: any(node.ended for node in ending)) if ending else None
            reason = spin(nodes, until=over, stop=stop, look_every=SLICE)
            reason = "over" if reason == "condition" else reason
            print(f"{script}: stopped ({reason})", file=sys.stderr)
        except ParameterError as error:
            return failed(script, str(error), 2)
        except ImpactError as error:
            return failed(script, str(error), 1)
        except Exception as error:  # of one node; the others still publish
            return failed(script, f"failed: {type(error).__name__}: {error}", 1)
        finally:
            _close(nodes, others, ending_others.close)
    return 0


def _warn_of_files(args: list[str], nodes: list[Any]) -> None:
    """Log sections of parameter files that seem meant for these nodes, but are of none."""
    names = [node.get_fully_qualified_name() for node in nodes]
    for line in unmatched_sections(args, names):
        nodes[0].get_logger().warning(line)


def share_one_heap() -> bool:
    """Let all threads allocate from one heap; return whether that worked: only with glibc.

    With one heap per thread the memory of a node grows with its goals and requests: memory
    freed by one thread is not reused by another.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and mallopt(_ARENA_MAX, 1) == 1


def _close(nodes: list[Any], others: list[Any], end_others: Callable[[], None]) -> None:
    """End all nodes; first those with a last command, even if others failed."""
    for node in nodes:
        if hasattr(node, "trigger_shutdown"):
            with contextlib.suppress(Exception):  # already finalized
                node.trigger_shutdown()
    end_others()
    with one_core():
        for node in (*nodes, *others):
            with contextlib.suppress(Exception):  # one that failed must not keep the rest
                node.destroy_node()
        with contextlib.suppress(Exception):  # it destroys what is left
            rclpy.try_shutdown()


def _show(script: str, text: str) -> int:
    """Print a text, silently if the reader is gone, and return the status."""

    def show() -> int:
        print(text)
        return 0

    try:
        fill_closed_streams()
        return with_output(show)
    except ImpactError as error:
        return failed(script, str(error), 1)


def _help(script: str, node_classes: Sequence[Callable[[], Any]]) -> str:
    parts = [f"usage: {script} [--ros-args -p NAME:=VALUE ... -r FROM:=TO ...]"]
    for node_class in node_classes:
        parts.append(inspect.getdoc(node_class) or "")
        if parameters := getattr(node_class, "PARAMETERS", None):
            parts.append(describe(parameters))
    return "\n\n".join(parts)
