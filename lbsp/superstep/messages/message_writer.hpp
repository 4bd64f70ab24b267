#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include "lbsp/superstep/messages/copy_bytes.hpp"
#include "lbsp/superstep/messages/layout.hpp"
#include "transport/message_storage.hpp"

namespace lbsp::superstep {

/// Builds the message to one rank as the calls of the superstep come in (layout.hpp), in one room, which
/// grows. A put that begins where the previous one ended joins its
/// record. So putting an array element by element costs little more than putting it whole.
class MessageWriter {
 public:
  /// `storage` must live as long. Begins a message, and has room for it at once.
  MessageWriter(transport::MessageStorage& storage, Rank to) : storage_(&storage), to_(to) {
    start();
    grow(end_);
  }

  /// Begins a new message, which asks for room when something is written.
  void start() {
    room_ = {};
    end_ = sizeof(MessageHead);
    asks_ = false;
    joins_at_ = nowhere;
  }

  void put(std::uint32_t slot, std::uint64_t offset, std::span<const std::byte> data) {
    // What is rare is returned to: then the usual way needs no register beyond a call.
    if (offset == joins_at_ && slot == last_slot_) return extend(data);
    if (end_of_record(data.size()) > room_.size()) [[unlikely]]
      return grow_and_put(slot, offset, data);
    std::byte* const body = write_head({RecordKind::put, slot, data.size(), offset}, data.size());
    joins_at_ = offset + data.size();
    last_slot_ = slot;
    copy(body, data);
  }
  /// A put of memory that has that address for the receiver.
  void offer(std::uint32_t slot, std::uint64_t offset, std::uint64_t bytes, std::uint64_t address);
  void get(std::uint32_t slot, std::uint64_t offset, std::uint64_t bytes);
  void send(std::uint32_t slot, std::span<const std::byte> tag, std::span<const std::byte> values);

  /// The same, but the caller writes what is put or sent: where this returns, before the next call. The bytes are
  /// anything until then. Those of a put are aligned to 8, those of a message to 16.
  std::span<std::byte> put_in_place(std::uint32_t slot, std::uint64_t offset, std::size_t bytes) {
    return {begin({RecordKind::put, slot, bytes, offset}, bytes), bytes};
  }
  std::span<std::byte> send_in_place(std::uint32_t slot, std::span<const std::byte> tag, std::size_t bytes);

  /// Nothing has been written since start().
  bool empty() const { return end_ == sizeof(MessageHead); }
  /// What has.
  std::span<const std::byte> records() const {
    if (empty()) return {};
    return std::span<const std::byte>(room_).subspan(sizeof(MessageHead), end_ - sizeof(MessageHead));
  }

  /// Finishes the message, and returns its length. Call start() before writing the next.
  std::size_t finish(Ending ending, std::uint64_t superstep, std::span<const LogEntry> log);

 private:
  /// From so many bytes on it matters how they are copied.
  static constexpr std::size_t long_run_bytes = 4096;
  /// No put starts there, because no object reaches so far.
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

  std::size_t end_of_record(std::size_t body) const { return aligned(end_) + sizeof(RecordHead) + body; }
  /// Moves the end behind the record's body, which the caller writes where this returns. There must be room.
  /// The end moves once, because the next record waits for it.
  std::byte* write_head(const RecordHead& head, std::size_t body) {
    const std::size_t place = aligned(end_);
    std::memset(room_.data() + end_, 0, alignment);  // the padding, and the rest of it is overwritten
    std::byte* const record = room_.data() + place;
    // By field: a memcpy of what was just stored by field waits until the stores are through.
    ::new (static_cast<void*>(record)) RecordHead{head.kind, head.slot, head.bytes, head.parameter};
    last_head_ = place;
    end_ = place + sizeof(head) + body;
    return record + sizeof(head);
  }
  void grow_and_put(std::uint32_t slot, std::uint64_t offset, std::span<const std::byte> data);
  std::byte* begin(const RecordHead& head, std::size_t body);
  void grow(std::size_t needed);
  /// Moves the end so much further. Returns where it was.
  std::byte* skip(std::size_t bytes);
  void append(std::span<const std::byte> data) { copy(skip(data.size()), data); }
  void copy(std::byte* place, std::span<const std::byte> data) {
    if (data.size() >= long_run_bytes) [[unlikely]]
      return storage_->copy(to_, place, data);
    copy_bytes(place, data.data(), data.size());
  }
  void pad();
  void extend(std::span<const std::byte> data);

  transport::MessageStorage* storage_;
  Rank to_;
  std::span<std::byte> room_;  ///< written up to end_; none: not asked for yet
  std::size_t end_ = 0;
  bool asks_ = false;
  std::size_t last_head_ = 0;         ///< where the head of the last record is
  std::uint32_t last_slot_ = 0;       ///< of the last put
  std::uint64_t joins_at_ = nowhere;  ///< where a put has to start to join the last record
};

}  // namespace lbsp::superstep
