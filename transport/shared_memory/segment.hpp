#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "transport/shared_memory/board.hpp"
#include "transport/shared_memory/message_memory.hpp"

namespace lbsp::transport::shared_memory {

/// What the ranks of one host share, in the order of the file: the board, and for each pair and slot a room for one
/// message of up to `room_bytes`. The file has no name, and its size is sealed. Memory is used only for what has been
/// written.
struct Geometry {
  Rank seats = 1;
  std::uint64_t room_bytes = 0;

  /// Rooms for messages of up to `message_bytes`.
  static Geometry of(Rank seats, std::uint64_t message_bytes);

  std::uint64_t board_bytes() const;
  std::uint64_t room_offset(Rank from, Rank to, Slot slot) const;
  std::uint64_t file_bytes() const { return room_offset(seats, 0, Slot::even); }
  /// Whether the board stays small, and an address space has room for what one rank maps.
  bool possible() const;
};

/// An open file, closed with its owner.
class SegmentFile {
 public:
  explicit SegmentFile(int descriptor) : descriptor_(descriptor) {}
  SegmentFile(SegmentFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  SegmentFile& operator=(SegmentFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~SegmentFile();

  /// Makes the file. Throws SystemError.
  static SegmentFile create(const Geometry& geometry);

  int descriptor() const { return descriptor_; }
  /// Another descriptor of the same file. Throws SystemError.
  SegmentFile again() const;
  /// Throws SystemError if the file is not sealed and of that size: it may then vanish under its readers.
  void check(const Geometry& geometry) const;

 private:
  int descriptor_;
};

/// Memory that begins as zeros and is used as far as it is written: a part of the file, or of this process's own.
class Mapping {
 public:
  /// Throws SystemError.
  static Mapping of_this_process(std::uint64_t bytes);
  /// Throws SystemError.
  Mapping(const SegmentFile& file, std::uint64_t offset, std::uint64_t bytes, bool writable);
  Mapping(Mapping&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
  Mapping& operator=(Mapping&& other) = delete;
  ~Mapping();

  std::byte* memory() const { return memory_; }

 private:
  Mapping(std::byte* memory, std::uint64_t bytes) : memory_(memory), bytes_(bytes) {}

  std::byte* memory_;
  std::uint64_t bytes_;
};

/// The messages of one rank and those for it, in the file.
class SegmentMemory final : public MessageMemory {
 public:
  /// Throws SystemError.
  SegmentMemory(SegmentFile file, const Geometry& geometry, Rank self);

  std::span<std::byte> room(Rank to, Slot slot, std::size_t bytes, std::size_t used) override;
  void trim(Rank to, Slot slot, std::size_t bytes) override;
  std::size_t most_bytes() const override { return static_cast<std::size_t>(geometry_.room_bytes); }
  std::uint64_t address(Rank /*to*/, Slot /*slot*/) const override { return 0; }
  const std::byte* find(Rank from, Slot slot, std::uint64_t address, std::uint64_t bytes) const override;

 private:
  std::uint64_t& committed(Rank to, Slot slot) {
    return committed_[static_cast<std::size_t>(to) * room_slots + static_cast<std::size_t>(slot)];
  }
  void commit(Rank to, Slot slot, std::uint64_t bytes);

  SegmentFile file_;
  Geometry geometry_;
  Rank self_;
  Mapping own_;                           ///< this rank's rooms, by receiver
  std::vector<Mapping> others_;           ///< the rooms for this rank, by sender; the own one is not used
  std::vector<std::uint64_t> committed_;  ///< of this rank's rooms, bytes that have memory
};

}  // namespace lbsp::transport::shared_memory
