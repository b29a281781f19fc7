# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings of two arms and a box, and changed copies of them: topics lost, cut, thinned out."""

from functools import partial

from impact_bags import BagReader, BagWriter, impact_typestore
from impact_trials.in_process.spreading_trial import spread
from impact_trials.recording.cell_bag import CellBag

KEEP = object()


def recorded(scenario, seed, path, start):
    """Run a scenario and record it from a time on [s]; return the run."""
    types = impact_typestore()
    with CellBag(path, scenario.cell, types) as bag:

        def record(cycles, box, event):
            if cycles[0].measurement.time >= start:
                bag.add(cycles, box, event)

        return spread(scenario, seed, record=record)


def changed(bag, path, change=lambda topic, time, message: KEEP, names=lambda topic: (topic,)):
    """Copy a bag.

    Args:
        bag: to copy.
        path: of the copy.
        change: returns KEEP, a changed message, or None to leave it out; it gets topic, recorded
            time [s] and a message, which is a function that returns it.
        names: returns the names that a topic has in the copy.
    """
    types = impact_typestore()
    with BagReader(bag) as source, BagWriter(path, types) as copy:
        kinds = {topic: info.type_name for topic, info in source.topics.items()}
        for topic, time, data in source.raw():
            kind = kinds[topic]
            message = partial(types.deserialize_cdr, data, kind)
            found = change(topic, time * 1e-9, message)
            for name in () if found is None else names(topic):
                if found is KEEP:
                    copy.write_raw(name, kind, data, time)
                else:
                    copy.write(name, kind, found, time)
    return path
