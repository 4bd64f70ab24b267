#include "model/superstep/completion.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace lbsp::model::superstep {
namespace {

/// 1-e^-x is x for less, but for nothing that matters beside the model's error.
constexpr double unlikely = 1e-6;
/// So many cells are fine, and those behind them so many times as wide.
constexpr std::size_t fine_cells = 8192;
constexpr double coarse_cell = 64;

/// When 1-F is `missing`, found from the end. Half of a step lies before its line of the grid and half behind it, as
/// add() has shared it out.
class Quantile {
 public:
  explicit Quantile(double missing) : wanted_(missing) {}

  /// The next line towards the begin, and 1-F there.
  void pass(double seconds, double missing) {
    if (!found_ && missing > wanted_) {
      const double part = (wanted_ - missing_) / (missing - missing_);
      found_ = seconds_ + part * (seconds - seconds_);
    }
    seconds_ = seconds;
    missing_ = missing;
  }
  std::optional<double> seconds() const { return found_; }

 private:
  double wanted_;
  double seconds_ = 0;
  double missing_ = 0;
  std::optional<double> found_;
};

}  // namespace

double CompletionTime::line(std::size_t index) {
  if (index <= fine_cells) return static_cast<double>(index);
  return static_cast<double>(fine_cells) + coarse_cell * static_cast<double>(index - fine_cells);
}

CompletionTime::Place CompletionTime::place_of(double cells) {
  const double behind = cells - static_cast<double>(fine_cells);
  const double lines = behind <= 0 ? cells : static_cast<double>(fine_cells) + behind / coarse_cell;
  const auto before = static_cast<std::size_t>(lines);
  return {before, lines - static_cast<double>(before)};
}

void CompletionTime::add(double seconds, double rise) {
  const auto [j, part] = place_of(seconds / width_);
  if (steps_.size() < j + 2) steps_.resize(j + 2, 0.);
  steps_[j] += rise * (1 - part);
  steps_[j + 1] += rise * part;
}

template <class Visit>
void CompletionTime::visit_cells(Visit visit) const {
  double log_f = 0;    // from the end, where F is 1
  double missing = 0;  // 1-F
  const std::size_t first = place_of(origin_ / width_).line;
  for (std::size_t j = steps_.size(); j-- > first;) {
    const double from = std::max(line(j) * width_, origin_);
    visit(from, line(j + 1) * width_, missing);
    if (steps_[j] == 0) continue;
    log_f -= steps_[j];
    missing = -log_f < unlikely ? -log_f : -std::expm1(std::max(log_f, log_of_nothing));
  }
}

double CompletionTime::mean() const {
  double mean = origin_;
  visit_cells([&](double from, double to, double missing) { mean += (to - from) * missing; });
  return mean;
}

Spread CompletionTime::spread(double share) const {
  const double outside = (1 - share) / 2;
  Quantile from(1 - outside);
  Quantile to(outside);
  double mean = origin_;
  double squares = origin_ * origin_;
  double after = 0;  // 1-F in the cell after this one
  visit_cells([&](double begin, double end, double missing) {
    mean += (end - begin) * missing;
    squares += (end - begin) * (end + begin) * missing;
    for (Quantile* quantile : {&from, &to})
      quantile->pass(end, (after + missing) / 2);
    after = missing;
  });
  for (Quantile* quantile : {&from, &to})
    quantile->pass(origin_, after);
  return {mean, std::sqrt(std::max(0., squares - mean * mean)), from.seconds().value_or(origin_),
          to.seconds().value_or(origin_)};
}

}  // namespace lbsp::model::superstep
