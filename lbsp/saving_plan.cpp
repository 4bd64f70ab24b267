#include "lbsp/saving_plan.hpp"

#include <algorithm>

namespace lbsp {

void SavingPlan::keep_every(std::optional<std::uint64_t> steps, bool plan_elsewhere) {
  plans_every_ = !steps;
  // A disk has all states that it is to have, and other hosts none.
  plans_elsewhere_ = plan_elsewhere && carried_.survival().outlives_ranks;
  if (plans_every_ || plans_elsewhere_) plans_.emplace(world_);
  if (steps) plan_.every = *steps;
  carried_.keeping().meter.break_off();
  note_cost();
}

void SavingPlan::step_begins(bool due) {
  checkpoint::SavingMeter& meter = carried_.keeping().meter;
  const double now = carried_.seconds();
  const std::uint64_t before = meter.closed();
  if (step_began_) meter.step_over(now - *step_began_, due, world_.superstep() - step_began_after_);
  step_began_ = now;
  step_began_after_ = world_.superstep();
  if (meter.closed() > before || meter.compares_bytes()) note_cost();
}

void SavingPlan::saved(std::size_t bytes, bool elsewhere) {
  own_bytes_ = static_cast<double>(bytes);
  if (!step_began_) return;
  checkpoint::SavingMeter& meter = carried_.keeping().meter;
  const double seconds = carried_.seconds() - *step_began_;
  if (!elsewhere) {
    meter.kept_here(seconds);
    return note_cost();
  }
  meter.saved();
  meter.worked(seconds);
}

void SavingPlan::note_cost() const {
  const checkpoint::SavingMeter& meter = carried_.keeping().meter;
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

std::optional<double> SavingPlan::forecast(const checkpoint::SavingMeasure& measure) const {
  const double between = carried_.between_failures(world_.size());
  const std::uint64_t every = std::max(plan_.every, measure.steps_each);
  if (!plans_elsewhere_) return checkpoint::forecast_part(every, measure, between);
  if (plan_.elsewhere == not_told) return std::nullopt;
  const auto here = checkpoint::forecast_part(every, {measure.step, measure.here}, between);
  const auto elsewhere = checkpoint::forecast_part(plan_.elsewhere, measure, between);
  return here && elsewhere ? std::optional(*here + *elsewhere) : std::nullopt;
}

/// Before a state has been sent, what its bytes will take.
checkpoint::SavingMeasure SavingPlan::expected_measure() const {
  checkpoint::SavingMeasure measure = carried_.keeping().meter.measure();
  if (measure.cost > 0) return measure;
  measure.cost = expected_sending();
  return measure;
}

double SavingPlan::expected_sending() const {
  const transport::NetworkMeasure network = world_.network();
  const double rate = network.rate.value > 0 ? network.rate.value : network.bandwidth.value;
  return checkpoint::expected_cost(own_bytes_ * carried_.keeping().store.sent_part(), rate);
}

void SavingPlan::tell() const {
  if (!plans_ || world_.rank() != 0) return;
  const Plan plan = next();
  for (Rank to = 0; to < world_.size(); ++to)
    plans_->send(to, 0, plan);
}

void SavingPlan::hear() {
  if (!plans_) return;
  for (const auto message : *plans_) {
    plan_ = message.values()[0];
    if (plans_every_) carried_.keeping().interval = plan_.every;
  }
}

/// From what all were told last, so that a plan which a loss has kept from them does not count.
SavingPlan::Plan SavingPlan::next() const {
  const checkpoint::SavingMeasure measure = expected_measure();
  const double between = carried_.between_failures(world_.size());
  Plan plan = plan_;
  if (plans_elsewhere_) plan.elsewhere = checkpoint::best_interval(measure, between).value_or(not_told);
  if (!plans_every_) return plan;
  const double cost = plans_elsewhere_ ? measure.here : measure.cost;
  const bool known = !plans_elsewhere_ || cost > 0;
  plan.every = known ? checkpoint::next_interval(carried_.keeping().interval, {measure.step, cost}, between)
                     : carried_.keeping().interval;
  return plan;
}

}  // namespace lbsp
