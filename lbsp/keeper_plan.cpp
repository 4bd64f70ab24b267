// How often a Keeper keeps states, and what it notes of what that costs.
#include <limits>

#include "lbsp/carried.hpp"
#include "lbsp/keeper.hpp"

namespace lbsp {
namespace {

constexpr std::uint64_t not_told = std::numeric_limits<std::uint64_t>::max();

}  // namespace

void Keeper::keep_every(std::optional<std::uint64_t> steps, bool plan_elsewhere) {
  // A disk has all states that it is to have, and other hosts none.
  plan_elsewhere = plan_elsewhere && world_.carried_.survival().outlives_ranks;
  if (!steps || plan_elsewhere) intervals_.emplace(world_);
  if (steps && plan_elsewhere) every_ = steps;
  interval_ = every_ ? not_told : steps.value_or(interval_);
  world_.carried_.saving_meter().break_off();
  note_saving();
}

void Keeper::step_begins() {
  checkpoint::SavingMeter& meter = world_.carried_.saving_meter();
  const double now = world_.carried_.seconds();
  const std::uint64_t before = meter.states();
  if (step_began_) meter.step_over(now - *step_began_, store_.due());
  step_began_ = now;
  if (meter.states() > before) note_saving();
}

void Keeper::note_saving() const {
  const checkpoint::SavingMeter& meter = world_.carried_.saving_meter();
  if (meter.states() + meter.states_here() == 0) return;
  const checkpoint::SavingMeasure measure = expected_measure();
  const auto note = [&](const char* name, double value) { world_.note("states", name, value); };
  note("kept", static_cast<double>(meter.states() + meter.states_here()));
  note("interval", static_cast<double>(every_.value_or(interval_)));
  note("seconds_each", every_ ? measure.here : measure.cost);
  note("step_seconds", measure.step);
  if (every_) {
    note("elsewhere", static_cast<double>(meter.states()));
    note("elsewhere_seconds_each", measure.cost);
    if (interval_ != not_told) note("elsewhere_interval", static_cast<double>(interval_));
  }
  if (const auto part = forecast(measure)) note("forecast_part", *part);
}

std::optional<double> Keeper::forecast(const checkpoint::SavingMeasure& measure) const {
  if (interval_ == not_told) return std::nullopt;
  const double between = world_.carried_.between_failures(world_.size());
  const auto part = checkpoint::forecast_part(interval_, measure, between);
  if (!part || !every_) return part;
  return *part + measure.here / (measure.step * static_cast<double>(*every_));
}

/// Before a state has been sent, what its bytes will take.
checkpoint::SavingMeasure Keeper::expected_measure() const {
  checkpoint::SavingMeasure measure = world_.carried_.saving_meter().measure();
  if (measure.cost > 0) return measure;
  const transport::NetworkMeasure network = world_.network();
  const double rate = network.rate.value > 0 ? network.rate.value : network.bandwidth.value;
  measure.cost = checkpoint::expected_cost(own_bytes_ * store_.sent_part(), rate);
  return measure;
}

/// From what all were told last, so that a plan which a loss has kept from them does not count.
void Keeper::tell_interval() const {
  if (world_.rank() != 0) return;
  const std::uint64_t next = planned_interval();
  for (Rank to = 0; to < world_.size(); ++to)
    intervals_->send(to, 0, next);
}

std::uint64_t Keeper::planned_interval() const {
  const Carried& carried = world_.carried_;
  const checkpoint::SavingMeasure measure = expected_measure();
  const double between = carried.between_failures(world_.size());
  if (!every_) return checkpoint::next_interval(carried.interval(), measure, between);
  return checkpoint::best_interval(measure, between).value_or(not_told);
}

}  // namespace lbsp
