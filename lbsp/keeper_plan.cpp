// How often a Keeper keeps states, and what it notes of what that costs.
#include <algorithm>

#include "lbsp/carried.hpp"
#include "lbsp/keeper.hpp"

namespace lbsp {

void Keeper::keep_every(std::optional<std::uint64_t> steps, bool plan_elsewhere) {
  plans_every_ = !steps;
  // A disk has all states that it is to have, and other hosts none.
  plans_elsewhere_ = plan_elsewhere && world_.carried_.survival().outlives_ranks;
  if (plans_every_ || plans_elsewhere_) plans_.emplace(world_);
  if (steps) plan_.every = *steps;
  world_.carried_.saving_meter().break_off();
  note_saving();
}

void Keeper::step_begins() {
  checkpoint::SavingMeter& meter = world_.carried_.saving_meter();
  const double now = world_.carried_.seconds();
  const std::uint64_t before = meter.closed();
  if (step_began_) meter.step_over(now - *step_began_, store_.due(), world_.superstep() - step_began_after_);
  step_began_ = now;
  step_began_after_ = world_.superstep();
  if (meter.closed() > before || meter.compares_bytes()) note_saving();
}

void Keeper::note_saving() const {
  const checkpoint::SavingMeter& meter = world_.carried_.saving_meter();
  if (meter.states() + meter.states_here() == 0) return;
  const checkpoint::SavingMeasure measure = expected_measure();
  const auto note = [&](const char* name, double value) { world_.note("states", name, value); };
  note("kept", static_cast<double>(meter.states() + meter.states_here()));
  note("interval", static_cast<double>(std::max(plan_.every, measure.steps_each)));
  note("seconds_each", plans_elsewhere_ ? measure.here : measure.cost);
  note("step_seconds", measure.step);
  if (plans_elsewhere_) {
    note("elsewhere", static_cast<double>(meter.states()));
    note("elsewhere_seconds_each", measure.cost);
    if (plan_.elsewhere != not_told) note("elsewhere_interval", static_cast<double>(plan_.elsewhere));
  }
  if (const auto part = forecast(measure)) note("forecast_part", *part);
}

std::optional<double> Keeper::forecast(const checkpoint::SavingMeasure& measure) const {
  const double between = world_.carried_.between_failures(world_.size());
  const std::uint64_t every = std::max(plan_.every, measure.steps_each);
  if (!plans_elsewhere_) return checkpoint::forecast_part(every, measure, between);
  if (plan_.elsewhere == not_told) return std::nullopt;
  const auto here = checkpoint::forecast_part(every, {measure.step, measure.here}, between);
  const auto elsewhere = checkpoint::forecast_part(plan_.elsewhere, measure, between);
  return here && elsewhere ? std::optional(*here + *elsewhere) : std::nullopt;
}

/// Before a state has been sent, what its bytes will take.
checkpoint::SavingMeasure Keeper::expected_measure() const {
  checkpoint::SavingMeasure measure = world_.carried_.saving_meter().measure();
  if (measure.cost > 0) return measure;
  measure.cost = expected_sending();
  return measure;
}

double Keeper::expected_sending() const {
  const transport::NetworkMeasure network = world_.network();
  const double rate = network.rate.value > 0 ? network.rate.value : network.bandwidth.value;
  return checkpoint::expected_cost(own_bytes_ * store_.sent_part(), rate);
}

void Keeper::tell_plan() const {
  if (world_.rank() != 0) return;
  const Plan next = next_plan();
  for (Rank to = 0; to < world_.size(); ++to)
    plans_->send(to, 0, next);
}

/// From what all were told last, so that a plan which a loss has kept from them does not count.
Keeper::Plan Keeper::next_plan() const {
  const Carried& carried = world_.carried_;
  const checkpoint::SavingMeasure measure = expected_measure();
  const double between = carried.between_failures(world_.size());
  Plan next = plan_;
  if (plans_elsewhere_) next.elsewhere = checkpoint::best_interval(measure, between).value_or(not_told);
  if (!plans_every_) return next;
  const double cost = plans_elsewhere_ ? measure.here : measure.cost;
  const bool known = !plans_elsewhere_ || cost > 0;
  next.every = known ? checkpoint::next_interval(carried.interval(), {measure.step, cost}, between)
                     : carried.interval();
  return next;
}

}  // namespace lbsp
