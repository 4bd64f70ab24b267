#include "transport/udp/udp_legs.hpp"

#include <utility>

#include "transport/exchange_arguments.hpp"
#include "transport/udp/driving/io_thread.hpp"
#include "transport/udp/leg_beginnings.hpp"

namespace lbsp::transport {

void UdpLegs::begin_exchange_with(const std::vector<Rank>& others, std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, io_.size());
  check_ranks(others, io_.rank(), io_.size());
  io_.start(leg_is_over, true, first_leg_with(others, std::move(outgoing)));
}

void UdpLegs::begin_last_exchange(std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, io_.size());
  io_.start(leg_is_over, true, last_leg(std::move(outgoing)));
}

void UdpLegs::begin_reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                          const std::vector<Rank>& sources) {
  check_outgoing(outgoing, io_.size());
  check_ranks(destinations, io_.rank(), io_.size());
  check_ranks(sources, io_.rank(), io_.size());
  io_.start(leg_is_over, true, leg_of_replies(std::move(outgoing), destinations, sources));
}

std::vector<Bytes> UdpLegs::complete(const std::function<void()>& look) {
  return io_.wait(look);
}

void UdpLegs::throw_if_failed() const {
  io_.throw_if_failed();
}

}  // namespace lbsp::transport
