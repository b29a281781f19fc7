# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of the state machine into doc/topics.md.

Example:
    ./impact shell -- python doc/make_state_table.py
"""

from __future__ import annotations

from pathlib import Path

from impact_qp.control.state_machine import Event, NodeState, Transition, after

FILE = Path(__file__).with_name("topics.md")
BEGIN, END = "<!-- state machine: begin -->", "<!-- state machine: end -->"


def reachable() -> list[NodeState]:
    """Return every situation that events lead to from the start, nearest first."""
    found = [NodeState()]
    for now in found:
        for event in Event:
            then = after(now, event).situation
            if then not in found:
                found.append(then)
    return found


def table() -> str:
    """Return the table: for each event what it does, and in which situations."""
    lines = ["| event | in | then | the node does |", "|---|---|---|---|"]
    for event in Event:
        changes: dict[tuple[str, str], list[str]] = {}
        for now in reachable():
            then = after(now, event)
            if then != Transition(now):
                key = _change(now, then.situation), ", ".join(a.value for a in then.actions)
                changes.setdefault(key, []).append(_brief(now))
        for (change, actions), where in changes.items():
            places = "any situation" if len(where) == len(reachable()) else "; ".join(where)
            lines.append(f"| {event.value} | {places} | {change} | {actions or '-'} |")
    return "\n".join(lines)


def _brief(now: NodeState) -> str:
    """Return a situation in words: only what is not as usual."""
    words = [now.lifecycle.value, now.motion.value]
    if now.asked.value != "nobody":
        words.append(f"for {now.asked.value}")
    if now.fault.value != "none":
        words.append(f"fault {now.fault.value}")
    return " ".join(words)


def _change(now: NodeState, then: NodeState) -> str:
    """Return what becomes different."""
    pairs = zip(now._fields, now, then, strict=True)
    changed = [f"{name} {new.value}" for name, old, new in pairs if old is not new]
    return ", ".join(changed) or "unchanged"


def document(text: str) -> str:
    """Return the text of topics.md with the present table."""
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    return f"{head}{BEGIN}\n{table()}\n{END}{tail}"


if __name__ == "__main__":
    FILE.write_text(document(FILE.read_text()))
