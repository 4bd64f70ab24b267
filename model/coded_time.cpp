#include "model/coded_time.hpp"

#include <algorithm>
#include <cmath>

#include "model/require.hpp"
#include "model/special_functions.hpp"

namespace lbsp::model {
namespace {

// Lacks this rare among all messages of a superstep cost nothing that a double could show.
constexpr double negligible_lack = 1e-25;
constexpr double longest_message = 100'000;

/// P(exactly `hits` of `trials`), each with `probability` in (0, 1).
double binomial_exactly(int trials, double probability, int hits) {
  const double n = trials;
  const double k = hits;
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                  k * std::log(probability) + (n - k) * std::log1p(-probability));
}

/// How much a message lacks: [d] is the probability of d packets.
using Lack = std::vector<double>;

Lack lack_after_first_round(int m, int repair_packets, double loss, double messages) {
  Lack lack(static_cast<std::size_t>(m) + 1, 0.);
  const int sent = m + repair_packets;
  for (int d = 1; d <= m; ++d) {
    const double probability = binomial_exactly(sent, loss, repair_packets + d);
    lack[static_cast<std::size_t>(d)] = probability;
    // Beyond the most likely loss each is less likely than the one before.
    if (repair_packets + d > sent * loss && probability * messages < negligible_lack) break;
  }
  return lack;
}

Lack lack_after_repair(const Lack& lack, const RepairTable& repair, double loss, double messages) {
  Lack next(lack.size(), 0.);
  for (int d = 1; d < static_cast<int>(lack.size()); ++d) {
    const double weight = lack[static_cast<std::size_t>(d)];
    if (weight * messages < negligible_lack) continue;
    const int sent = repair.packets_for(d);
    // j of `sent` arrive, j < d; from the likeliest down.
    double probability = binomial_exactly(sent, 1 - loss, d - 1);
    for (int j = d - 1; j >= 0; --j) {
      next[static_cast<std::size_t>(d - j)] += weight * probability;
      probability *= j * loss / ((sent - j + 1) * (1 - loss));
      if (weight * probability * messages < negligible_lack && j < sent * (1 - loss)) break;
    }
  }
  return next;
}

int whole_message(const Traffic& traffic) {
  const double m = traffic.packets_per_message;
  if (!(m >= 1 && m <= longest_message) || m != std::floor(m))
    throw std::invalid_argument(std::to_string(m) +
                                " packets a message: give a whole number from 1 to 100000");
  return static_cast<int>(m);
}

double some_message(double messages, double probability) {
  return -std::expm1(messages * std::log1p(-probability));
}

/// The r at which one packet more costs what it saves.
int first_guess(const Traffic& traffic, const Network& network, int m) {
  const double p = network.loss;
  int r = static_cast<int>(m * p);
  const auto gain = [&](int more) {
    return traffic.messages *
           (binomial_more_than(m + more, p, more) - binomial_more_than(m + more + 1, p, more + 1)) *
           network.round_trip;
  };
  const double price = traffic.packets_per_node / m * network.packet_seconds;
  const int limit = r + 64 + 8 * static_cast<int>(std::sqrt(m)) + m;
  while (r < limit && gain(r) > price)
    ++r;
  return r;
}

}  // namespace

RepairTable::RepairTable(double loss, double residual, int most_lacking) : residual_(residual) {
  require_loss(loss);
  if (!(residual > 0 && residual <= 1))
    throw std::invalid_argument("a residual of " + std::to_string(residual) +
                                ": give more than 0 and at most 1");
  packets_.push_back(0);
  for (int lacking = 1; lacking <= most_lacking; ++lacking) {
    // One packet more is needed for each packet more that lacks.
    int packets = packets_.back() + 1;
    while (residual < 1 && binomial_more_than(packets, loss, packets - lacking) > residual)
      ++packets;
    packets_.push_back(packets);
  }
}

CodedTime coded_time(const Traffic& traffic, const Network& network, int repair_packets,
                     const RepairTable& repair) {
  const int m = whole_message(traffic);
  if (repair_packets < 0) throw std::invalid_argument("fewer than 0 repair packets: give 0 or more");
  require_loss(network.loss);
  require_packets(traffic.packets());
  const double messages_per_node = traffic.packets_per_node / m;
  double seconds = network.round_trip / 2 +
                   (traffic.packets_per_node + messages_per_node * repair_packets) * network.packet_seconds;
  if (network.loss == 0) return {seconds, 0};
  const double second_round =
      some_message(traffic.messages, binomial_more_than(m + repair_packets, network.loss, repair_packets));
  Lack lack = lack_after_first_round(m, repair_packets, network.loss, traffic.messages);
  for (double needed = second_round; needed > 0;) {
    double resent = 0;
    for (int d = 1; d <= m; ++d)
      resent += lack[static_cast<std::size_t>(d)] * repair.packets_for(d);
    const double round =
        needed * network.round_trip + network.packet_seconds * std::max(messages_per_node * resent, needed);
    seconds += round;
    if (round <= 1e-13 * seconds && needed < 0.5) break;
    lack = lack_after_repair(lack, repair, network.loss, traffic.messages);
    double lacking = 0;
    for (const double probability : lack)
      lacking += probability;
    needed = some_message(traffic.messages, std::min(lacking, 1.));
  }
  return {seconds, second_round};
}

CodedPlan best_coded_plan(const Traffic& traffic, const Network& network) {
  const int m = whole_message(traffic);
  require_loss(network.loss);
  CodedPlan best;
  best.repair_packets = first_guess(traffic, network, m);
  best.time.seconds = INFINITY;
  double residual = 1;
  for (int step = 0; step <= 15; ++step) {
    const RepairTable repair(network.loss, residual, m);
    const auto consider = [&](int r) {
      const CodedTime time = coded_time(traffic, network, r, repair);
      if (!(time.seconds < best.time.seconds)) return false;
      best = {r, residual, time};
      return true;
    };
    consider(best.repair_packets);
    for (int stride = std::max(1, m / 16); stride > 0; stride /= 2) {
      while (consider(best.repair_packets + stride)) {
      }
      while (best.repair_packets >= stride && consider(best.repair_packets - stride)) {
      }
    }
    residual = step == 0 ? 0.3 : step == 1 ? 0.1 : residual / 10;
  }
  return best;
}

}  // namespace lbsp::model
