#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "transport/peers/endpoint_state.hpp"
#include "transport/sending/datagram_writer.hpp"
#include "transport/wire/byte_order.hpp"

namespace lbsp::transport {

/// Asks peers whose datagrams come from another address than before whether they are there. Only who is answers: the
/// question goes nowhere else, and nobody else can read it. So nobody who brings copies of a peer's datagrams, however
/// fast, has what is sent to that peer sent to himself, or to a third. (Path validation: RFC 9000, section 8.2.)
///
/// A question that is not answered is asked again with later datagrams from there, after a tenth of a second and then
/// ever longer times: a host that was named in vain gets one of 31 bytes in a second in the end.
class AddressChecks {
 public:
  AddressChecks(EndpointState& state, DatagramWriter& writer) : state_(state), writer_(writer) {}

  /// The peer's newest datagram came from an address where it is not known to be: `anew`, if not that of the last
  /// call.
  void ask(Rank peer, bool anew, Instant now);
  /// Takes a question or an answer; false: it makes no sense.
  bool take(const Peer& from, WireReader& in);
  /// Peers that have answered, each from the address that it was asked at.
  std::vector<Rank> take_confirmed();

  bool ready() const { return !waiting_.empty(); }
  /// The next question or answer; none if there is none.
  const Transmit* next(std::span<std::byte> buffer, Instant now);

 private:
  /// Of one peer.
  struct Check {
    std::uint32_t asked = 0;  ///< the number of the question, from 1 on; 0: none is open
    Duration wait{0};         ///< before it is asked again …
    Instant not_before{};     ///< … not before then
    bool ask = false;         ///< a question is to be sent
    std::optional<std::uint32_t> answer = {};
  };

  EndpointState& state_;
  DatagramWriter& writer_;
  std::map<Rank, Check> checks_;
  std::vector<Rank> waiting_;  ///< which have something to send
  std::vector<Rank> confirmed_;
  std::uint32_t questions_ = 0;
};

}  // namespace lbsp::transport
