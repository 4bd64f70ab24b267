#pragma once

#include <optional>

#include "lbsp/job/messages.hpp"
#include "transport/shared_memory/segment.hpp"

namespace lbsp::launch::processes {

/// The memory that the ranks of this host share. This process makes it and hands it to theirs; it has no name, so that
/// nothing of it is left behind when all of them have ended, however they did.
class HostMemory {
 public:
  /// Makes it for the first rank that is to have it. Returns -1 if that one is to have none, or there can be none: the
  /// ranks then say that they have not got it.
  int descriptor_for(const std::optional<job::SharedMemory>& shared);

  /// The rank's process has ended. Ranks that wait for it learn it at once.
  void lose(Rank rank) const;

 private:
  struct Made {
    transport::shared_memory::SegmentFile file;
    transport::shared_memory::Mapping mapping;
    transport::shared_memory::Board board;
    Rank first_rank;
  };
  std::optional<Made> made_;
};

}  // namespace lbsp::launch::processes
