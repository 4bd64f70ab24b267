#include "tools/estimate/model_estimates.hpp"

namespace lbsp::estimate {

std::vector<ModelEstimate> estimates_in(const Answers& answers) {
  std::vector<ModelEstimate> out;
  if (const auto& found = answers.lossy)
    out.push_back({"lbsp", "lossy BSP", found->seconds, found->interval});
  if (const auto& found = answers.longest)
    out.push_back({"critical-path", "critical path", found->path.seconds, found->interval});
  if (const auto& found = answers.pmm)
    out.push_back({"pmm", "Fox's product", found->seconds, found->interval});
  if (const auto& found = answers.queueing)
    out.push_back({"queueing", "queueing", found->seconds, found->interval});
  return out;
}

Answers answers_as_recorded(const trace_file::Trace& trace) {
  Answers out{.lossy = lossy_estimate(trace, {}),
              .without_network = false,
              .longest = longest_path(trace, {}),
              .pmm = pmm_estimate(trace, {}),
              .queueing = queueing_estimate(trace, {})};
  for (const ModelEstimate& each : estimates_in(out))
    require_possible(each.seconds);
  return out;
}

}  // namespace lbsp::estimate
