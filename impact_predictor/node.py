# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Node impact_predictor: services for predictions of impacts and sets of impulses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.optimize  # noqa: F401  here, not in the first question: it loads slowly
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

from impact_msgs.msg import ImpactPrediction
from impact_msgs.msg import Polytope as PolytopeMessage
from impact_msgs.srv import ComputeFeasibleSets, PredictImpact
from impact_predictor.compiled import coulomb, mobility, velocity_bounds  # noqa: F401  as above
from impact_predictor.parameters import PredictorParameters
from impact_predictor.prediction.impact_question import (
    answer,
    impulse_sets,
    joint_loads,
)
from impact_predictor.prediction.near_contact import Forecast
from impact_predictor.prediction.object_question import object_answers
from impact_predictor.prediction.robot_contacts import impulsive_torque
from impact_predictor.ros.error_codes import RequestError, code_name
from impact_predictor.ros.marker_shapes import Scales
from impact_predictor.ros.markers import STAY, marker_array
from impact_predictor.ros.messages import (
    add_load,
    polytope_message,
    prediction_message,
    write_prediction,
)
from impact_predictor.ros.object_messages import object_message
from impact_predictor.ros.object_reader import ObjectReader
from impact_predictor.ros.request_limits import impossible, short
from impact_predictor.ros.request_reader import RequestReader
from impact_predictor.sets.polytope import Polytope
from impact_predictor.sets.robot_sets import robot_sets
from impact_robots import ImpactError
from impact_ros import qos
from impact_ros.exceptions import MessageError
from impact_ros.messages import JointReader, to_nanoseconds
from impact_ros.node.checked_callback import checked_callback
from impact_ros.node.main import main_for
from impact_ros.node.on_demand import OnDemandNode
from impact_ros.node.throttled_log import ThrottledLog
from impact_ros.parameters import declare

_LOG_PERIOD = 5.0  # one line per kind of trouble and this time [s]
_STREAM_LIFETIME = 1_000_000_000  # after which RViz forgets the stream's markers [ns]


class PredictorNode(OnDemandNode):
    """Answers `~/predict_impact` and `~/compute_feasible_sets`, and predicts near a surface.

    Subscribes to `joint_states`, whose last message stands in for an empty state in a request.
    With the parameter `stream` it publishes `~/prediction`, `~/polytope` and `~/markers` while the
    contact point is near the surface and approaches; markers of each prediction asked for come
    too. Sets in contact axes have the contact frame's name with `_surface` as frame, sets of joint
    quantities none.
    """

    PARAMETERS = PredictorParameters

    def __init__(self, **options: Any) -> None:
        """Start the node.

        Args:
            **options: of rclpy's Node, such as context, namespace or parameter_overrides.

        Raises:
            ImpactError: a parameter does not fit, or the robot cannot be loaded.
        """
        super().__init__("impact_predictor", **options)
        self._settings = declare(self, PredictorParameters)
        self._robot = self._settings.load_robot()
        self._near = self._settings.near_contact(self._robot)
        self._reader = RequestReader(self._robot)
        self._object_reader = ObjectReader(self._robot)
        self._stream_reader = JointReader(self._robot.joint_names)
        self._last_state: JointState | None = None
        self._newest_bytes: Callable[[], bytes | None] = lambda: None  # newer than that
        self._messages: list[ImpactPrediction] = []  # of the last answer without loads
        self._last_header = Header(frame_id=self._robot.base_frame)
        self._log = ThrottledLog(self.get_logger(), _LOG_PERIOD)
        self._advertise()
        if self._near is None:
            self._newest_bytes = self.subscribe_on_demand(JointState, "joint_states")
        else:  # a deep queue: no state of a fast playback is lost
            topic, profile = "joint_states", qos.RECORD_BEST_EFFORT
            on_state = checked_callback(self, topic, self._on_state)
            self.create_subscription(JointState, topic, on_state, profile)

    def _advertise(self) -> None:
        self._predictions = self.create_publisher(ImpactPrediction, "~/prediction", qos.STREAM)
        self._polytopes = self.create_publisher(PolytopeMessage, "~/polytope", qos.STREAM)
        self._markers = self.create_publisher(MarkerArray, "~/markers", qos.STREAM)
        self.create_service(PredictImpact, "~/predict_impact", self._on_predict)
        self.create_service(ComputeFeasibleSets, "~/compute_feasible_sets", self._on_sets)

    # --- services -----------------------------------------------------------------------------

    def _on_predict(self, request: Any, response: Any) -> Any:
        return self._answer(self._predict, request, response)

    def _on_sets(self, request: Any, response: Any) -> Any:
        return self._answer(self._sets, request, response)

    def _answer(self, work: Callable[[Any, Any], None], request: Any, response: Any) -> Any:
        """Return the response; whatever goes wrong becomes a code and a sentence."""
        try:
            work(request, response)
        except ImpactError as error:
            response.code, response.message = getattr(response, code_name(error)), short(str(error))
        except Exception as error:  # the caller waits for an answer, and others for the node
            response.code = response.CODE_INTERNAL_ERROR
            response.message = short(f"internal error: {error}")
            self.get_logger().error(f"{type(error).__name__}: {response.message}")
        else:
            response.code, response.success = response.CODE_OK, True
        return response

    def _predict(self, request: Any, response: Any) -> None:
        if request.arms:
            self._predict_object(request, response)
            return
        question, message = self._reader.prediction(request, self._newest_state())
        header = self._header(message)
        models = request.models or tuple(self._robot.motor_inertias)
        answers = {model: answer(question, self._robot, model) for model in models}
        loads = joint_loads(question, self._robot)
        for model in models:
            predictions, interval = answers[model]
            if loads is None:
                messages = self._sent(len(response.predictions), len(predictions))
            else:
                messages = [ImpactPrediction() for _ in predictions]
                torque = impulsive_torque(question.contacts, predictions)
            for prediction, message in zip(predictions, messages, strict=True):
                write_prediction(message, prediction, interval, header)
                if loads is not None:
                    add_load(message, loads, torque)
            response.predictions += messages
        if self._drawn:
            shown = answers.get(self._settings.model, answers[models[0]])
            impulses = impulse_sets(question, self._robot)
            self._draw(Forecast(shown, impulses), header, STAY)

    def _sent(self, first: int, count: int) -> list[ImpactPrediction]:
        """Return messages of the last answer without loads, to be written to again.

        To make one takes longer than to write to it. rclpy's executors send an answer before they
        call a node's next callback (but for callback groups that are reentrant; here is none).
        """
        while len(self._messages) < first + count:
            self._messages.append(ImpactPrediction())
        return self._messages[first : first + count]

    def _predict_object(self, request: Any, response: Any) -> None:
        question = self._object_reader.question(request)
        models = request.models or tuple(self._robot.motor_inertias)
        header = Header(stamp=request.arms[0].state.header.stamp)
        response.object_predictions = [
            object_message(each, self._robot.joint_names, header)
            for each in object_answers(question, self._robot, models)
        ]

    def _sets(self, request: Any, response: Any) -> None:
        state, surface, message = self._reader.impact(request, self._newest_state())
        polytopes = robot_sets(
            state,
            surface,
            self._reader.robot,
            generators=request.generators,
            circumscribed=request.circumscribed,
            peak_factor=request.peak_factor,
            duration=request.impact_duration,
            inverse_inertia=request.inverse_inertia or "crb",
            names=request.sets,
        )
        response.polytopes = [
            self._polytope_message(each, message, state.frame) for each in polytopes
        ]

    # --- stream -------------------------------------------------------------------------------

    def _newest_state(self) -> JointState | None:
        """Return the newest state, or None."""
        if (newest := self._newest_bytes()) is not None:
            try:
                self._last_state = deserialize_message(newest, JointState)
            except Exception as error:  # rclpy's is a bare RuntimeError
                raise RequestError("CODE_BAD_STATE", f"state: cannot be read: {error}") from None
        return self._last_state

    def _on_state(self, message: JointState) -> None:
        """Keep a state, and predict from the first usable one of each period."""
        self._last_state = message
        time = to_nanoseconds(message.header.stamp)
        if not self._near.due(time):
            return
        q, dq, _ = self._stream_reader.read(message)
        if bad := impossible(self._robot.joint_names, position=q, velocity=dq):
            raise MessageError(f"missing or not finite: {', '.join(bad[:3])}")
        try:
            forecast = self._near.look(time, q, dq)
        except Exception as error:  # the controller may run in this process
            self._log.warning(f"no prediction: {error}", "prediction")
            return
        if forecast is not None:
            self._publish(forecast, message)

    def _publish(self, forecast: Forecast, state: JointState) -> None:
        header = self._header(state)
        for prediction in forecast.answer.predictions:
            interval = forecast.answer.interval
            self._predictions.publish(prediction_message(prediction, interval, header))
        for impulses in forecast.impulses:
            if impulses is None:
                self._log.warning("no polytope: friction leaves it unbounded", "set")
            else:
                frame = self._robot.contact_frame
                self._polytopes.publish(self._polytope_message(impulses, state, frame))
        if self._drawn:
            self._draw(forecast, header, _STREAM_LIFETIME)

    # --- messages -----------------------------------------------------------------------------

    @property
    def _drawn(self) -> bool:
        """Whether anybody looks at the markers; making them takes longer than predicting."""
        return self._markers.get_subscription_count() > 0

    def _draw(self, forecast: Forecast, header: Header, lifetime: int) -> None:
        """Publish the markers of an impact; failures do not affect the response."""
        scales = Scales(self._settings.marker_impulse_scale, self._settings.marker_velocity_scale)
        predictions, impulses = forecast.answer.predictions, forecast.impulses
        try:
            markers = marker_array(predictions, impulses, scales, header, lifetime)
        except Exception as error:
            self._log.warning(f"no markers: {error}", "markers")
        else:
            self._markers.publish(markers)

    def _header(self, state: JointState) -> Header:
        """Return the header for messages about a state, valid until the next call."""
        self._last_header.stamp = state.header.stamp
        return self._last_header

    def _polytope_message(
        self, polytope: Polytope, state: JointState, contact: str
    ) -> PolytopeMessage:
        """Return a set as a message, with the tf name of its axes; empty for joint quantities."""
        frames = {"contact": f"{contact}_surface", "base": self._robot.base_frame}
        header = Header(stamp=state.header.stamp, frame_id=frames.get(polytope.frame, ""))
        return polytope_message(polytope, header)


main = main_for(PredictorNode, name="impact_predictor")
