#include "tools/launch/processes/host_memory.hpp"

#include <utility>

#include "transport/error.hpp"

namespace lbsp::launch::processes {

using transport::shared_memory::Board;
using transport::shared_memory::Geometry;
using transport::shared_memory::Mapping;
using transport::shared_memory::SegmentFile;

int HostMemory::descriptor_for(const std::optional<job::SharedMemory>& shared) {
  if (!shared) return -1;
  if (!made_) {
    try {
      const auto geometry = Geometry::of(shared->ranks, shared->message_bytes);
      if (!geometry.possible()) return -1;
      SegmentFile file = SegmentFile::create(geometry);
      Mapping mapping(file, 0, geometry.board_bytes(), true);
      const Board board(mapping.memory(), shared->ranks);
      made_.emplace(Made{std::move(file), std::move(mapping), board, shared->first_rank});
    } catch (const SystemError&) {
      return -1;
    }
  }
  return made_->file.descriptor();
}

void HostMemory::lose(Rank rank) const {
  if (!made_) return;
  const Rank seat = rank - made_->first_rank;
  if (seat >= 0 && seat < made_->board.seats()) made_->board.lose(seat);
}

}  // namespace lbsp::launch::processes
