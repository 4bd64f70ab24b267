#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "tests/fuzz/fuzzing.hpp"
#include "transport/core/endpoint.hpp"
#include "transport/fixed_redundancy.hpp"

namespace lbsp::transport {

/// Endpoints in virtual time, and between them somebody who holds the job's key: he loses, repeats, reorders,
/// changes and makes up datagrams, as the fuzzer's bytes say, and what he changes is authentic again.
class MeddledNetwork {
 public:
  MeddledNetwork(Rank size, const ExchangeOptions& options, int repair_segments)
      : size_(size), left_(static_cast<std::size_t>(size)), buffer_(max_datagram_bytes) {
    for (Rank rank = 0; rank < size; ++rank) {
      endpoints_.push_back(std::make_unique<Endpoint>(
          EndpointConfig{rank,
                         size,
                         options,
                         key_,
                         cipher,
                         {},
                         std::make_shared<FixedRedundancy>(options.copies, repair_segments)},
          now_));
    }
  }

  Rank size() const { return size_; }
  Instant now() const { return now_; }
  Endpoint& endpoint(Rank rank) { return *endpoints_[static_cast<std::size_t>(rank)]; }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t in_flight() const { return in_flight_.size(); }
  /// The rank's process ends: it takes and sends nothing more.
  void leave(Rank rank) { left_[static_cast<std::size_t>(rank)] = true; }
  bool has_left(Rank rank) const { return left_[static_cast<std::size_t>(rank)]; }
  /// A message's bytes may be others than were sent, because datagrams were changed or forged.
  bool payload_forged() const { return payload_forged_; }

  /// Takes what the endpoints send now.
  void collect() {
    for (Rank from = 0; from < size_; ++from) {
      if (has_left(from)) continue;
      int at_once = 0;
      while (const auto transmit = endpoint(from).poll_transmit(buffer_, now_)) {
        in_flight_.push_back(
            {from,
             transmit->to,
             now_ + one_way_delay,
             {buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(transmit->bytes)}});
        ++sent_;
        fuzz::require(++at_once < 20'000, "what is sent at one moment has an end");
      }
    }
  }

  /// Lets the next thing happen: a datagram arrives or an endpoint's deadline comes; false if nothing ever
  /// will.
  bool step() {
    Instant timeout = never;
    for (Rank rank = 0; rank < size_; ++rank)
      timeout = has_left(rank) ? timeout : std::min(timeout, endpoint(rank).next_timeout());
    if (!in_flight_.empty() && in_flight_.front().arrives <= timeout) {
      deliver(0, false);
      return true;
    }
    if (timeout == never) return false;
    idle_steps_ = timeout > now_ ? 0 : idle_steps_ + 1;
    fuzz::require(idle_steps_ < 10'000, "a deadline that was met does not come again at once");
    pass(timeout - now_);
    return true;
  }

  void pass(Duration time) {
    now_ += std::max(time, Duration::zero());
    for (Rank rank = 0; rank < size_; ++rank) {
      if (!has_left(rank) && endpoint(rank).next_timeout() <= now_) endpoint(rank).handle_timeout(now_);
    }
  }

  /// One act of the meddler's, by the fuzzer's bytes.
  void meddle(WireReader& input) {
    const auto choice = input.get<std::uint8_t>();
    const std::size_t argument = choice / 8;
    const std::size_t place = in_flight_.empty() ? 0 : argument % in_flight_.size();
    switch (choice % 8) {
      case 0:
        for (std::size_t i = 0; i <= argument; ++i) {
          step();
          collect();
        }
        return;
      case 1:
        if (!in_flight_.empty()) in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(place));
        return;
      case 2:
        return deliver(place, true);
      case 3:
        return deliver(place, false);
      case 4:
        return change(place, input);
      case 5:
        return resize(place, input);
      case 6:
        return forge(argument, input);
      default:
        return pass(Duration{std::chrono::microseconds{1}} * (std::int64_t{1} << argument % 28));
    }
  }

 private:
  static constexpr Cipher cipher = Cipher::chacha20_poly1305;
  static constexpr Duration one_way_delay = std::chrono::milliseconds{5};

  struct Datagram {
    Rank from;
    Rank to;
    Instant arrives;
    std::vector<std::byte> bytes;
  };

  void deliver(std::size_t place, bool keep) {
    if (place >= in_flight_.size()) return;
    Datagram datagram = in_flight_[place];
    if (!keep) in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(place));
    pass(datagram.arrives - now_);
    if (!has_left(datagram.to)) endpoint(datagram.to).handle_datagram(datagram.bytes, now_);
  }

  DirectionKey key_of(Rank from, Rank to) const { return {key_, from, to, cipher}; }

  /// Opens the datagram, lets `action` at its body, and seals it again.
  template <class Action>
  void reseal(Datagram& datagram, Action action) {
    const std::span bytes(datagram.bytes);
    const auto header = *read_clear_header(bytes);
    auto key = key_of(datagram.from, datagram.to);
    const auto body =
        key.open(header.packet_number, bytes.first(clear_header_bytes), bytes.subspan(clear_header_bytes));
    fuzz::require(body.has_value(), "what an endpoint sends is authentic");
    std::vector<std::byte> other(body->begin(), body->end());
    action(other);
    datagram.bytes = sealed(header, other);
  }

  std::vector<std::byte> sealed(const ClearHeader& header, std::span<const std::byte> body) {
    payload_forged_ =
        payload_forged_ || header.kind == DatagramKind::data || header.kind == DatagramKind::coded;
    std::vector<std::byte> datagram(clear_header_bytes + body.size() + tag_bytes);
    WireWriter out(datagram);
    write(out, header);
    out.put(body);
    const std::span bytes(datagram);
    key_of(header.source, header.destination)
        .seal(header.packet_number, bytes.first(clear_header_bytes), bytes.subspan(clear_header_bytes));
    return datagram;
  }

  void change(std::size_t place, WireReader& input) {
    const std::size_t offset = input.get<std::uint8_t>();
    const auto value = static_cast<std::byte>(input.get<std::uint8_t>());
    if (place >= in_flight_.size()) return;
    reseal(in_flight_[place], [&](std::vector<std::byte>& body) {
      if (!body.empty()) body[offset % body.size()] ^= value;
    });
  }

  void resize(std::size_t place, WireReader& input) {
    const std::size_t length = input.get<std::uint8_t>();
    if (place >= in_flight_.size()) return;
    reseal(in_flight_[place], [&](std::vector<std::byte>& body) { body.resize(length); });
  }

  /// A datagram of any kind and body, with the next number but one that the receiver can expect.
  void forge(std::size_t argument, WireReader& input) {
    const auto from = static_cast<Rank>(argument) % size_;
    const auto to = (from + 1 + static_cast<Rank>(argument / 8) % (size_ - 1)) % size_;
    const auto kind = static_cast<DatagramKind>(1 + input.get<std::uint8_t>() % 6);
    const auto body = input.take(std::min<std::size_t>(input.get<std::uint8_t>(), input.rest().size()));
    const ClearHeader header{kind, from, to, key_.tag(), forged_++};
    in_flight_.push_front({from, to, now_, sealed(header, body)});
  }

  Rank size_;
  std::vector<bool> left_;
  JobKey key_{};
  std::vector<std::byte> buffer_;
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::deque<Datagram> in_flight_;
  Instant now_{std::chrono::hours{1}};
  std::uint64_t sent_ = 0;
  std::uint64_t forged_ = 1000;
  int idle_steps_ = 0;
  bool payload_forged_ = false;
};

}  // namespace lbsp::transport
