#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "transport/lasting/lasting_endpoint.hpp"
#include "transport/splitmix.hpp"
#include "transport/udp/batches/host_refusals.hpp"

namespace lbsp::transport::testing {

/// Processes in virtual time that do supersteps, each message of which says who sent it in which superstep of the job.
/// On a change of the world they go back to its boundary.
class LastingJob {
 public:
  struct Network {
    double loss = 0;
    Duration delay = std::chrono::milliseconds{10};
    std::uint64_t seed = 7;
    double uplink = 0;            ///< bytes per second of each process; 0: any
    double queue_bytes = 262144;  ///< that wait there at most; what finds no room is dropped
    std::size_t message_bytes = 2000;
    std::size_t long_bytes =
        0;  ///< of what each rank sends the next one in every seventh superstep; 0: as others
    BytesPerSecond
        first_rate{};  ///< of which each process finds what the network carries; 0: it is told enough
    Duration patience = peer_timeout;
  };

  LastingJob(Slot size, std::uint64_t supersteps, const Network& network, bool outlived = true)
      : supersteps_(supersteps), network_(network), random_(splitmix(network.seed)) {
    EndpointConfig config;
    config.size = size;
    config.options.outlives_ranks = outlived;
    config.options.peer_timeout = network.patience;
    config.options.find_rate = network.first_rate.value > 0;
    config.options.find_datagram = config.options.find_rate;
    if (config.options.find_rate) config.options.rate = network.first_rate;
    for (Slot slot = 0; slot < size; ++slot) {
      config.rank = slot;
      processes_.push_back({std::make_unique<LastingEndpoint>(config, PlannerFactory{}, now_)});
    }
  }

  void run_for(Duration time) {
    for (const Instant end = now_ + time; now_ < end; now_ += std::chrono::milliseconds{1})
      tick();
  }
  /// Until all that live, and do not sleep for ever, have come to their end.
  void run_to_the_end(Duration most) {
    for (const Instant end = now_ + most; now_ < end && !over(); now_ += std::chrono::milliseconds{1})
      tick();
  }

  LastingEndpoint& operator[](Slot slot) { return *of(slot).endpoint; }
  /// Bytes per second of each process, from now on.
  void set_uplink(double rate) { network_.uplink = rate; }
  Slot size() const { return static_cast<Slot>(processes_.size()); }
  std::uint64_t completed(Slot slot) const { return of(slot).completed; }
  const std::vector<WorldChange>& changes(Slot slot) const { return of(slot).changes; }
  /// All supersteps done, and nobody needs it any more.
  bool finished(Slot slot) const { return of(slot).left; }
  bool failed(Slot slot) const { return of(slot).endpoint->failure().has_value(); }
  /// A message was not what it should have been, a boundary one that a process did not hold, or a datagram named others
  /// than the slots of its sender and receiver: by these whoever shares a UDP port is told apart.
  bool wrong() const { return wrong_; }
  Duration passed() const { return now_ - start; }

  MemberSet dead;
  std::function<bool(Slot, Slot)> cut = [](Slot, Slot) { return false; };
  /// The host of the first one refuses to send to the second one, and says so.
  std::function<bool(Slot, Slot)> refused = [](Slot, Slot) { return false; };
  std::function<bool(Slot to, std::size_t bytes)> too_long = [](Slot, std::size_t) { return false; };
  std::function<bool(Slot, Duration)> frozen = [](Slot, Duration) { return false; };
  /// Who computes takes no notice of anything.
  MemberSet computing;

  static constexpr Duration peer_timeout = std::chrono::seconds{1};

 private:
  struct Process {
    std::unique_ptr<LastingEndpoint> endpoint;
    std::uint64_t completed = 0;
    bool begun = false;
    bool finishing = false;
    bool left = false;
    std::vector<WorldChange> changes = {};
    std::deque<std::vector<std::byte>> inbox = {};
    Instant uplink_free{};
    HostRefusals refusals = {};
  };
  struct Datagram {
    Slot to;
    std::vector<std::byte> bytes;
  };

  Process& of(Slot slot) { return processes_[static_cast<std::size_t>(slot)]; }
  const Process& of(Slot slot) const { return processes_[static_cast<std::size_t>(slot)]; }
  double fraction() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  bool over() const {
    for (Slot slot = 0; slot < size(); ++slot)
      if (!dead.has(slot) && !of(slot).left && !failed(slot)) return false;
    return true;
  }

  /// `steps`: how many ranks further on the receiver is.
  Bytes message(Slot from, std::uint64_t superstep, std::size_t steps) const {
    const bool is_long = network_.long_bytes > 0 && superstep % 7 == 3 && steps == 1;
    Bytes bytes(is_long ? network_.long_bytes : network_.message_bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(superstep + 31 * static_cast<std::uint64_t>(from) + i);
    return bytes;
  }

  void tick() {
    for (; !datagrams_.empty() && datagrams_.begin()->first <= now_; datagrams_.erase(datagrams_.begin()))
      of(datagrams_.begin()->second.to).inbox.push_back(std::move(datagrams_.begin()->second.bytes));
    for (Slot slot = 0; slot < size(); ++slot) {
      if (dead.has(slot) || of(slot).left || frozen(slot, passed())) continue;
      for (std::vector<std::byte>& bytes : of(slot).inbox)
        (*this)[slot].handle_datagram(bytes, now_);
      of(slot).inbox.clear();
      work(slot);
    }
  }

  void begin(Slot slot) {
    Process& process = of(slot);
    process.finishing = process.completed == supersteps_;
    if (process.finishing) return process.endpoint->begin_finish(now_);
    process.endpoint->hold(process.completed);
    const auto ranks = static_cast<std::size_t>(process.endpoint->world().size());
    const auto own = static_cast<std::size_t>(process.endpoint->world().rank());
    std::vector<Bytes> messages;
    for (std::size_t to = 0; to < ranks; ++to)
      messages.push_back(message(slot, process.completed + 1, (to + ranks - own) % ranks));
    process.endpoint->begin([&](Endpoint& endpoint) { endpoint.begin_exchange(std::move(messages), now_); },
                            now_);
  }

  void work(Slot slot) {
    LastingEndpoint& endpoint = (*this)[slot];
    if (endpoint.next_timeout() <= now_) endpoint.handle_timeout(now_);
    if (!endpoint.failure() && !computing.has(slot)) get_on(slot);
    send(slot);
  }

  /// As a process that has not begun yet does (UdpExchange).
  bool awaits_answers(Slot slot) {
    const Endpoint& endpoint = (*this)[slot].world().endpoint();
    return endpoint.awaits_first_answers() && now_ < endpoint.first_answers_until(start);
  }

  void get_on(Slot slot) {
    Process& process = of(slot);
    LastingEndpoint& endpoint = *process.endpoint;
    if (!process.begun) {
      process.begun = !awaits_answers(slot);
      if (process.begun) begin(slot);
    } else if (endpoint.change()) {
      process.changes.push_back(endpoint.take_change());
      const std::uint64_t boundary = process.changes.back().boundary;
      wrong_ = wrong_ || boundary > process.completed || boundary + 1 < process.completed;
      process.completed = boundary;
      begin(slot);
    } else if (process.finishing) {
      process.left = endpoint.finished();
    } else if (endpoint.exchange_complete()) {
      take(slot);
      begin(slot);
    }
  }

  void take(Slot slot) {
    Process& process = of(slot);
    const std::uint64_t superstep = ++process.completed;
    const std::vector<Bytes> messages = process.endpoint->take_messages();
    const bool changed = !process.changes.empty();
    const auto own = static_cast<std::size_t>(process.endpoint->world().rank());
    for (std::size_t rank = 0; rank < messages.size(); ++rank) {
      const Slot from = changed ? process.changes.back().members[rank] : static_cast<Slot>(rank);
      const std::size_t steps = (own + messages.size() - rank) % messages.size();
      wrong_ = wrong_ || (from != slot && messages[rank] != message(from, superstep, steps));
    }
  }

  void send(Slot slot) {
    std::vector<std::byte> buffer(ExchangeOptions{}.datagram_bytes);
    while (const auto transmit = (*this)[slot].poll_transmit(buffer, now_)) {
      const auto header = read_clear_header(std::span(buffer).first(transmit->bytes));
      wrong_ = wrong_ || !header || header->source != slot || header->destination != transmit->to;
      if (!host_takes(slot, transmit->to)) continue;
      const auto leaves = through_uplink(slot, transmit->bytes);
      const bool lost = fraction() < network_.loss;
      if (!leaves || lost || cut(slot, transmit->to) || too_long(transmit->to, transmit->bytes)) continue;
      const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(transmit->bytes);
      datagrams_.emplace(*leaves + network_.delay, Datagram{transmit->to, {buffer.begin(), end}});
    }
  }

  bool host_takes(Slot from, Slot to) {
    const bool refuses = refused(from, to);
    HostRefusals& refusals = of(from).refusals;
    if (refuses) {
      refusals.refused(to, EPERM);
    } else {
      refusals.taken(to);
    }
    for (const auto& change : refusals.take_changes())
      (*this)[from].world().ways().note_host_refusal(change.to, change.error, now_);
    return !refuses;
  }

  /// When it has left; nothing if there is no room for it.
  std::optional<Instant> through_uplink(Slot slot, std::size_t bytes) {
    if (network_.uplink == 0) return now_;
    Instant& free = of(slot).uplink_free;
    const double waiting = std::chrono::duration<double>(free - now_).count() * network_.uplink;
    if (waiting > network_.queue_bytes) return std::nullopt;
    const std::chrono::duration<double> time(static_cast<double>(bytes) / network_.uplink);
    free = std::max(free, now_) + std::chrono::duration_cast<Duration>(time);
    return free;
  }

  static constexpr Instant start{std::chrono::seconds{1}};

  std::uint64_t supersteps_;
  Network network_;
  Instant now_ = start;
  std::vector<Process> processes_;
  std::multimap<Instant, Datagram> datagrams_;  ///< by when they arrive
  std::mt19937_64 random_;
  bool wrong_ = false;
};

}  // namespace lbsp::transport::testing
