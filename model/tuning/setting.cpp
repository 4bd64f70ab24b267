#include "model/tuning/setting.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/superstep/best_protection.hpp"
#include "model/superstep/prediction.hpp"

namespace lbsp::model::tuning {
namespace {

using superstep::Means;
using superstep::Messages;
using superstep::Protection;
using superstep::Protocol;
using superstep::Superstep;

/// The program with nothing to say: its short supersteps.
Program silent(Program program) {
  program.destinations = 0;
  return program;
}

/// What all supersteps take, each kind of them as long as `seconds` says, and the farewell.
template <class Seconds>
double communication_of(const Program& program, const PacketPath& path, const Protocol& protocol,
                        Seconds seconds) {
  double sum = program.supersteps * seconds(superstep_of(program, path, protocol));
  if (program.short_supersteps == 0) return sum;
  sum += program.short_supersteps * seconds(superstep_of(silent(program), path, protocol));
  return sum + protocol.farewell_round_trips * path.path.round_trip;
}

std::vector<Protection> protection_of(const Superstep& superstep, const FixedProtection& protection) {
  std::vector<Protection> each;
  for (const Messages& messages : superstep.messages)
    each.push_back(messages.segments > 1 ? protection.longer : protection.single);
  return each;
}

double fixed_communication(const Program& program, const PacketPath& path, const FixedProtection& protection,
                           const Protocol& protocol) {
  return communication_of(program, path, protocol, [&](const Superstep& superstep) {
    return predict(superstep, protection_of(superstep, protection), protocol).seconds;
  });
}

/// The standard deviation of that from run to run: of supersteps that vary independently.
double deviation_of(const Program& program, const PacketPath& path, const FixedProtection& protection,
                    const Protocol& protocol) {
  const auto variance = [&](const Program& of) {
    constexpr double any_share = 0.9;
    const Superstep superstep = superstep_of(of, path, protocol);
    const double deviation =
        predict_spread(superstep, protection_of(superstep, protection), protocol, any_share).deviation;
    return deviation * deviation;
  };
  double sum = program.supersteps * variance(program);
  if (program.short_supersteps > 0) sum += program.short_supersteps * variance(silent(program));
  return std::sqrt(sum);
}

/// Messages of one packet are sent in short supersteps too, and beside longer ones: what is best for either.
FixedProtection best_of(const Program& program, const PacketPath& path, const Means& means,
                        const Protocol& protocol) {
  const Superstep superstep = superstep_of(program, path, protocol);
  const std::vector<Protection> best = best_protection(superstep, means, protocol);
  const FixedProtection as_usual{best.back(), best.front()};
  FixedProtection as_short = as_usual;
  as_short.single = best_protection(superstep_of(silent(program), path, protocol), means, protocol).back();
  const bool beside_longer = superstep.messages.back().segments == 1;
  if (!beside_longer || as_short == as_usual) return as_short;
  if (program.short_supersteps == 0) return as_usual;
  return fixed_communication(program, path, as_short, protocol) <
                 fixed_communication(program, path, as_usual, protocol)
             ? as_short
             : as_usual;
}

}  // namespace

double Setting::nine_of_ten_beside() const {
  return superstep::normal_95 * deviation + superstep::likely_error * communication;
}

int Setting::protected_tail() const {
  const int first = protection.longer.first_protected;
  return has_longer() && first > 0 ? packets_per_message - first : 0;
}

Superstep superstep_of(const Program& program, const PacketPath& path, const Protocol& protocol) {
  Superstep superstep{program.nodes, path.path, {}};
  const superstep::Datagrams datagrams{path.packet_bytes, protocol.framing.datagram, path.bandwidth};
  const auto add = [&](double per_node, double bytes) {
    const Messages messages = messages_of(per_node, bytes + protocol.framing.message, datagrams);
    if (per_node > 0) superstep.messages.push_back(messages);
  };
  add(program.destinations, program.message_bytes + protocol.framing.record);
  add(std::max(0., program.nodes - 1 - program.destinations), 0);
  return superstep;
}

Setting evaluate(const Program& program, const PacketPath& path, const FixedProtection& protection,
                 const Protocol& protocol) {
  Setting setting{.protection = protection, .packet_bytes = path.packet_bytes, .nodes = program.nodes};
  if (program.supersteps > 0) {
    // The program's messages come first, the empty ones last.
    const Superstep superstep = superstep_of(program, path, protocol);
    if (!superstep.messages.empty()) setting.packets_per_message = superstep.messages.front().segments;
    setting.communication = fixed_communication(program, path, protection, protocol);
    setting.deviation = deviation_of(program, path, protection, protocol);
    PacketPath lossless = path;
    lossless.path.loss = 0;
    const FixedProtection none{{}, {.coded = protection.longer.coded}};
    setting.losses =
        std::max(0., setting.communication - fixed_communication(program, lossless, none, protocol));
  }
  setting.seconds = program.parallel_seconds + setting.communication;
  setting.speedup = program.sequential_seconds / setting.seconds;
  return setting;
}

Setting best_setting(const Program& program, const PacketPath& path, const Means& means,
                     const Protocol& protocol) {
  const bool talks = program.supersteps > 0;
  return evaluate(program, path, talks ? best_of(program, path, means, protocol) : FixedProtection{},
                  protocol);
}

double UsualTimes::of(const Program& program, const PacketPath& path, double enough) {
  if (program.supersteps == 0) return program.parallel_seconds;
  superstep::BlockOutcomes& outcomes =
      outcomes_.try_emplace(path.path, path.path, protocol_.repairs).first->second;
  const auto least = [&](const Superstep& superstep) {
    return least_seconds(superstep, usual_protection(superstep, {}, protocol_), protocol_, outcomes);
  };
  const auto predicted = [&](const Superstep& superstep) {
    const auto found = known_.find(superstep);
    if (found != known_.end()) return found->second;
    const std::vector<Protection> usual = usual_protection(superstep, {}, protocol_);
    return known_[superstep] = predict(superstep, usual, protocol_, outcomes).seconds;
  };
  // Rounding must not make a time that is just enough seem longer.
  constexpr double rounding = 1 - 1e-9;
  const double bound = program.parallel_seconds + communication_of(program, path, protocol_, least);
  if (rounding * bound > enough) return bound;
  return program.parallel_seconds + communication_of(program, path, protocol_, predicted);
}

}  // namespace lbsp::model::tuning
