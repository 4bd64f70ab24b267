#include "lbsp/dataflow/planning/prediction.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::dataflow::planning {
namespace {

/// Levels in which a worker runs nothing, until it is tried.
constexpr int patience = 4;
/// From one trial that fails to the next.
constexpr Ticks times_of_trial = 16;
constexpr Ticks part_after_good_one = 4;

/// A share of a time in thousandths, without overflow.
Ticks share(Ticks of, int permille) {
  return of / 1000 * permille + of % 1000 * permille / 1000;
}

/// Of those that there are, without overflow; but not of the one at `without`.
Ticks mean_of(const std::vector<std::optional<Ticks>>& values, std::size_t without = SIZE_MAX) {
  const bool leaves_out = without < values.size() && values[without].has_value();
  const auto known = std::ranges::count_if(values, [](const auto& each) { return each.has_value(); });
  const Ticks count = std::max<Ticks>(known - (leaves_out ? 1 : 0), 1);
  Ticks whole = 0;
  Ticks rest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == without) continue;
    whole += values[i].value_or(0) / count;
    rest += values[i].value_or(0) % count;
  }
  return whole + rest / count;
}

}  // namespace

Predictor::Predictor(std::size_t kernels, Worker workers, const PredictionOptions& options)
    : options_(options),
      kernels_(2 * kernels, Known{std::vector<std::optional<Ticks>>(static_cast<std::size_t>(workers)),
                                  std::vector<Trials>(static_cast<std::size_t>(workers)),
                                  {}}) {}

void Predictor::learn(KernelId kernel, Worker worker, Ticks time, std::uint64_t bytes) {
  Known& known = kernels_[place_of(kernel, bytes)];
  auto& own = known.per_million[static_cast<std::size_t>(worker)];
  const Ticks newest = per_million(time, bytes);
  own = own ? *own + share(newest - *own, options_.newest_permille) : newest;
  known.mean = mean_of(known.per_million);

  Trials& trials = known.trials[static_cast<std::size_t>(worker)];
  const bool on_trial = std::exchange(trials.on_trial, false);
  if (newest <= mean_of(known.per_million, static_cast<std::size_t>(worker))) {
    trials.between /= part_after_good_one;
  } else if (on_trial) {
    const Ticks next = times_of_trial * std::min(time, longest_ticks / times_of_trial);
    trials.between = std::min(std::max(2 * trials.between, next), longest_ticks);
  }
}

void Predictor::give(KernelId kernel, Worker worker, std::uint64_t bytes) {
  Trials& trials = kernels_[place_of(kernel, bytes)].trials[static_cast<std::size_t>(worker)];
  trials.on_trial |= is_due(trials);
  trials.passed_over = 0;
  trials.waited = 0;
  trials.runs = true;
}

bool Predictor::is_due(const Trials& trials) {
  return trials.passed_over > patience && trials.waited >= trials.between;
}

void Predictor::end_level(Ticks length) {
  for (Known& known : kernels_)
    if (std::ranges::any_of(known.trials, &Trials::runs)) end_level(known, length);
}

void Predictor::end_level(Known& known, Ticks length) {
  for (std::size_t worker = 0; worker < known.trials.size(); ++worker) {
    Trials& trials = known.trials[worker];
    auto& own = known.per_million[worker];
    if (std::exchange(trials.runs, false) || !own) continue;
    ++trials.passed_over;
    trials.waited = std::min(trials.waited + length, longest_ticks);
    if (is_due(trials)) *own /= 2;
  }
  known.mean = mean_of(known.per_million);
}

std::vector<Ticks> Predictor::row(Worker worker) const {
  std::vector<Ticks> row;
  for (const Known& known : kernels_)
    row.push_back(known.per_million[static_cast<std::size_t>(worker)].value_or(-1));
  return row;
}

void Predictor::learn_row(Worker worker, const std::vector<Ticks>& row) {
  if (row.size() != kernels_.size())
    throw Error("a rank tells of kernels that this graph does not have: run the same program on all ranks");
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] < 0) continue;
    kernels_[i].per_million[static_cast<std::size_t>(worker)] = row[i];
    kernels_[i].mean = mean_of(kernels_[i].per_million);
  }
}

Ticks Predictor::predict(KernelId kernel, Worker worker, std::uint64_t bytes) const {
  const Known& known = kernels_[place_of(kernel, bytes)];
  if (!known.mean) return options_.guess;
  return scaled(known.per_million[static_cast<std::size_t>(worker)].value_or(*known.mean),
                std::max<std::uint64_t>(bytes, 1));
}

}  // namespace lbsp::dataflow::planning
