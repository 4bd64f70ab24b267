#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/ecn.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/whereto.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// A datagram that has been written.
struct Transmit {
  Rank to = 0;
  std::size_t bytes = 0;
  /// It may be lost together with those before and behind it: no two of them are copies of each other, and at the
  /// rank's rate they leave together anyway.
  bool in_train = false;
  Ecn ecn = Ecn::none;  ///< with which it is to go
  Whereto whereto = Whereto::known;
};

/// Writes datagrams: numbers them, seals them, and enters them in the books that are kept of what is sent.
///
/// What has been written is told by reference, until the next is. The processor would wait for copies: of what a
/// function has just written field by field, another one reads several fields at once only when all are in the cache.
class DatagramWriter {
 public:
  explicit DatagramWriter(EndpointState& state) : state_(state), job_tag_(state.config.key.tag()) {}

  /// Writes a datagram into `buffer`. `write_body(out)` writes what stands between its header and its tag.
  template <class WriteBody>
  const Transmit& write(Peer& to, DatagramKind kind, std::span<std::byte> buffer, Instant now,
                        WriteBody write_body, bool in_train = false) {
    const std::size_t bytes = fill(to, kind, buffer, write_body);
    written_.in_train = in_train;
    to.path.narrow.sent(to.outbound.next_packet, bytes);
    to.outbound.questions = 0;
    to.outbound.longest = std::max(to.outbound.longest, bytes);
    seal(to, kind, buffer.first(bytes), now);
    return written_;
  }
  /// The same for a question whether a datagram of this length arrives, or at this address. It says nothing of the
  /// path or the rate if it does not.
  template <class WriteBody>
  const Transmit& write_question(Peer& to, DatagramKind kind, std::span<std::byte> buffer, Instant now,
                                 WriteBody write_body, Whereto whereto = Whereto::known) {
    const std::size_t bytes = fill(to, kind, buffer, write_body);
    written_.whereto = whereto;
    if (to.outbound.questions < most_questions_before) ++to.outbound.questions;
    state_.rate.pause(now);
    seal(to, kind, buffer.first(bytes), now);
    state_.rate.pause(now);
    return written_;
  }

 private:
  template <class WriteBody>
  std::size_t fill(const Peer& to, DatagramKind kind, std::span<std::byte> buffer, WriteBody write_body) {
    WireWriter out(buffer);
    transport::write(out, ClearHeader{kind, state_.config.rank, to.rank, job_tag_, to.outbound.next_packet,
                                      to.outbound.questions});
    write_body(out);
    written_ = {.to = to.rank,
                .bytes = out.written() + tag_bytes,
                .ecn = to.path.ecn.capable() ? Ecn::capable : Ecn::none};
    return out.written() + tag_bytes;
  }
  void seal(Peer& to, DatagramKind kind, std::span<std::byte> datagram, Instant now);

  EndpointState& state_;
  std::uint16_t job_tag_;
  Transmit written_;
};

}  // namespace lbsp::transport
