// Copyright 2026 The impact_control developers
// SPDX-License-Identifier: Apache-2.0
// Gazebo's physics plugin with an exported world and arm, for gazebo_plugin.py: loaded as Gazebo
// loads them, stepped from outside.
#include <chrono>
#include <string>
#include <vector>

#include <ignition/physics/ForwardStep.hh>
#include <ignition/physics/GetContacts.hh>
#include <ignition/physics/GetEntities.hh>
#include <ignition/physics/Joint.hh>
#include <ignition/physics/RequestEngine.hh>
#include <ignition/physics/Shape.hh>
#include <ignition/physics/sdf/ConstructModel.hh>
#include <ignition/physics/sdf/ConstructWorld.hh>
#include <ignition/plugin/Loader.hh>
#include <sdf/Joint.hh>
#include <sdf/JointAxis.hh>
#include <sdf/Model.hh>
#include <sdf/Root.hh>
#include <sdf/World.hh>

namespace physics = ignition::physics;
using Clock = std::chrono::steady_clock;
using Features = physics::FeatureList<
    physics::sdf::ConstructSdfWorld, physics::sdf::ConstructSdfModel, physics::ForwardStep,
    physics::GetEntities, physics::GetContactsFromLastStepFeature,
    physics::GetBasicJointState, physics::SetBasicJointState,
    physics::GetJointTransmittedWrench>;
using World = physics::World3dPtr<Features>;

struct Simulation {
  ignition::plugin::Loader loader;
  World world;
  std::vector<physics::Joint3dPtr<Features>> joints;
  std::vector<ignition::math::Vector3d> axes;  // of the joints, in their own frames
};

extern "C" {
// names: of the arm's joints, ended by a null. Returns null for files that cannot be loaded.
Simulation *load(const char *plugin, const char *world, const char *robot, const char **names) {
  auto *made = new Simulation;
  made->loader.LoadLib(plugin);
  auto engine = physics::RequestEngine3d<Features>::From(
      made->loader.Instantiate("ignition::physics::dartsim::Plugin"));
  sdf::Root scene, arm;
  if (!engine || !scene.Load(world).empty() || !arm.Load(robot).empty()) return nullptr;
  made->world = engine->ConstructWorld(*scene.WorldByIndex(0));
  auto model = made->world->ConstructModel(*arm.Model());
  for (; model && *names; ++names) {
    made->joints.push_back(model->GetJoint(*names));
    if (!made->joints.back()) return nullptr;
    made->axes.push_back(arm.Model()->JointByName(*names)->Axis()->Xyz());
  }
  return model ? made : nullptr;
}

void place(Simulation *made, const double *q, const double *dq) {
  for (auto &joint : made->joints) {
    joint->SetPosition(0, *q++);
    joint->SetVelocity(0, *dq++);
  }
}

// torque: what a joint passes on along its axis, as gz_ros2_control reads it.
void read(Simulation *made, double *q, double *dq, double *torque) {
  for (std::size_t i = 0; i < made->joints.size(); ++i) {
    q[i] = made->joints[i]->GetPosition(0);
    dq[i] = made->joints[i]->GetVelocity(0);
    const Eigen::Vector3d passed = made->joints[i]->GetTransmittedWrench().torque;
    torque[i] = made->axes[i].Dot({passed.x(), passed.y(), passed.z()});
  }
}

// force: of all contacts on the model called `struck` during the step, base axes [N].
void step(Simulation *made, const double *efforts, double duration, const char *struck,
          double *force) {
  for (auto &joint : made->joints) joint->SetForce(0, *efforts++);
  physics::ForwardStep::Output output;
  physics::ForwardStep::State state;
  physics::ForwardStep::Input input;
  input.Get<Clock::duration>() =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(duration));
  made->world->Step(output, state, input);
  force[0] = force[1] = force[2] = 0.0;
  for (auto &contact : made->world->GetContactsFromLastStep()) {
    const auto &point = contact.Get<std::decay_t<decltype(*made->world)>::ContactPoint>();
    const auto *extra = contact.Query<std::decay_t<decltype(*made->world)>::ExtraContactData>();
    const bool first = point.collision1->GetLink()->GetModel()->GetName() == struck;
    for (int i = 0; extra && i < 3; ++i) force[i] += (first ? 1.0 : -1.0) * extra->force[i];
  }
}
}
