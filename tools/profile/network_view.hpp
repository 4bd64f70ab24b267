#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/profile/profile.hpp"

namespace lbsp::profile {

/// Asked for where nothing says what size will be sent.
inline constexpr int usual_packet_size = 1400;

/// The middle and the worst of what was measured on several paths.
struct Spread {
  double worst = 0;
  double median = 0;
};

/// The network between some hosts, for datagrams of one size.
struct NetworkSummary {
  int packet_size = 0;  ///< asked for; each path counts with the size nearest to it
  Spread loss{};
  Spread loss_after_loss{};  ///< of the next copy, given that one was lost
  Spread round_trip{};       ///< of the paths' medians, seconds
  Spread bandwidth{};        ///< the worst is the lowest, bytes per second
  Spread burst{};
  bool fragmented = false;           ///< on any path
  std::uint64_t fewest_samples = 0;  ///< datagrams behind a loss, where it is known; 0: nowhere
};

/// Answers questions about a profile, by hosts and packet sizes. The profile must live as long as this.
///
/// Questions about several hosts are answered from the measured paths between them; if there are none, from
/// all paths of the profile.
class NetworkView {
 public:
  explicit NetworkView(const Profile& profile);

  /// Whether the profile has figures of the path between two hosts, by their places.
  bool knows(int from, int to) const { return from != to && !entries(from, to).empty(); }
  /// Whether it has those of both directions.
  bool knows_both(int one, int other) const { return knows(one, other) && knows(other, one); }
  /// A pair of hosts, the smaller place first.
  using Pair = std::pair<int, int>;
  /// The pairs that are known in both directions, in order.
  std::vector<Pair> known() const;
  /// Those of which a direction or both were not measured, and that failed, in order; the first failure of each. Of all
  /// that are not known these are few: of many hosts nearly all pairs are not.
  std::vector<std::pair<Pair, const FailedPair*>> failed() const;
  /// The first `most` pairs of these hosts, which are in order, that are neither known nor failed.
  std::vector<Pair> first_unknown(std::span<const int> hosts, std::size_t most) const;
  /// The entry of a path that is known whose packet size is nearest; the smaller of two equally near.
  const PairProfile& pair(int from, int to, int packet_size) const;
  /// The sizes that were measured on all paths between these hosts, ascending; may be empty.
  std::vector<int> common_packet_sizes(std::span<const int> hosts) const;
  /// The largest UDP payload that every path between these hosts takes without fragments; none: not measured.
  std::optional<int> largest_datagram(std::span<const int> hosts) const;
  /// All paths between these hosts, at least two.
  NetworkSummary between(std::span<const int> hosts, int packet_size) const;

  const Profile& profile() const { return profile_; }

 private:
  /// From, to.
  using Path = std::pair<int, int>;

  std::vector<Path> known_paths(std::span<const int> hosts) const;
  const std::vector<const PairProfile*>& entries(int from, int to) const;

  const Profile& profile_;
  /// By from · hosts + to, of the paths that are known, as a profile of many hosts lacks most; by packet size.
  std::unordered_map<std::size_t, std::vector<const PairProfile*>> entries_;
};

/// How often the next copy is lost, sent `spacing` seconds after a lost one: interpolated between the two
/// measured spacings around it, or that of the nearest. Few samples count little beside the path's own loss,
/// which is the answer if nothing was measured. Less than 1.
double loss_after_loss(const PairProfile& pair, double spacing);

}  // namespace lbsp::profile
