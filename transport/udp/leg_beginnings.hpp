#pragma once

#include <utility>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/early_messages.hpp"
#include "transport/udp/driving/io_thread.hpp"
#include "transport/units.hpp"

/// What begins each kind of leg on an epoch's endpoint, in the thread whose turn it is (IoThread::start()).
namespace lbsp::transport {

inline bool leg_is_over(const LastingEndpoint& endpoint) {
  return endpoint.exchange_complete();
}

template <class Begin>
auto leg_of_epoch(Begin begin) {
  return [begin = std::move(begin)](LastingEndpoint& endpoint, Instant now) mutable {
    endpoint.begin([&](Endpoint& of_now) { begin(of_now, now); }, now);
  };
}

inline auto first_leg(std::vector<Bytes> outgoing, EarlyMessages early) {
  return leg_of_epoch(
      [outgoing = std::move(outgoing), early = std::move(early)](Endpoint& endpoint, Instant now) mutable {
        endpoint.begin_exchange(std::move(outgoing), now);
        if (!early.destinations.empty()) endpoint.send_early(std::move(early));
      });
}

/// A first leg with `others` only.
inline auto first_leg_with(const std::vector<Rank>& others, std::vector<Bytes> outgoing) {
  return leg_of_epoch([others, outgoing = std::move(outgoing)](Endpoint& endpoint, Instant now) mutable {
    endpoint.begin_exchange_with(others, std::move(outgoing), now);
  });
}

/// The last first leg.
inline auto last_leg(std::vector<Bytes> outgoing) {
  return leg_of_epoch([outgoing = std::move(outgoing)](Endpoint& endpoint, Instant now) mutable {
    endpoint.begin_last_exchange(std::move(outgoing), now);
  });
}

inline auto leg_of_replies(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) {
  return leg_of_epoch(
      [outgoing = std::move(outgoing), destinations, sources](Endpoint& endpoint, Instant now) mutable {
        endpoint.begin_reply(std::move(outgoing), destinations, sources, now);
      });
}

}  // namespace lbsp::transport
