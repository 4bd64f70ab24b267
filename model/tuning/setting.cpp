#include "model/tuning/setting.hpp"

#include <algorithm>
#include <vector>

#include "model/superstep/best_protection.hpp"

namespace lbsp::model::tuning {
namespace {

using superstep::Means;
using superstep::Messages;
using superstep::Protection;
using superstep::Protocol;
using superstep::Superstep;

/// What the program's supersteps take where nothing is lost, without redundancy.
double lossless_seconds(const Program& program, Superstep superstep, std::vector<Protection> protection,
                        const Protocol& protocol) {
  superstep.path.loss = 0;
  superstep.path.loss_after_loss.reset();
  for (Protection& each : protection)
    each = {.coded = each.coded};
  return program.supersteps * predict(superstep, protection, protocol).seconds;
}

/// The program's messages come first, the empty ones last.
int packets_per_message(const Superstep& superstep) {
  return superstep.messages.empty() ? 1 : superstep.messages.front().segments;
}

FixedProtection best_of(const Program& program, const PacketPath& path, const Means& means,
                        const Protocol& protocol) {
  const Superstep superstep = superstep_of(program, path, protocol);
  const std::vector<Protection> best = best_protection(superstep, means, protocol);
  FixedProtection fixed{best.back(), best.front()};
  if (superstep.messages.back().segments > 1) {
    Program empty = program;
    empty.destinations = 0;
    fixed.single = best_protection(superstep_of(empty, path, protocol), means, protocol).back();
  }
  return fixed;
}

}  // namespace

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
    const Superstep superstep = superstep_of(program, path, protocol);
    std::vector<Protection> each;
    for (const Messages& messages : superstep.messages)
      each.push_back(messages.segments > 1 ? protection.longer : protection.single);
    setting.packets_per_message = packets_per_message(superstep);
    setting.communication = program.supersteps * predict(superstep, each, protocol).seconds;
    setting.losses =
        std::max(0., setting.communication - lossless_seconds(program, superstep, each, protocol));
  }
  setting.seconds = program.parallel_seconds + setting.communication;
  if (setting.seconds > 0) setting.speedup = program.sequential_seconds / setting.seconds;
  return setting;
}

Setting best_setting(const Program& program, const PacketPath& path, const Means& means,
                     const Protocol& protocol) {
  const bool talks = program.supersteps > 0;
  return evaluate(program, path, talks ? best_of(program, path, means, protocol) : FixedProtection{},
                  protocol);
}

double usual_seconds(const Program& program, const PacketPath& path, const Protocol& protocol) {
  if (program.supersteps == 0) return program.parallel_seconds;
  const Superstep superstep = superstep_of(program, path, protocol);
  const double seconds = predict(superstep, usual_protection(superstep, {}, protocol), protocol).seconds;
  return program.parallel_seconds + program.supersteps * seconds;
}

}  // namespace lbsp::model::tuning
