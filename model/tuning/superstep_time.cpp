#include "model/tuning/superstep_time.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/mathematics/require.hpp"
#include "model/mathematics/special_functions.hpp"

namespace lbsp::model::tuning {
namespace {

/// RFC 9002's loss delay: a receiver that sees no later packet takes one to be lost after 9/8 of a round
/// trip.
constexpr double repair_round = 9. / 8;
constexpr double negligible = 1e-12;
/// Of a superstep; what comes after a round that takes less is left out.
constexpr double negligible_round = 1e-6;

/// Units that are lost and repaired by themselves: packets in copies, or blocks of a code.
struct Units {
  double exposed = 0;   ///< of all nodes, those whose repair somebody would wait for
  double failure = 0;   ///< that one lacks something after the first round
  double per_node = 0;  ///< exposed ones that the busiest node sends
  double lacking = 0;   ///< packets that one lacks on average after the first round
};

/// What is more than `spare` of `trials` packets lost, as a probability and as an average number.
struct Excess {
  double probability = 0;
  double mean = 0;
};

Excess excess(int trials, double p, int spare) {
  if (p == 0) return {};
  const double n = trials;
  const double k = spare + 1;
  const double odds = p / (1 - p);
  double term = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                         (n - k) * std::log1p(-p));
  Excess out;
  for (int lost = spare + 1; lost <= trials; ++lost) {
    out.probability += term;
    out.mean += (lost - spare) * term;
    if (lost > n * p && term < negligible * out.probability) break;
    term *= (trials - lost) / (lost + 1.) * odds;
  }
  out.probability = std::min(out.probability, 1.);
  return out;
}

/// One superstep's sending and losses, gathered kind by kind.
class Leg {
 public:
  Leg(const PacketPath& path, const Protection& protection)
      : path_(path),
        protection_(protection),
        again_(path.loss_after_loss.value_or(path.loss)),
        packet_seconds_(path.packet_bytes / path.bandwidth) {}

  void add(const ProgramMessages& kind) {
    kinds_.push_back(kind);
    sending_ += kind.per_node * wire_bytes(kind) / path_.bandwidth;
  }

  SuperstepTime time() {
    exposed_share_ = sending_ > path_.round_trip ? path_.round_trip / sending_ : 1;
    const double streamed = sending_ * (1 - exposed_share_) / (1 - path_.loss);
    double seconds = path_.round_trip / 2 + streamed + sending_ * exposed_share_;
    for (const ProgramMessages& kind : kinds_)
      seconds += protect(kind);
    SuperstepTime time{.seconds = seconds, .first_round = seconds, .second_round = some_lack()};
    for (double needed = time.second_round; needed > 0;) {
      const double round =
          needed * repair_round * path_.round_trip + packet_seconds_ * std::max(repairs_per_node(), needed);
      time.seconds += round;
      repair();
      needed = some_lack();
      if (needed < 0.5 && round <= negligible_round * time.seconds) break;
    }
    return time;
  }

 private:
  double wire_bytes(const ProgramMessages& kind) const {
    return kind.bytes + packet_overhead_bytes * packets_of(kind.bytes, path_.packet_bytes);
  }

  /// Adds the kind's units; what protecting them takes the busiest node to send.
  double protect(const ProgramMessages& kind) {
    const double packets = packets_of(kind.bytes, path_.packet_bytes);
    if (protection_.repair && packets > 1) return protect_by_code(kind, packets);
    const double lost = path_.loss * std::pow(again_, protection_.copies - 1);
    units_.push_back({.exposed = std::max(kind.messages * packets * exposed_share_, 1.),
                      .failure = lost,
                      .per_node = kind.per_node * packets * exposed_share_,
                      .lacking = lost});
    return (protection_.copies - 1) * exposed_share_ * kind.per_node * wire_bytes(kind) / path_.bandwidth;
  }

  double protect_by_code(const ProgramMessages& kind, double packets) {
    const double blocks = std::ceil(packets / most_block_packets);
    const int block = static_cast<int>(std::ceil(packets / blocks));
    const int repair = *protection_.repair;
    const Excess lack = excess(block + repair, path_.loss, repair);
    const double per_node = kind.per_node * blocks * exposed_share_;
    units_.push_back({.exposed = std::max(kind.messages * blocks * exposed_share_, 1.),
                      .failure = lack.probability,
                      .per_node = per_node,
                      .lacking = lack.mean});
    return per_node * repair * packet_seconds_;
  }

  double some_lack() const {
    double log_none = 0;
    for (const Units& units : units_)
      log_none += units.exposed * mathematics::log_of_rest(units.failure);
    return -std::expm1(log_none);
  }

  double repairs_per_node() const {
    double packets = 0;
    for (const Units& units : units_)
      packets += 2 * units.per_node * units.lacking;
    return packets;
  }

  /// A repair that goes twice fails if both are lost.
  void repair() {
    for (Units& units : units_) {
      units.failure *= path_.loss * again_;
      units.lacking *= path_.loss * again_;
    }
  }

  PacketPath path_;
  Protection protection_;
  double again_;
  double packet_seconds_;
  std::vector<ProgramMessages> kinds_;
  std::vector<Units> units_;
  double sending_ = 0;        ///< S: of the busiest node, without any redundancy
  double exposed_share_ = 1;  ///< of the packets, those sent in the last round trip
};

}  // namespace

double packets_of(double message_bytes, double packet_bytes) {
  return std::max(1., std::ceil(message_bytes / (packet_bytes - packet_overhead_bytes)));
}

void validate_superstep(double nodes, const PacketPath& path, const Protection& protection) {
  mathematics::require_nodes(nodes);
  mathematics::require_loss(path.loss);
  if (path.loss_after_loss) mathematics::require_loss(*path.loss_after_loss);
  mathematics::require_copies(protection.copies);
  mathematics::require_not_negative(path.round_trip, "a round trip");
  mathematics::require_positive(path.bandwidth, "a bandwidth");
  mathematics::require_positive(path.packet_bytes - packet_overhead_bytes, "a packet's room for payload");
  if (protection.repair.value_or(0) < 0)
    throw std::invalid_argument("fewer than 0 repair packets: give 0 or more");
}

std::vector<ProgramMessages> all_messages(const ProgramStep& step, double nodes) {
  constexpr double empty_message_bytes = 32;  // the runtime's head
  ProgramMessages empty{.messages = nodes * (nodes - 1), .per_node = nodes - 1, .bytes = empty_message_bytes};
  std::vector<ProgramMessages> all;
  for (const ProgramMessages& messages : step.messages) {
    mathematics::require_not_negative(messages.bytes, "a message size");
    if (messages.messages <= 0) continue;
    all.push_back(messages);
    empty.messages -= messages.messages;
    empty.per_node -= messages.per_node;
  }
  if (empty.messages > 0 && empty.per_node > 0) all.push_back(empty);
  return all;
}

SuperstepTime superstep_time(const ProgramStep& step, double nodes, const PacketPath& path,
                             const Protection& protection) {
  validate_superstep(nodes, path, protection);
  if (nodes == 1) return {};
  Leg leg(path, protection);
  for (const ProgramMessages& messages : all_messages(step, nodes))
    leg.add(messages);
  return leg.time();
}

}  // namespace lbsp::model::tuning
