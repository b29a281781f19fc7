# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`evaluate` for tests that need the same evaluation in several forms: it is run once."""

import pickle
from dataclasses import replace

from impact_analysis.planar.evaluate_run import evaluate

_KNOWN = {}  # of all tests in this process, by everything that the figures depend on


class EvaluatedOnce:
    """Stands for :func:`evaluate` with few fits per bootstrap; remembers what it answered.

    The figures follow from the impacts; the files' names and signs are those of who asks.
    """

    def __init__(self, samples):
        self._samples = samples

    def __call__(self, dataset, seed=0, *, inertia=None, test=None):
        impacts = [None if data is None else data.impacts for data in (dataset, test)]
        question = pickle.dumps((impacts, seed, inertia, self._samples))
        if question not in _KNOWN:
            _KNOWN[question] = evaluate(dataset, seed, self._samples, inertia=inertia, test=test)
        return replace(_KNOWN[question], dataset=dataset, test=test)
