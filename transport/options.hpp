#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/units.hpp"

namespace lbsp::transport {

/// How lost segments are found and sent again.
enum class Recovery : std::uint8_t {
  receiver,     ///< the receiver reports what is missing, the sender repairs at once (the default)
  rounds,       ///< the paper's selective scheme: rounds of 2τ, what is unacknowledged is sent again
  whole_round,  ///< the paper's first scheme: rounds of 2τ, everything is sent again if anything failed
};

/// Who decides how much is sent beforehand against loss.
enum class Redundancy : std::uint8_t {
  fixed,      ///< `copies` copies of every segment, always
  automatic,  ///< planned for each superstep and pair from what is measured: copies or coded segments
  copies,     ///< planned, copies only
  coded,      ///< planned, coded segments wherever a message has several segments
};

/// How a rank exchanges supersteps. The same on every rank of a job.
struct ExchangeOptions {
  Redundancy redundancy = Redundancy::fixed;
  int copies = 1;  ///< k, 1 … 16: planned transmissions of every segment, if fixed
  Recovery recovery = Recovery::receiver;
  BytesPerSecond rate = megabits_per_second(1000);  ///< what one rank may send, UDP payload
  bool find_rate = false;  ///< begin with `rate`, and go on with what the network is found to carry
  std::size_t datagram_bytes = 1400;                         ///< largest UDP payload sent, 256 … 65507
  std::uint64_t max_message_bytes = std::uint64_t{4} << 30;  ///< ceiling on one message, both ways
  Duration peer_timeout = std::chrono::seconds{15};          ///< silence after which a peer is given up
};

inline constexpr int max_copies = 16;
inline constexpr BytesPerSecond highest_found_rate = megabits_per_second(1000);
inline constexpr std::size_t min_datagram_bytes = 256;
inline constexpr std::size_t max_datagram_bytes = 65507;

/// Throws UsageError naming the first option that is out of its range.
void validate(const ExchangeOptions& options);

}  // namespace lbsp::transport
