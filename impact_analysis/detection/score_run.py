# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Runs detectors over recorded trials whose truth is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from impact_analysis.detection.detect_run import feed
from impact_analysis.detection.score import DetectorScore, JudgedTrial
from impact_bags.bag_recording import BagRecording, TopicChoice
from impact_bags.reading.recording import Recording
from impact_detector.estimators.streaming import Estimate
from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.session import Pairing
from impact_detector.signals.reference_torque import ReferencePairing
from impact_detector.signals.sample import TORQUE_ERROR, Detection
from impact_robots import Robot
from impact_trials.processes import cores, in_order
from impact_trials.truth.trial_table import TrialTruth

EVERYTHING = "all"  # kind of the sum over all trials


def judge_trials(
    trials: Sequence[TrialTruth],
    parameters: DetectorParameters,
    *,
    own_thresholds: bool = False,
    jobs: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, list[JudgedTrial]]:
    """Return the results of each detector on each trial, in order.

    Args:
        trials: to be run.
        parameters: of the node; ``detectors`` names those to score.
        own_thresholds: torque errors have the threshold of each trial's scenario.
        jobs: processes; None: one per core.
        progress: called with the number of finished trials and their total.

    Raises:
        RecordingError: a bag is missing or damaged.
    """
    results: dict[str, list[JudgedTrial]] = {name: [] for name in parameters.detectors}
    work = [(trial, parameters, own_thresholds) for trial in trials]
    for done, found in enumerate(in_order(_judge, work, jobs or cores(), "detect"), start=1):
        for result, name in zip(found, parameters.detectors, strict=True):
            results[name].append(result)
        progress(done, len(trials))
    return results


def scores(results: dict[str, list[JudgedTrial]]) -> list[DetectorScore]:
    """Return one score per detector and kind of trial, and one over all trials first."""
    found: dict[tuple[str, str], DetectorScore] = {}
    for detector, of_trials in results.items():
        for result in of_trials:
            for kind in (EVERYTHING, _kind(result.truth)):
                key = (detector, kind)
                found.setdefault(key, DetectorScore(detector, kind)).add(result)
    return list(found.values())


def _kind(truth: TrialTruth) -> str:
    """Return which trials are scored together."""
    return f"{truth.speed:.2f} m/s" if truth.hits else truth.scenario


def _judge(
    truth: TrialTruth, parameters: DetectorParameters, own_thresholds: bool
) -> list[JudgedTrial]:
    """Return the results of every detector on one trial."""
    if own_thresholds and np.isfinite(truth.torque_threshold):
        parameters = parameters.with_threshold(TORQUE_ERROR, truth.torque_threshold)
    robot = parameters.load_robot()
    recording = BagRecording(truth.bag, robot, TopicChoice())
    return [
        _run(truth, recording, _parameters(parameters, name, truth), robot)
        for name in parameters.detectors
    ]


def _parameters(parameters: DetectorParameters, name: str, truth: TrialTruth) -> DetectorParameters:
    """Return the parameters of one detector alone, with the surface of the trial."""
    n = truth.normal
    return replace(parameters, detectors=(name,), contact_normal=n, wrench_normal=n)


def _run(
    truth: TrialTruth, recording: Recording, parameters: DetectorParameters, robot: Robot
) -> JudgedTrial:
    """Run one detector over one recording."""
    pairing: Pairing = ReferencePairing(recording.pairing_rule, parameters.max_reference_age)
    session = session_for(parameters, robot, pairing=pairing)
    times: list[int] = []
    statistics: list[float] = []
    detections: list[Detection] = []
    estimates: list[Estimate] = []
    for _, outcome in feed(session, recording):
        detections += outcome.detections
        estimates += outcome.estimates
        for status in outcome.statuses:
            if status.ready:
                times.append(status.time)
                statistics.append(status.statistic)
    return JudgedTrial(truth, np.array(times) * 1e-9, np.array(statistics), detections, estimates)
