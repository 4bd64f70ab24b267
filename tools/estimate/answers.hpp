#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tools/estimate/lossy_estimate.hpp"
#include "tools/estimate/other_estimates.hpp"
#include "tools/estimate/trace_estimate.hpp"

namespace lbsp::estimate {

/// What the models that were asked say of a run.
struct Answers {
  std::optional<LossyEstimate> lossy;
  bool without_network = false;  ///< for lossy BSP it would take a round trip and a rate
  std::optional<Longest> longest;
  std::optional<PmmEstimate> pmm;
  std::optional<double> ranks{};  ///< that were asked for, in place of the recorded ones
  bool without_mesh = false;      ///< so many do not share out this product as Fox's algorithm does
  std::optional<QueueingEstimate> queueing;
};

/// "41 ms"; in seconds where that has too many digits.
std::string time_text(double seconds);

std::string text_of(const trace_file::Trace& trace, const Answers& answers);
/// docs/trace.md lists the keys.
nlohmann::ordered_json json_of(const trace_file::Trace& trace, const Answers& answers);

}  // namespace lbsp::estimate
