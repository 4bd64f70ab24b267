#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/units.hpp"

namespace lbsp::transport {

/// How lost segments are found and sent again.
enum class Recovery : std::uint8_t {
  receiver,     ///< the receiver reports what is missing, and the sender repairs it at once (the default)
  rounds,       ///< the paper's selective scheme: in rounds of 2τ, sends again what is unacknowledged
  whole_round,  ///< the paper's first scheme: in rounds of 2τ, sends everything again if anything failed
};

/// Who decides how much is sent in advance against loss.
enum class Redundancy : std::uint8_t {
  fixed,      ///< `copies` copies of every segment, always
  automatic,  ///< planned for each superstep and pair from measurements: copies or coded segments
  copies,     ///< planned, copies only
  coded,      ///< planned, with coded segments wherever a message has several segments
};

/// How a rank exchanges supersteps. All ranks of a job must have the same.
struct ExchangeOptions {
  Redundancy redundancy = Redundancy::fixed;
  int copies = 1;  ///< k, 1 … 16: planned transmissions of every segment, if fixed
  /// If fixed, what messages of several segments have instead: other copies (0: the same), or r coded segments
  /// after each block.
  int longer_copies = 0;
  std::optional<int> repair_segments{};
  std::uint32_t protected_tail = 0;  ///< their last segments, which alone are protected; 0: all
  Recovery recovery = Recovery::receiver;
  BytesPerSecond rate = megabits_per_second(1000);  ///< the most that one rank sends, UDP payload
  bool find_rate = false;                           ///< begin with `rate`, then find what the network carries
  std::size_t datagram_bytes = 1400;                ///< largest UDP payload sent, 256 … 65507
  bool find_datagram = false;  ///< begin with base_datagram_bytes, then find what each path carries
  std::uint64_t max_message_bytes = std::uint64_t{4} << 30;  ///< the largest message, both ways
  Duration peer_timeout = std::chrono::seconds{15};          ///< a peer silent for so long is given up
  /// The job goes on without ranks that are lost (docs/survival.md), instead of ending with them. Over UDP only, and
  /// with the default recovery.
  bool outlives_ranks = false;
  /// Then for so long the others wait for new processes that take the slots of lost ones. 0: nobody takes them.
  Duration newcomer_wait{0};
};

inline constexpr int max_copies = 16;
/// What ranks of one host send one another, unless a higher rate is given for all.
inline constexpr BytesPerSecond within_host = megabits_per_second(1000);
inline constexpr BytesPerSecond highest_found_rate = megabits_per_second(1000);
inline constexpr std::size_t min_datagram_bytes = 256;
/// What almost every path carries: the base of RFC 8899, section 5.1.2.
inline constexpr std::size_t base_datagram_bytes = 1200;
inline constexpr std::size_t max_datagram_bytes = 65507;

/// How long the datagrams are that a rank begins with.
constexpr std::size_t first_datagram_bytes(const ExchangeOptions& options) {
  return options.find_datagram ? std::min(base_datagram_bytes, options.datagram_bytes)
                               : options.datagram_bytes;
}

/// Throws UsageError, which names the first option that is out of its range.
void validate(const ExchangeOptions& options);

}  // namespace lbsp::transport
