#include "model/paper/speedup.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/tuning/assumptions.hpp"
#include "tools/model_command/answer.hpp"
#include "tools/model_command/model_command.hpp"
#include "tools/model_command/network_options.hpp"
#include "tools/model_command/workload_options.hpp"
#include "transport/error.hpp"

namespace lbsp::model_command {
namespace {

constexpr const char* speedup_footer =
    R"(Give either a superstep (--work and --packets-per-superstep), or a program (--workload and --size).

Example: lbsp model speedup --packets-per-superstep n --work 4h --loss 5% --copies 2 --packet-time 80us --delay 70ms --nodes 64
Example: lbsp model speedup --workload matmul --size 32768 --nodes 65536 --flops 5e8 --packet-size 64KiB --bandwidth 17.5MB --loss 4.5% --copies 7 --delay 69ms)";

struct SpeedupOptions {
  NetworkOptions network;
  WorkloadOptions workload;
  std::optional<double> nodes;
  std::optional<double> loss_after_loss;
  int copies = 1;
  std::string json;
};

void add_options(command_line::CommandLine& line, SpeedupOptions& options) {
  add(line, "--nodes", options.nodes, read_whole, "N", "number of nodes");
  add(line, "--copies", options.copies, read_copies, "K", "how often every packet is sent; default 1");
  add_network_options(line, options.network);
  add_workload_options(line, options.workload);
  add(line, "--loss-after-loss", options.loss_after_loss, read_loss, "P",
      "loss of the copy after a lost one, if measured: checks the assumption that losses are independent");
  add_json(line, options.json);
}

/// The answer grows line by line, the same for people and for programs.
class Report {
 public:
  void add(const char* name, const Json& value) {
    json_[name] = value;
    if (!value.is_null()) text_ += fmt::format("{:<20} {}\n", name, text_of(value));
  }
  void add_doubts(const std::vector<std::string>& doubts) {
    json_["doubts"] = Json::array();
    for (const std::string& doubt : doubts) {
      json_["doubts"].push_back(doubt);
      text_ += fmt::format("doubtful: {}\n", doubt);
    }
  }
  void write(const std::string& json_file) const { answer(json_file, text_, json_); }

 private:
  static std::string text_of(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.is_number_float() ? fmt::format("{:.8g}", value.get<double>()) : value.dump();
  }

  Json json_ = Json::object();
  std::string text_;
};

void add_rounds(Report& report, const model::paper::ExpectedRounds& rounds) {
  report.add("rounds", number(rounds.value()));
  report.add("rounds_minus_one", number(rounds.minus_one));
  report.add("log_rounds", number(rounds.log));
}

Report of_workload(const SpeedupOptions& options, double nodes) {
  const model::paper::Workload workload = workload_of(options.workload, nodes);
  const double packet_seconds =
      options.network.packet_time
          ? *options.network.packet_time
          : *options.workload.packet_bytes / given(options.workload.bandwidth, "--bandwidth");
  const model::paper::Network network{given(options.network.loss, "--loss"), packet_seconds,
                                      given(options.network.delay, "--delay")};
  const model::paper::Cost cost = cost_of(workload, network, options.copies, options.network.scheme);
  Report report;
  report.add("workload", workload.name);
  report.add("nodes", count(nodes));
  report.add("copies", options.copies);
  report.add("packets_per_message", count(workload.packets_per_message));
  add_rounds(report, cost.rounds);
  report.add("sequential", number(workload.sequential_seconds));
  report.add("parallel", number(workload.parallel_seconds));
  report.add("communication", number(cost.communication));
  report.add("seconds", number(cost.seconds));
  const bool computes = workload.sequential_seconds > 0;
  report.add("speedup", computes ? number(cost.speedup) : Json(nullptr));
  report.add("efficiency", computes ? number(cost.efficiency) : Json(nullptr));
  return report;
}

Report of_concept(const SpeedupOptions& options, double nodes) {
  const model::paper::Question question = question_of(options.network);
  const model::paper::Choice choice = evaluate(question, options.copies, nodes);
  Report report;
  report.add("nodes", count(nodes));
  report.add("copies", options.copies);
  report.add("packets", number(packets_per_superstep(question.packets, nodes)));
  report.add("speedup", number(choice.speedup));
  report.add("efficiency", number(choice.efficiency()));
  return report;
}

std::vector<std::string> doubts_of(const SpeedupOptions& options, const model::paper::Network& network,
                                   double packets, double nodes) {
  if (packets == 0) return {};
  return model::tuning::doubts({.loss = network.loss,
                                .loss_after_loss = options.loss_after_loss,
                                .round_trip = network.round_trip,
                                .packet_seconds = network.packet_seconds,
                                .packets_per_node = packets / nodes,
                                .copies = options.copies});
}

Report of_superstep(const SpeedupOptions& options, double nodes) {
  const model::paper::Question question = question_of(options.network);
  const double packets = packets_per_superstep(question.packets, nodes);
  const model::paper::Prediction got =
      predict({question.work_seconds, nodes, packets}, question.network, options.copies, question.scheme);
  Report report;
  report.add("nodes", count(nodes));
  report.add("copies", options.copies);
  report.add("packets", number(packets));
  add_rounds(report, got.rounds);
  report.add("tau", got.half_timeout);
  report.add("granularity", number(got.granularity));
  report.add("delay_share", number(got.delay_share));
  report.add("serialisation_share", number(got.serialisation_share));
  report.add("dominating", std::string(dominating_term(question.packets)));
  report.add("communication", number(got.communication));
  report.add("seconds", number(got.seconds));
  report.add("speedup", number(got.speedup));
  report.add("efficiency", number(got.efficiency));
  report.add_doubts(doubts_of(options, question.network, packets, nodes));
  return report;
}

}  // namespace

void run_speedup(const Words& words) {
  SpeedupOptions options;
  command_line::CommandLine line("lbsp model speedup",
                                 "The speedup of a superstep or a program on many nodes.", speedup_footer);
  add_options(line, options);
  if (!line.parse(words)) return;
  const double nodes = given(options.nodes, "--nodes");
  if (options.workload.name && options.network.packets)
    throw UsageError("--workload and --packets-per-superstep exclude each other: leave one out");
  const Report report = options.workload.name          ? of_workload(options, nodes)
                        : options.network.concept_only ? of_concept(options, nodes)
                                                       : of_superstep(options, nodes);
  report.write(options.json);
}

}  // namespace lbsp::model_command
