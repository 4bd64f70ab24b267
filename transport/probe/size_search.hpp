#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace lbsp::transport::probe {

/// So many datagrams of one size.
struct SizeTrial {
  std::uint32_t bytes = 0;
  std::uint32_t count = 0;
};

/// Finds the largest datagram that one direction of a path carries whole, by trying sizes as RFC 8899 does:
/// those that usual networks have, then what lies between. It does no I/O: the caller asks what to send and
/// says what of it arrived.
///
/// A size that arrives once fits. The size just above the largest that fits is taken not to fit when `proof`
/// datagrams of it are lost while some of the largest arrive. Where 15 % are lost by chance, that is wrong
/// once in 10^14 measurements; where 50 % are, once in 10^5.
class SizeSearch {
 public:
  static constexpr std::uint32_t proof = 18;
  /// Of one step, and in all; a search that is not over by then has found a size that fits, if any arrived.
  static constexpr std::size_t most_sizes_in_step = 8;
  static constexpr int most_steps = 16;

  /// What to send in the next step; nothing: the search is over.
  std::vector<SizeTrial> next() const;
  /// How many of the datagrams of a step arrived, in the order of `sent`. Sizes that next() did not ask for
  /// count too.
  void take(const std::vector<SizeTrial>& sent, const std::vector<std::uint32_t>& arrived);

  /// Bytes of UDP payload; 0: nothing arrived.
  std::uint32_t largest() const { return largest_; }

 private:
  bool over() const;
  std::uint32_t lost_of(std::uint32_t bytes) const;
  std::vector<std::uint32_t> between(std::uint32_t least, std::uint32_t end) const;

  std::uint32_t largest_ = 0;
  std::map<std::uint32_t, std::uint32_t> lost_;  ///< datagrams of sizes of which none arrived
  int steps_ = 0;
};

}  // namespace lbsp::transport::probe
