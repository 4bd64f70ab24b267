#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/core/endpoint_state.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// A datagram that has been written.
struct Transmit {
  Rank to = 0;
  std::size_t bytes = 0;
};

/// Writes datagrams: numbers them, seals them, and enters them in the books that are kept of what is sent.
class DatagramWriter {
 public:
  explicit DatagramWriter(EndpointState& state) : state_(state), job_tag_(state.config.key.tag()) {}

  /// Writes a datagram into `buffer`. `write_body(out)` writes what stands between its header and its tag.
  template <class WriteBody>
  Transmit write(Peer& to, DatagramKind kind, std::span<std::byte> buffer, Instant now,
                 WriteBody write_body) {
    const std::uint64_t packet_number = to.outbound.next_packet++;
    WireWriter out(buffer);
    transport::write(out, ClearHeader{kind, state_.config.rank, to.rank, job_tag_, packet_number});
    write_body(out);
    return seal(to, packet_number, buffer.first(out.written() + tag_bytes), now);
  }

 private:
  Transmit seal(Peer& to, std::uint64_t packet_number, std::span<std::byte> datagram, Instant now);

  EndpointState& state_;
  std::uint16_t job_tag_;
};

}  // namespace lbsp::transport
