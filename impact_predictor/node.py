# SPDX-License-Identifier: Apache-2.0
"""Node impact_predictor: answers what an impact would do, and which impulses are possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from impact_msgs.srv import ComputeFeasibleSets, PredictImpact
from impact_predictor.answers import polytope_message, prediction_message
from impact_predictor.codes import code_name
from impact_predictor.predict import predict
from impact_predictor.requests import RequestReader
from impact_predictor.robot_sets import robot_sets
from impact_robots import ImpactError, Robot
from impact_ros import qos
from impact_ros.main import main_for
from impact_ros.parameters import declare
from impact_ros.robot_parameters import RobotParameters


@dataclass(frozen=True)
class PredictorParameters(RobotParameters):
    """What the node can be told; all fixed once it has started."""


class PredictorNode(Node):
    """Answers `~/predict_impact` and `~/compute_feasible_sets`.

    Subscribes to `joint_states`, whose last message stands in for an empty state in a request.
    Sets in contact axes have the contact frame's name with `_surface` as frame, sets of joint
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
        parameters = declare(self, PredictorParameters)
        robot = parameters.load_robot()
        self._reader = RequestReader(robot)
        self._last_state: JointState | None = None
        self.create_subscription(JointState, "joint_states", self._on_state, qos.SENSOR)
        self.create_service(PredictImpact, "~/predict_impact", self._on_predict)
        self.create_service(ComputeFeasibleSets, "~/compute_feasible_sets", self._on_sets)

    def _on_state(self, message: JointState) -> None:
        self._last_state = message

    def _on_predict(self, request: Any, response: Any) -> Any:
        return self._answer(self._predict, request, response)

    def _on_sets(self, request: Any, response: Any) -> Any:
        return self._answer(self._sets, request, response)

    def _answer(self, work: Callable[[Any, Any], None], request: Any, response: Any) -> Any:
        """Return the response; whatever goes wrong becomes a code and a sentence."""
        try:
            work(request, response)
        except ImpactError as error:
            response.code, response.message = getattr(response, code_name(error)), str(error)
        except Exception as error:  # the caller waits for an answer, and others for the node
            response.code = response.CODE_INTERNAL_ERROR
            response.message = f"internal error: {' '.join(str(error).split())}"
            self.get_logger().error(f"{type(error).__name__}: {response.message}")
        else:
            response.code, response.success = response.CODE_OK, True
        return response

    def _predict(self, request: Any, response: Any) -> None:
        robot, state, rotation, message = self._reader.read(request, self._last_state)
        header = Header(stamp=message.header.stamp, frame_id=robot.base_frame)
        predictions = [
            predict(
                state,
                robot,
                rotation,
                model=model,
                friction=request.friction,
                restitution=request.restitution,
                law=request.friction_law or "coulomb",
            )
            for model in request.models or robot.motor_inertias
        ]
        response.predictions = [prediction_message(each, header) for each in predictions]

    def _sets(self, request: Any, response: Any) -> None:
        robot, state, rotation, message = self._reader.read(request, self._last_state)
        polytopes = robot_sets(
            state,
            robot,
            rotation,
            friction=request.friction,
            restitution=(request.restitution_low, request.restitution_high),
            generators=request.generators,
            circumscribed=request.circumscribed,
            peak_factor=request.peak_factor,
            duration=request.impact_duration,
            inverse_inertia=request.inverse_inertia or "crb",
            names=request.sets,
        )
        stamp = message.header.stamp
        response.polytopes = [
            polytope_message(each, Header(stamp=stamp, frame_id=_frame_id(each.frame, robot)))
            for each in polytopes
        ]


def _frame_id(frame: str, robot: Robot) -> str:
    """Return the tf name of a polytope's frame; none for joint quantities."""
    return {"contact": f"{robot.contact_frame}_surface", "base": robot.base_frame}.get(frame, "")


main = main_for(PredictorNode, name="impact_predictor")
