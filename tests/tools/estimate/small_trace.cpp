#include "tests/tools/estimate/small_trace.hpp"

namespace lbsp::test {

using nlohmann::json;

json trace_line(int rank, const json& superstep) {
  return {{"version", 2},
          {"superstep", superstep},
          {"supersteps", superstep.is_null() ? 0 : 1},
          {"rank", rank},
          {"compute", 2.0},
          {"communicate", 1.0},
          {"packets", {{"retransmitted", 0}}},
          {"predicted", nullptr},
          {"cpu", 1.0},
          {"waiting", 0.5},
          {"to", json::array()},
          {"network", {{"loss", 0}, {"rtt", 0.2}, {"rate", 0}, {"bandwidth", 1e6}}}};
}

std::vector<json> small_trace() {
  std::vector<json> out{trace_line(0, 0), trace_line(0, 1),       trace_line(1, 0),
                        trace_line(1, 1), trace_line(0, nullptr), trace_line(1, nullptr)};
  out[2]["compute"] = out[2]["cpu"] = 3.0;
  out[2]["to"] = {{0, 1e6}};
  for (const std::size_t end : {4U, 5U}) {
    out[end]["compute"] = 0.5;
    out[end]["cpu"] = 0.25;
    out[end]["told"] = true;
    out[end]["seconds"] = {
        {"total", 20.0}, {"compute", 5.0}, {"communicate", 2.0}, {"start", 0.1}, {"end", 0.1}};
    out[end]["job"] = {{"program", "own"}, {"arguments", json::array()}, {"ranks", 2},       {"host", "here"},
                       {"backend", "udp"}, {"finished", true},           {"reason", nullptr}};
  }
  return out;
}

std::string text_of(const std::vector<json>& lines) {
  std::string out;
  for (const json& each : lines)
    out += each.dump() + '\n';
  return out;
}

}  // namespace lbsp::test
