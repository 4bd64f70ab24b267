#include "transport/udp/udp_exchange.hpp"

#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"
#include "transport/exchange_arguments.hpp"
#include "transport/peers/recovery_rules.hpp"
#include "transport/udp/driving/io_thread.hpp"
#include "transport/udp/leg_beginnings.hpp"

namespace lbsp::transport {

UdpExchange::UdpExchange(UdpPort port, const UdpJob& job)
    : max_message_bytes_(job.options.max_message_bytes),
      takes_early_(rules_of(job.options.recovery).takes_early) {
  try {
    io_ = std::make_unique<IoThread>(std::move(port), job);
    legs_.emplace(*io_);
    io_->await_first_answers();
  } catch (const boost::system::system_error& error) {
    throw SystemError(
        fmt::format("the network cannot be waited for ({}): close programs or raise the limit of open files",
                    error.code().message()));
  }
}

UdpExchange::~UdpExchange() = default;

WorldChange UdpExchange::take_seat() {
  try {
    io_->call(leg_is_over, false, [](LastingEndpoint&, Instant) {});
  } catch (const WorldChanged& changed) {
    return changed.change();
  }
  throw UsageError("this process has taken nobody's place: only a new one does");
}

Rank UdpExchange::rank() const noexcept {
  return io_->rank();
}
Rank UdpExchange::size() const noexcept {
  return io_->size();
}

void UdpExchange::check_message(Rank to, std::size_t bytes) const {
  if (bytes > max_message_bytes_) refuse_message(rank(), to, bytes, superstep_, max_message_bytes_);
}

/// What ends so many supersteps of this world, or the world.
template <class Call>
std::vector<Bytes> UdpExchange::in_world(std::uint64_t supersteps, const Call& call) {
  try {
    std::vector<Bytes> incoming = call();
    superstep_ += supersteps;
    return incoming;
  } catch (const WorldChanged&) {
    superstep_ = 0;
    throw;
  }
}

std::vector<Bytes> UdpExchange::exchange(std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, size());
  return in_world(1, [&] {
    return io_->call(leg_is_over, true, first_leg(std::move(outgoing), std::exchange(early_, {})));
  });
}

std::vector<Bytes> UdpExchange::last_exchange(std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, size());
  return in_world(1, [&] { return io_->call(leg_is_over, true, last_leg(std::move(outgoing))); });
}

std::vector<Bytes> UdpExchange::exchange_meanwhile(std::vector<Bytes> outgoing, const Work& work) {
  check_outgoing(outgoing, size());
  return in_world(1, [&] {
    io_->start(leg_is_over, true, first_leg(std::move(outgoing), std::exchange(early_, {})));
    work();
    return io_->wait();
  });
}

std::vector<Bytes> UdpExchange::reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                                      const std::vector<Rank>& sources) {
  check_outgoing(outgoing, size());
  check_ranks(destinations, rank(), size());
  check_ranks(sources, rank(), size());
  return in_world(0, [&] {
    return io_->call(leg_is_over, true, leg_of_replies(std::move(outgoing), destinations, sources));
  });
}

void UdpExchange::finish() {
  in_world(0, [&] {
    return io_->call([](const LastingEndpoint& endpoint) { return endpoint.finished(); }, false,
                     [](LastingEndpoint& endpoint, Instant now) { endpoint.begin_finish(now); });
  });
}

void UdpExchange::send_early(EarlyMessages messages) {
  check_early(messages, most_early(), rank(), size());
  early_ = std::move(messages);
}

std::vector<Bytes> UdpExchange::receive_early(const std::vector<Rank>& sources) {
  check_ranks(sources, rank(), size());
  return in_world(0, [&] {
    return io_->call(leg_is_over, true, [sources](LastingEndpoint& endpoint, Instant now) {
      endpoint.begin_early(sources, now);
    });
  });
}

void UdpExchange::hold(std::uint64_t boundary) {
  io_->act([boundary](LastingEndpoint& endpoint) { endpoint.hold(boundary); });
}

void UdpExchange::grow() {
  io_->act([](LastingEndpoint& endpoint) { endpoint.grow(); });
}

void UdpExchange::abort(std::string_view reason) noexcept {
  io_->abort(reason);
}

void UdpExchange::take_notice(const LossNotice& notice) noexcept {
  io_->take_notice(notice);
}

void UdpExchange::take_departures(const std::vector<Rank>& ranks) noexcept {
  io_->take_departures(ranks);
}

TrafficCounters UdpExchange::counters() const {
  return io_->get(&Outcome::Figures::counters);
}
Forecast UdpExchange::forecast() const {
  return io_->get(&Outcome::Figures::forecast);
}
NetworkMeasure UdpExchange::network() const {
  return io_->get(&Outcome::Figures::network);
}
std::vector<Rank> UdpExchange::awaited() {
  return io_->awaited_ranks();
}
Duration UdpExchange::network_thread_time() {
  return io_->processor_time();
}
UdpLosses UdpExchange::losses() const {
  return io_->get(&Outcome::Figures::losses);
}

}  // namespace lbsp::transport
