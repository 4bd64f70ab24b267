#pragma once

#include <cstdint>
#include <optional>

#include "transport/peers/endpoint_state.hpp"
#include "transport/rate/burst_bound.hpp"
#include "transport/rate/first_data.hpp"
#include "transport/rate/first_flight.hpp"
#include "transport/rate/widening_start.hpp"

namespace lbsp::transport {

/// What the first datagrams to other hosts show of the rate at which to send, and then the first data: until they have
/// answered, what else is to be sent waits.
class FirstRates {
 public:
  explicit FirstRates(EndpointState& state);

  /// Whether nothing more may be in flight to other hosts.
  bool full() const;
  /// Whether those who were asked first have answered (FirstFlight).
  bool answered() const { return first_.answered(); }

  bool over() const { return first_.over(); }
  /// An echo of a first datagram, which the mark is of, unless they are over: full() may have changed.
  void judge(const Peer& to, const TrainMark& mark, Instant now);

  bool data_over() const { return first_data_.over() && widening_.over(); }
  /// The same of first data, which the path has carried like that, unless that is over. Returns a rate that counts for
  /// bursts to all alone, if it has shown one.
  std::optional<BytesPerSecond> judge_data(const Peer& to, const TrainMark& mark,
                                           const BurstMeter::Seen& seen, double variation, Instant now);

 private:
  void look_from(BytesPerSecond rate, Instant now);
  void begin_data(std::uint64_t echoed);
  void judge_widening(const TrainMark& mark, const BurstMeter::Seen& seen, Instant now);
  /// With what had to wait of earlier ones, to all.
  std::uint64_t bytes_of_leg() const { return state_.leg_bytes + state_.waiting_bytes; }
  FirstData::Sent sent_to(Duration round_trip) const;
  Duration longest_round_trip() const;

  EndpointState& state_;
  FirstFlight first_;
  WideningStart widening_;
  FirstData first_data_;
};

}  // namespace lbsp::transport
