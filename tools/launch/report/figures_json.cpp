#include "tools/launch/report/figures_json.hpp"

namespace lbsp::launch::report {

using nlohmann::ordered_json;

ordered_json packets_as_json(const transport::TrafficCounters& traffic) {
  return {{"sent", traffic.datagrams_sent},         {"retransmitted", traffic.segments_resent},
          {"copies", traffic.copies_sent},          {"coded", traffic.coded_sent},
          {"received", traffic.datagrams_received}, {"duplicate", traffic.segments_duplicate},
          {"rejected", traffic.datagrams_rejected}, {"overflowed", traffic.datagrams_overflowed}};
}

ordered_json bytes_as_json(const transport::TrafficCounters& traffic) {
  return {{"payload", traffic.payload_bytes_sent},
          {"near", traffic.near_bytes_sent},
          {"wire", traffic.wire_bytes_sent}};
}

ordered_json figures_as_json(const SuperstepFigures& figures) {
  return {{"compute", figures.compute.count()},
          {"communicate", figures.communicate.count()},
          {"h", figures.h},
          {"copies", figures.forecast.most_copies},
          {"packets", packets_as_json(figures.traffic)},
          {"bytes", bytes_as_json(figures.traffic)},
          {"rounds", figures.traffic.rounds}};
}

ordered_json interval_as_json(const Interval& interval) {
  return {interval.from.count(), interval.to.count()};
}

ordered_json seconds_as_json(const job::RankReport& one) {
  return {{"total", one.total.count()},
          {"compute", one.totals.compute.count()},
          {"communicate", one.totals.communicate.count()},
          {"start", one.start.count()},
          {"end", one.end.count()}};
}

std::string as_text(const ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace lbsp::launch::report
