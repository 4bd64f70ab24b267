#include "tools/probe/measure.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>

#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/probe/driver.hpp"
#include "transport/probe/statistics.hpp"

namespace lbsp::probe {
namespace {

using transport::PeerAddress;
using transport::SocketAddress;

SocketAddress find(const PeerAddress& peer) {
  try {
    return transport::resolve(peer, AF_INET);
  } catch (const SystemError&) {
    try {
      return transport::resolve(peer, AF_INET6);
    } catch (const SystemError&) {
      throw UsageError(fmt::format("host '{}' has no address here: check its name", peer.host));
    }
  }
}

/// The mean length of a run of losses of all sizes: few are lost of one.
double burst_of(const transport::probe::Measurement& measurement, bool down) {
  transport::probe::LossSummary all;
  for (const auto& size : measurement.sizes) {
    const auto& loss = (down ? size.down : size.up).loss;
    all.lost += loss.lost;
    all.runs += loss.runs;
  }
  return all.burst();
}

/// `largest`: that arrives whole, if it was measured; else `unfragmented` says what this host knows. `burst`:
/// of the path.
profile::PairProfile to_profile(const transport::probe::SizeResult& size, bool down,
                                std::optional<std::uint32_t> largest, std::size_t unfragmented,
                                double burst) {
  const auto& direction = down ? size.down : size.up;
  const auto& loss = direction.loss;
  profile::PairProfile pair;
  pair.from = down ? 1 : 0;
  pair.to = down ? 0 : 1;
  pair.packet_size = static_cast<int>(size.bytes);
  pair.fragmented = size.bytes > largest.value_or(unfragmented);
  if (largest) pair.largest_datagram = static_cast<int>(*largest);
  pair.loss = loss.loss();
  const auto interval =
      transport::probe::wilson_interval(loss.lost, loss.sent, std::max(burst, loss.burst()));
  pair.loss_interval = {interval.low, interval.high};
  pair.loss_sample = loss.sent;
  pair.burst = loss.burst();
  for (std::size_t i = 0; i < transport::probe::copy_spacings.size(); ++i) {
    const auto& copies = loss.copies[i];
    if (copies.first_lost == 0) continue;
    pair.second_copy_loss.push_back(
        {std::chrono::duration<double>(transport::probe::copy_spacings[i]).count(),
         static_cast<double>(copies.both_lost) / copies.first_lost, copies.first_lost});
  }
  auto trips = size.round_trips;
  pair.round_trip = {transport::probe::quantile(trips, 0), transport::probe::quantile(trips, 0.5),
                     transport::probe::quantile(trips, 0.99)};
  pair.bandwidth = direction.bandwidth.value;
  return pair;
}

/// A profile holds no size that nothing is known of.
bool usable(const transport::probe::SizeResult& size, bool down) {
  const auto& direction = down ? size.down : size.up;
  return direction.loss.lost < direction.loss.sent && direction.bandwidth.value > 0 &&
         !size.round_trips.empty();
}

PairResult to_result(const transport::probe::Measurement& measurement, std::size_t unfragmented) {
  PairResult result;
  for (const bool down : {false, true}) {
    const double burst = burst_of(measurement, down);
    for (const auto& size : measurement.sizes) {
      const char* const way = down ? "back" : "there";
      if (!usable(size, down)) {
        result.notes.push_back(fmt::format("{} bytes {}: too little arrived, left out", size.bytes, way));
        continue;
      }
      const auto largest = down ? measurement.largest_down : measurement.largest_up;
      result.pairs.push_back(to_profile(size, down, largest, unfragmented, burst));
      if ((down ? size.down : size.up).limited_by_sender) ++result.limited_by_sender;
    }
  }
  if (const auto& rates = measurement.responder_rates)
    result.other_rates = profile::ComputeRates{(*rates)[0], (*rates)[1], (*rates)[2], (*rates)[3]};
  return result;
}

}  // namespace

std::string note_of_limited(int entries, const std::vector<std::string>& pairs) {
  constexpr std::size_t most_named = 3;
  const std::size_t named = std::min(pairs.size(), most_named);
  const auto last = pairs.begin() + static_cast<std::ptrdiff_t>(named);
  std::string of_pairs;
  if (named > 0) of_pairs = fmt::format(" of {}", fmt::join(pairs.begin(), last, ", "));
  if (pairs.size() > named) of_pairs += " and " + counted(pairs.size() - named, "more pair");
  return fmt::format(
      "{}{} no more than what could be sent (--max-rate, or the sending host, most of all with short datagrams): the "
      "path may take more",
      counted(static_cast<std::size_t>(entries), "bandwidth"), of_pairs + (entries == 1 ? " is" : " are"));
}

PairResult measure_pair(const PeerAddress& responder, const transport::JobKey& key,
                        const transport::probe::MeasurementPlan& plan, const Impairment& impairment,
                        const std::function<void(double)>& progress) {
  const auto peer = find(responder);
  transport::probe::Client client(key, peer, plan, transport::probe::Driver::now());
  const char* const any = peer.storage.ss_family == AF_INET6 ? "::" : "0.0.0.0";
  transport::probe::Driver driver(transport::UdpPort::bind(any, 0), client, impairment.wan, impairment.seed);
  double told = 0;
  driver.on_event([&] {
    if (client.progress() == told) return;
    told = client.progress();
    progress(told);
  });
  driver.run();
  if (client.out_of_time()) throw OutOfTime(fmt::format("{} {}", to_string(responder), client.failure()));
  if (!client.failure().empty()) throw Error(fmt::format("{} {}", to_string(responder), client.failure()));
  return to_result(client.result(), transport::probe::largest_unfragmented(peer));
}

transport::UdpPort open_port(const std::string& address, std::uint16_t port) {
  if (!address.empty()) return transport::UdpPort::bind(address, port);
  try {
    return transport::UdpPort::bind("::", port);
  } catch (const SystemError&) {
    return transport::UdpPort::bind("0.0.0.0", port);  // a host without IPv6
  }
}

transport::probe::Rates as_rates(const std::optional<profile::ComputeRates>& compute) {
  if (!compute) return std::nullopt;
  return std::array{compute->dgemm_flops, compute->sort_keys, compute->fft_flops, compute->stencil_points};
}

}  // namespace lbsp::probe
