# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Benches of a lifecycle node and its driver, closed at the end of the test."""


def benches(make):
    """Yield what makes benches as ``make`` does, and end them: ``node``, ``driver`` of each."""
    made = []

    def one(*arguments, **settings):
        made.append(make(*arguments, **settings))
        return made[-1]

    yield one
    for bench in made:
        bench.node.trigger_shutdown()
        for node in (bench.node, bench.driver):
            node.destroy_node()
