#include "tools/estimate/recorded_network.hpp"

#include <fmt/format.h>

#include "tools/calibration/means.hpp"
#include "transport/error.hpp"

namespace lbsp::estimate {
namespace {

/// Predictions go no further.
constexpr double most_loss = 0.9;

}  // namespace

std::optional<RecordedNetwork> recorded_network(const trace_file::Trace& trace, const Changes& changes) {
  const auto mean = [&](auto value) {
    return calibration::mean_of_measured(trace.ends,
                                         [&](const trace_file::End& end) { return value(end.network); });
  };
  const double round_trip =
      changes.round_trip.of(mean([](const auto& network) { return network.round_trip; }));
  const double rate = changes.rate.of(mean([](const auto& network) { return network.rate; }));
  const double loss = changes.loss.of(mean([](const auto& network) { return network.loss; }));
  if (!(loss <= most_loss))
    throw UsageError(fmt::format("a loss of {:.4g} %: lbsp predicts up to {:g} %: give less by --loss",
                                 100 * loss, 100 * most_loss));
  if (round_trip <= 0 || rate <= 0) return std::nullopt;
  RecordedNetwork out{{.round_trip = round_trip, .loss = loss}, {}};
  for (const trace_file::End& end : trace.ends)
    out.rates.push_back(end.network.rate > 0 ? changes.rate.of(end.network.rate) : rate);
  return out;
}

}  // namespace lbsp::estimate
