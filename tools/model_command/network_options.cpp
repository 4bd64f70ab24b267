#include "tools/model_command/network_options.hpp"

namespace lbsp::model_command {

void add_network_options(command_line::CommandLine& line, NetworkOptions& options) {
  add(line, "--loss", options.loss, read_loss, "P", "loss of one copy: 10%, 0.1, 1e-6");
  add(line, "--packets-per-superstep", options.packets, read_packets_per_superstep, "C",
      "packets of a superstep as a function of the nodes n: 1, log2, log2sq, n, nlog2n or n2");
  add(line, "--work", options.work, read_positive_seconds, "T",
      "work of a superstep, in time on one node: 4h");
  add(line, "--packet-time", options.packet_time, read_seconds, "T",
      "the time that one packet takes to leave a node, its size over the bandwidth: 80us");
  add(line, "--delay", options.delay, read_seconds, "T", "round trip: 70ms");
  add(line, "--scheme", options.scheme, read_scheme, "NAME", "whole-round, rounds (default) or receiver");
  line.add_flag(
      "--concept", options.concept_only,
      "the conceptual model: communication takes no time, and a superstep with a loss is computed again");
}

model::paper::Question question_of(const NetworkOptions& options) {
  model::paper::Question question;
  question.network.loss = given(options.loss, "--loss");
  question.packets = given(options.packets, "--packets-per-superstep");
  question.scheme = options.scheme;
  if (options.concept_only) {
    question.model = model::paper::Concept::communication_free;
    return question;
  }
  question.work_seconds = given(options.work, "--work");
  question.network.packet_seconds = given(options.packet_time, "--packet-time");
  question.network.round_trip = given(options.delay, "--delay");
  return question;
}

}  // namespace lbsp::model_command
