#include <nlohmann/json.hpp>

#include "tools/estimate/model_estimates.hpp"

namespace lbsp::estimate {

nlohmann::ordered_json json_of(const ModelEstimate& estimate) {
  using Json = nlohmann::ordered_json;
  const auto& interval = estimate.interval;
  return {{"model", estimate.model},
          {"seconds", estimate.seconds},
          {"interval", interval ? Json{interval->from, interval->to} : Json()}};
}

}  // namespace lbsp::estimate
