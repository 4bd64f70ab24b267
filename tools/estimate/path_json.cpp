#include "tools/estimate/path_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace lbsp::estimate {

using model::critical_path::Kind;
using nlohmann::ordered_json;

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::compute:
      return "compute";
    case Kind::message:
      return "message";
    case Kind::sync:
      break;
  }
  return "sync";
}

ordered_json path_json(const model::critical_path::Estimate& estimate,
                       std::span<const std::uint64_t> numbers) {
  ordered_json out = ordered_json::array();
  for (const auto& stretch : estimate.path) {
    const std::uint64_t number =
        stretch.superstep < numbers.size() ? numbers[stretch.superstep] : stretch.superstep;
    out.push_back({{"kind", name_of(stretch.kind)},
                   {"rank", stretch.rank},
                   {"superstep", number},
                   {"seconds", stretch.seconds}});
  }
  return out;
}

ordered_json slack_json(const std::vector<double>& slack) {
  ordered_json out = ordered_json::array();
  for (const double each : slack)
    out.push_back(std::isfinite(each) ? ordered_json(each) : ordered_json(nullptr));
  return out;
}

}  // namespace lbsp::estimate
