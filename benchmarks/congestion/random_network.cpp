#include "benchmarks/congestion/random_network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "transport/impairment/random.hpp"

namespace lbsp::bench {
namespace {

using namespace transport;

constexpr double segment_bytes = 1400;
constexpr double header_bytes = 40;
constexpr double most_segments = 6000;  ///< of a superstep, and …
constexpr double most_seconds = 8;      ///< … so long its bound, to be done soon
constexpr std::uint64_t apart = 7919;   ///< between the states of two seeds

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(apart * seed + 13) {}
  bool happens(double probability) { return random_.happens(probability); }
  int below(int bound) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound))); }
  /// As often between a and 2 a as between 2 a and 4 a.
  double between(double least, double most) { return least * std::pow(most / least, random_.unit()); }
  template <std::size_t n>
  auto one_of(const std::array<double, n>& values) {
    return values[static_cast<std::size_t>(below(n))];
  }

 private:
  Random random_;
};

constexpr std::array pattern_names = {"all to all", "ring", "gather", "some to some",
                                      "long every other time"};

std::string wan_of(Draw& draw, RandomNetwork& network) {
  network.round_trip_ms = draw.between(0.2, 400);
  network.loss_percent = draw.one_of<6>({0, 0, 1, 5, 10, 15});
  std::string wan = fmt::format("rtt={:.2f}ms,loss={}%", network.round_trip_ms, network.loss_percent);
  if (draw.happens(0.3)) wan += fmt::format(",burst={}", 2 + draw.below(4));
  if (draw.happens(0.4))
    wan += fmt::format(",jitter={:.2f}ms", draw.between(0.05, std::clamp(network.round_trip_ms, 0.1, 40.)));
  if (draw.happens(0.2)) wan += fmt::format(",reorder={:.1f}%", draw.between(0.5, 10));
  if (draw.happens(0.3)) wan += fmt::format(",mtu={}", draw.one_of<4>({576, 1280, 1400, 9000}));
  return wan;
}

void draw_links(Draw& draw, RandomNetwork& network) {
  const double up = draw.between(0.3, 300);
  const auto hosts = static_cast<std::size_t>(network.hosts);
  network.up.assign(hosts, up);
  network.down.assign(hosts, up);
  if (draw.happens(0.3)) network.down.assign(hosts, up * draw.between(0.1, 1));
  if (draw.happens(0.3)) {
    const auto slow = static_cast<std::size_t>(draw.below(network.hosts));
    const double part = draw.between(0.03, 0.5);
    network.up[slow] *= part;
    network.down[slow] *= part;
  }
  const double product = up * 125 * network.round_trip_ms;
  network.link.queue_bytes =
      static_cast<std::uint64_t>(std::max(product * draw.between(0.1, 8), draw.between(3000, 100'000)));
  network.link.polices = draw.happens(0.1);
  network.link.exact = false;
  if (!network.link.polices && draw.happens(0.4))
    network.link.bucket_bytes = static_cast<std::uint64_t>(draw.between(1600, 60'000));
  if (draw.happens(0.3)) network.told_megabits = up * (draw.happens(0.5) ? draw.between(0.5, 4) : 1);
}

bool sends(Draw& draw, Pattern pattern, int from, int to, int ranks) {
  if (from == to) return false;
  switch (pattern) {
    case Pattern::ring:
      return to == (from + 1) % ranks;
    case Pattern::gather:
      return to == 0;
    case Pattern::some:
      return draw.happens(0.4);
    case Pattern::all_to_all:
    case Pattern::every_other:
      return true;
  }
  return false;
}

Messages messages_of(Draw& draw, const RandomNetwork& network) {
  const auto ranks = static_cast<std::size_t>(network.ranks());
  Messages messages(ranks, std::vector<double>(ranks));
  const double bytes = draw.between(200, 2e6);
  for (int from = 0; from < network.ranks(); ++from) {
    for (int to = 0; to < network.ranks(); ++to) {
      if (!sends(draw, network.pattern, from, to, network.ranks())) continue;
      const double part = network.pattern == Pattern::some ? draw.between(0.05, 1) : 1;
      messages[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = std::floor(bytes * part);
    }
  }
  return messages;
}

}  // namespace

RandomNetwork network_of(std::uint64_t seed) {
  Draw draw(seed);
  RandomNetwork network;
  network.hosts = 2 + draw.below(draw.happens(0.3) ? 11 : 4);
  if (draw.happens(0.3) && network.hosts <= 6) network.ranks_each = 2 + draw.below(3);
  network.wan = wan_of(draw, network);
  draw_links(draw, network);
  if (draw.happens(0.2)) network.longest_datagram = 8972;
  network.pattern = static_cast<Pattern>(draw.below(static_cast<int>(pattern_names.size())));
  network.messages = messages_of(draw, network);
  for (Least least = least_of(network); least.segments > most_segments || least.seconds > most_seconds;
       least = least_of(network)) {
    for (auto& row : network.messages)
      for (double& message : row)
        message = std::floor(message / 1.5);
  }
  return network;
}

Least least_of(const RandomNetwork& network) {
  std::vector<double> sent(network.up.size());
  std::vector<double> received(network.up.size());
  double bytes = 0;
  for (int from = 0; from < network.ranks(); ++from) {
    for (int to = 0; to < network.ranks(); ++to) {
      const double message = network.messages[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
      if (network.host_of(from) == network.host_of(to) || message == 0) continue;
      const double with_headers = message * (1 + header_bytes / segment_bytes) + header_bytes;
      sent[static_cast<std::size_t>(network.host_of(from))] += with_headers;
      received[static_cast<std::size_t>(network.host_of(to))] += with_headers;
      bytes += with_headers;
    }
  }
  double seconds = 0;
  for (std::size_t host = 0; host < sent.size(); ++host) {
    const double arrive = 1 - network.loss_percent / 100;
    seconds = std::max({seconds, sent[host] / arrive / megabits_per_second(network.up[host]).value,
                        received[host] / megabits_per_second(network.down[host]).value});
  }
  return {seconds + network.round_trip_ms / 2000, bytes / segment_bytes};
}

std::string name_of(const RandomNetwork& network) {
  double longest = 0;
  for (const auto& row : network.messages)
    longest = std::max(longest, std::ranges::max(row));
  const auto rates = [](const std::vector<double>& of) {
    return fmt::format("{:.2f} to {:.2f}", std::ranges::min(of), std::ranges::max(of));
  };
  return fmt::format(
      "{} hosts of {}, {}, up {}, down {} Mbit/s, {} {} bytes, bucket {}, {}, {} of {} bytes, datagrams of {}, bound {:.1f} "
      "ms",
      network.hosts, network.ranks_each, network.wan, rates(network.up), rates(network.down),
      network.link.polices ? "policer" : "queue", network.link.queue_bytes, network.link.bucket_bytes,
      network.told_megabits > 0 ? fmt::format("told {:.2f}", network.told_megabits) : "found",
      pattern_names[static_cast<std::size_t>(network.pattern)], longest, network.longest_datagram,
      1e3 * least_of(network).seconds);
}

}  // namespace lbsp::bench
