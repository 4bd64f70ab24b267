#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "transport/peers/peers.hpp"

namespace lbsp::transport {

/// The order in which paths to other hosts are put on trial of which nothing has shown how long datagrams arrive. Where
/// the questions of all would take long, it is one after the other, as what the first trial finds is where the others
/// begin (PathSizes::begin_with). All at once would fill a slow link, and each other's answers would be lost there.
class TrialLine {
 public:
  explicit TrialLine(const Peers& peers) : peers_(peers) {}

  /// This one is on trial now, and its questions have not been asked.
  void join(Rank peer);
  /// Whose questions may be asked now, if those of no more than `most` may be on their way at once; others than these
  /// paths do not wait.
  std::optional<Rank> take_next(std::ptrdiff_t most);

 private:
  bool is_open(const Peer& peer) const;
  bool waits(Rank peer) const;
  std::ptrdiff_t asked() const;

  const Peers& peers_;
  std::vector<Rank> waiting_;
};

}  // namespace lbsp::transport
