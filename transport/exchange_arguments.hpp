#pragma once

#include <cstdint>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/early_messages.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Checks the arguments that every Exchange takes. Throws UsageError, which names the broken rule.
void check_outgoing(const std::vector<Bytes>& outgoing, Rank size);
/// For the destinations and the sources of reply().
void check_ranks(const std::vector<Rank>& ranks, Rank own, Rank size);
/// For send_early() of a backend with that most_early().
void check_early(const EarlyMessages& messages, std::uint32_t most, Rank own, Rank size);

/// What a rank may send another in one leg, offers of memory counted in: an offer is for the user a message that is
/// carried another way.
class MessageCeiling {
 public:
  MessageCeiling(Rank self, Rank size, std::uint64_t bytes)
      : self_(self), bytes_(bytes), offered_(static_cast<std::size_t>(size)) {}

  /// A message of so many bytes beside the offers. Throws MessageTooLarge.
  void check(Rank to, std::uint64_t bytes, std::uint64_t superstep) const;
  /// Throws MessageTooLarge.
  void offer(Rank to, std::uint64_t bytes, std::uint64_t superstep);
  /// The leg is over.
  void forget_offers();

 private:
  Rank self_;
  std::uint64_t bytes_;
  std::vector<std::uint64_t> offered_;  ///< by rank
  bool any_offered_ = false;
};

/// Throws MessageTooLarge, which says what `from` sends in which superstep, and the ceiling.
[[noreturn]] void refuse_message(Rank from, Rank to, std::uint64_t bytes, std::uint64_t superstep,
                                 std::uint64_t ceiling_bytes);

}  // namespace lbsp::transport
