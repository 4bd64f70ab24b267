#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "transport/address_answer.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/sending/datagram_writer.hpp"
#include "transport/wire/byte_order.hpp"

namespace lbsp::transport {

/// Asks peers whose datagrams come from another address than before whether they are there. Only who is answers: the
/// question goes nowhere else, and nobody else can read it. So nobody who brings copies of a peer's datagrams, however
/// fast, has what is sent to that peer sent to himself, or to a third. (Path validation: RFC 9000, section 8.2.)
///
/// Nor does he keep the peer from being found: while a question has no answer, those of the peer's datagrams that have
/// come before, his copies or the peer's own, are asked about as well. Each question has a number, and an answer to any
/// of the last ones counts.
///
/// Of either kind two addresses are asked at once, then up to six more in turn, a tenth of a second apart, and in the
/// end one in a second: a host that was named in vain gets 31 bytes. So that ever other addresses do not use that up,
/// the last four of the eight go only to those from which several of the last datagrams came.
class AddressChecks {
 public:
  AddressChecks(EndpointState& state, DatagramWriter& writer) : state_(state), writer_(writer) {}

  /// Where a peer's datagram came from, which is not where it is known to be.
  struct Elsewhere {
    bool copy = false;      ///< it is not the peer's newest, but a copy of one that has come
    bool anew = true;       ///< the peer has not been asked there
    bool repeated = false;  ///< another of the last ones of its kind came from there as well
  };
  /// The number of the question that is to be sent there (Whereto::asked); none: not now.
  std::optional<std::uint32_t> ask(Rank peer, Elsewhere where, Instant now);
  /// The peer is where it is known to be: no answer to a question of before counts.
  void rest(Rank peer);
  /// Whether a question to the peer has no answer.
  bool asks(Rank peer) const;
  /// Takes a question or an answer; false: it makes no sense.
  bool take(const Peer& from, WireReader& in);
  /// By whom which questions have been answered.
  std::vector<AddressAnswer> take_answers();

  bool ready() const { return !waiting_.empty() || !owed_.empty(); }
  /// The next question or answer; none if there is none.
  const Transmit* next(std::span<std::byte> buffer, Instant now);

 private:
  static constexpr int all_at_once = 8;

  /// Of questions of one kind to a peer.
  struct Budget {
    int left = all_at_once;
    Instant filled{};      ///< when `left` was as told
    Instant not_before{};  ///< the next one waits until then
  };
  /// Of one peer.
  struct Check {
    std::vector<std::uint32_t> open = {};  ///< the last questions
    bool unsent = false;                   ///< the last of them is to be sent
    std::array<Budget, 2> budgets = {};    ///< by whether about a copy
  };
  struct Owed {
    Rank to;
    std::uint32_t number;
    Whereto whereto;
  };

  static bool take_from(Budget& budget, Elsewhere where, Instant now);

  EndpointState& state_;
  DatagramWriter& writer_;
  std::map<Rank, Check> checks_;
  std::vector<Rank> waiting_;  ///< who is to be asked
  std::vector<Owed> owed_;     ///< answers
  std::vector<AddressAnswer> answers_;
  std::uint32_t questions_ = 0;
};

}  // namespace lbsp::transport
