#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "transport/ending/failure.hpp"
#include "transport/messages/delayed_queue.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/sending/datagram_writer.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Last words: FIN, and ABORT when the job has failed. They do not wait for the pacer.
class Control {
 public:
  Control(EndpointState& state, DatagramWriter& writer) : state_(state), writer_(writer) {}

  void say_fin(Rank to) { queue_.push({DatagramKind::fin, to}); }
  /// Ends this endpoint and tells all others. A rank that is told tells it on, because the rank that said it
  /// first may be gone, and all of its datagrams to another lost.
  void fail(const AbortNotice& notice, Instant now);
  const std::optional<Failure>& failure() const { return failure_; }

  /// None if there is none now.
  const Transmit* next(std::span<std::byte> buffer, Instant now) {
    queue_.release(now);
    return queue_.ready() ? write_next(buffer, now) : nullptr;
  }
  /// When next() has something that it does not have yet.
  Instant next_release() const { return queue_.next_release(); }

 private:
  struct Job {
    DatagramKind kind;
    Rank peer;
  };

  const Transmit* write_next(std::span<std::byte> buffer, Instant now);

  EndpointState& state_;
  DatagramWriter& writer_;
  DelayedQueue<Job> queue_;
  std::optional<Failure> failure_;
  AbortNotice notice_;
  Instant last_words_{};  ///< when ABORT is said for the last time
};

}  // namespace lbsp::transport
