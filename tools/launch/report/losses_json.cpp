#include "tools/launch/report/losses_json.hpp"

namespace lbsp::launch::report {

using nlohmann::ordered_json;
using transport::seconds;

const char* on_failure_of(const JobReport& report) {
  if (!report.losses().outlived()) return "abort";
  return report.options().respawns() ? "respawn" : "shrink";
}

ordered_json lost_as_json(const JobReport& report) {
  ordered_json out = ordered_json::array();
  for (const survival::Losses::Loss& loss : report.losses().all()) {
    out.push_back({{"rank", loss.rank},
                   {"host", loss.host.empty() ? report.placement().host_of(loss.rank) : loss.host},
                   {"seconds", loss.at.count()},
                   {"how", loss.how.empty() ? ordered_json(nullptr) : ordered_json(loss.how)},
                   {"in_a_row", loss.in_a_row}});
  }
  return out;
}

ordered_json changes_as_json(const JobReport& report) {
  ordered_json out = ordered_json::array();
  for (const survival::Losses::Change& change : report.losses().changes()) {
    const auto stood_still = change.stood_still();
    out.push_back(
        {{"epoch", change.what.epoch},
         {"seconds", change.at.count()},
         {"members", change.what.members},
         {"lost", change.what.lost},
         {"seated", change.what.seated},
         {"joined", change.joined},
         {"boundary", change.what.boundary},
         {"silence", seconds(change.what.silence)},
         {"agreement", seconds(change.what.agreement)},
         {"stood_still", stood_still ? ordered_json(stood_still->count()) : ordered_json(nullptr)}});
  }
  return out;
}

}  // namespace lbsp::launch::report
