# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From a message to a detection status: the same code in the node and offline."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from impact_detector.attribution.assessment import Assessment
from impact_detector.attribution.expectation import Announcement
from impact_detector.detectors.detector import StateDetector
from impact_detector.detectors.detector_kind import too_slow
from impact_detector.detectors.force_threshold import ForceThresholdDetector
from impact_detector.estimators.streaming import Estimate, ImpactEstimator
from impact_detector.exceptions import DetectorError
from impact_detector.signals.model_torque import ModelTorque
from impact_detector.signals.reference_torque import ReferencePairing
from impact_detector.signals.sample import (
    Detection,
    DetectionStatus,
    ForceSample,
    JointSample,
    Suppressed,
)
from impact_detector.signals.sample_rate import SampleRate
from impact_detector.signals.torque_watch import TorqueWatch

Pairing = ReferencePairing[tuple[np.ndarray | None, np.ndarray | None]]  # torque and velocity
_new = tuple.__new__  # half the time of the constructor
_REPEATS_WAITED = 2  # a simulation repeats an unanswered state once per second


class Outcome(NamedTuple):
    """Results of one input."""

    statuses: tuple[DetectionStatus, ...] = ()  # of the first detector, one per state
    detections: tuple[Detection, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    others: tuple[DetectionStatus, ...] = ()  # of the other detectors on the same states
    suppressed: tuple[Suppressed, ...] = ()  # above a threshold, but no detection


NOTHING = Outcome()


class DetectorSession:
    """Pairs states with references, runs the detectors in order and starts impact estimates.

    Each state gets exactly one detection status; a repeated state gets the same status again.
    With ``lockstep``, a state waits for the reference that answers the previous state, so that
    the result does not depend on the order of the two messages. Waiting ends without a reference
    when a newer state arrives, or the same state for the third time. The first state, and the
    first one after a jump back in time, has no reference. Without a detector that uses references
    no state waits. Every detector reports its detections; detections of the first detector start
    estimates, those of the others only while the first has no statistic.
    """

    def __init__(
        self,
        *detectors: StateDetector,
        pairing: Pairing | None = None,
        model: ModelTorque | None = None,
        gravity: Callable[[np.ndarray], np.ndarray] | None = None,
        lockstep: bool = False,
        approaches: Callable[[JointSample], bool] | None = None,
        force_detector: ForceThresholdDetector | None = None,
        estimator: ImpactEstimator | None = None,
        torque_watch: TorqueWatch | None = None,
    ) -> None:
        """Set up.

        Args:
            *detectors: of joint states, at least one; the first gives the detection statuses.
            pairing: finds references that were added; not used with ``model``.
            model: gives the reference instead, from measured motion.
            gravity: torque at positions q that is added to every reference found, for drivers
                whose desired torque excludes it.
            lockstep: wait for references as above.
            approaches: whether the contact point approaches in a state, for the detectors' gate;
                None: always.
            force_detector: None for none.
            estimator: None for none.
            torque_watch: identifies placeholder torques, which are then left out; None: all
                torques are used.
        """
        if not detectors:
            raise DetectorError("detectors: expected at least one, got none")
        self._detectors, self._force_detector = detectors, force_detector
        self._approaches = approaches
        self._pairing: Pairing = pairing or ReferencePairing()
        self._model, self._gravity = model, gravity
        self._compares = any(
            detector.needs_reference or detector.needs_reference_velocity for detector in detectors
        )
        self._waits = lockstep and model is None and self._compares
        self._estimator = estimator
        self._torque_watch, self._unmeasured = torque_watch, ""
        self._rate = SampleRate()
        self._newest: int | None = None
        self._pending: JointSample | None = None
        self._awaited: int | None = None
        self._repeats = 0
        self._last: DetectionStatus | None = None

    @property
    def needs_references(self) -> bool:
        """Whether added references are used."""
        return self._compares and self._model is None

    @property
    def needs_forces(self) -> bool:
        """Whether added samples of force sensors are used."""
        return self._estimator is not None or self._force_detector is not None

    @property
    def threshold(self) -> float:
        """Of the first detector [its unit]."""
        return self._detectors[0].threshold

    def set_threshold(self, detector: str, value: float) -> None:
        """Change the threshold of a detector on joint states, if there is one of that name.

        Raises:
            DetectorError: not a number above 0.
        """
        for each in self._detectors:
            if each.name == detector:
                each.threshold = value

    @property
    def dropped(self) -> int:
        """Samples with NaN that the detectors dropped."""
        force = self._force_detector.dropped if self._force_detector else 0
        return max(detector.dropped for detector in self._detectors) + force

    @property
    def unready(self) -> str:
        """Usual causes of a first detector that is not ready, as text."""
        first = self._detectors[0]
        needs = {
            "no torques": first.needs_torque,
            "no reference": first.needs_reference,
            "no desired velocity": first.needs_reference_velocity,
        }
        missing = [cause for cause, needed in needs.items() if needed]
        return ", ".join([*missing, "or still learning"] if missing else ["too few samples so far"])

    @property
    def troubles(self) -> dict[str, str]:
        """Why detectors cannot judge the last state, as text by cause: torque, or rate."""
        found = {"torque": self._unmeasured} if self._unmeasured else {}
        if (period := self._rate.period) is None:
            return found
        for detector in self._detectors:
            if detector.largest_gap is not None and detector.largest_gap < period:
                text = too_slow(detector.name, detector.largest_gap, period)
                found[f"rate of {detector.name}"] = text
        return found

    def add_state(self, sample: JointSample) -> Outcome:
        """Add a measured state."""
        if sample.time == self._newest:
            return self._repeat()
        backward = self._newest is not None and sample.time < self._newest
        if backward:
            self._pairing.restart(sample.time)
            self._pending = None
        self._rate.add(sample.time)
        outcome = NOTHING if self._pending is None else self._answer_pending()
        self._awaited = None if backward else self._newest
        self._newest, self._pending, self._repeats = sample.time, sample, 0
        if self._waits and self._awaited is not None and not self._pairing.has(self._awaited):
            return outcome
        answer = self._answer_pending()
        return answer if outcome is NOTHING else _joined(outcome, answer)

    def add_reference(
        self, time: int, torque: np.ndarray | None, velocity: np.ndarray | None = None
    ) -> Outcome:
        """Add a reference; None for a field that is unusable.

        Args:
            time: of the state that it answers [ns].
            torque: without an impact, shape (n,) [N.m].
            velocity: desired, shape (n,) [rad/s].
        """
        self._pairing.add(time, (torque, velocity))
        if self._pending is not None and time == self._awaited:
            return self._answer_pending()
        return NOTHING

    def add_force(self, sample: ForceSample, source: str = "wrench") -> Outcome:
        """Add samples of one of several force sensors."""
        detections: tuple[Detection, ...] = ()
        suppressed: tuple[Suppressed, ...] = ()
        if self._force_detector is not None:
            status = self._force_detector.update(sample)
            detections = () if status.detection is None else (status.detection,)
            suppressed = () if status.suppressed is None else (status.suppressed,)
        if self._estimator is None:
            return Outcome(detections=detections, suppressed=suppressed)
        if detections and not (self._last and self._last.ready):
            self._estimator.start(detections[0])
        estimate = self._estimator.update_force(sample, source)
        return Outcome((), detections, _as_tuple(estimate), suppressed=suppressed)

    def announce(self, announcement: Announcement) -> None:
        """Take a controller's announcement of impacts to come.

        Raises:
            DetectorError: its contact point is none of the robot's.
        """
        if self._estimator is not None:
            self._estimator.announce(announcement)

    def assess(self, detection: Detection) -> Assessment:
        """Return the link that a detection of the last outcome was on, and whether it was expected.

        This takes some milliseconds: do more urgent work first.
        """
        return Assessment() if self._estimator is None else self._estimator.assess(detection)

    def _repeat(self) -> Outcome:
        """Process a repeated state."""
        if self._pending is None and self._last is not None:
            return Outcome((self._last._replace(detection=None, suppressed=None),))
        self._repeats += 1
        return self._answer_pending() if self._repeats >= _REPEATS_WAITED else NOTHING

    def _answer_pending(self) -> Outcome:
        """Process the waiting state, if any."""
        if self._pending is None:
            return NOTHING
        sample, self._pending = self._measured(self._pending), None
        sample = self._compared(sample)
        statuses = [detector.update(sample) for detector in self._detectors]
        self._last = first = statuses[0]
        found = tuple([each.detection for each in statuses if each.detection is not None])
        hushed = tuple([each.suppressed for each in statuses if each.suppressed is not None])
        if self._estimator is None:
            return _new(Outcome, ((first,), found, (), tuple(statuses[1:]), hushed))
        for detection in found[:1]:
            if first.detection is not None or not first.ready:
                self._estimator.start(detection)
        estimate = self._estimator.update(sample)
        return Outcome((first,), found, _as_tuple(estimate), tuple(statuses[1:]), hushed)

    def _compared(self, sample: JointSample) -> JointSample:
        """Return a sample with its references."""
        if self._compares:
            time, q, dq, tau, *_, approaching = sample
            found = None if self._unanswered else self._pairing.find(time)
            torque, velocity = found or (None, None)
            torque = self._torque(sample, torque)
            sample = _new(JointSample, (time, q, dq, tau, torque, velocity, approaching))
        if self._approaches is None:
            return sample
        return sample._replace(approaching=self._approaches(sample))

    def _measured(self, sample: JointSample) -> JointSample:
        """Return a sample without its torque if that was not measured."""
        if self._torque_watch is None:
            return sample
        self._unmeasured = self._torque_watch.reason(sample)
        return sample._replace(tau=None) if self._unmeasured else sample

    def _torque(self, sample: JointSample, torque: np.ndarray | None) -> np.ndarray | None:
        """Return the reference torque of a state, by the one that was found, shape (n,) [N.m]."""
        if self._model is not None:
            return self._model.update(sample.time, sample.q, sample.dq)
        if torque is None or self._gravity is None:
            return torque
        return torque + self._gravity(sample.q)

    @property
    def _unanswered(self) -> bool:
        """Whether waiting for the answer to the previous state has ended without one."""
        return self._waits and (self._awaited is None or not self._pairing.has(self._awaited))


def _as_tuple(estimate: Estimate | None) -> tuple[Estimate, ...]:
    return () if estimate is None else (estimate,)


def _joined(first: Outcome, second: Outcome) -> Outcome:
    return Outcome(
        first.statuses + second.statuses,
        first.detections + second.detections,
        first.estimates + second.estimates,
        first.others + second.others,
        first.suppressed + second.suppressed,
    )
