# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Child processes that a test wants to stop or to kill."""

import contextlib


def noted_children(monkeypatch, module):
    """Return a list that gets each process which a module starts by ``child_process``."""
    made, start = [], module.child_process

    @contextlib.contextmanager
    def noting(*arguments):
        with start(*arguments) as process:
            made.append(process)
            yield process

    monkeypatch.setattr(module, "child_process", noting)
    return made
