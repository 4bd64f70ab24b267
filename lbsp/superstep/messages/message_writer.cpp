#include "lbsp/superstep/messages/message_writer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace lbsp::superstep {

void MessageWriter::grow(std::size_t needed) {
  room_ = storage_->room(to_, needed, room_.empty() ? 0 : end_);
}

void MessageWriter::grow_and_put(std::uint32_t slot, std::uint64_t offset, std::span<const std::byte> data) {
  grow(end_of_record(data.size()));
  put(slot, offset, data);
}

/// A record that no put joins.
std::byte* MessageWriter::begin(const RecordHead& head, std::size_t body) {
  const std::size_t needed = end_of_record(body);
  if (needed > room_.size()) grow(needed);
  joins_at_ = nowhere;
  return write_head(head, body);
}

std::byte* MessageWriter::skip(std::size_t bytes) {
  if (end_ + bytes > room_.size()) grow(end_ + bytes);
  return room_.data() + std::exchange(end_, end_ + bytes);
}

void MessageWriter::pad() {
  constexpr std::array<std::byte, alignment> zeros{};
  append(std::span(zeros).first(aligned(end_) - end_));
}

void MessageWriter::extend(std::span<const std::byte> data) {
  append(data);
  std::byte* const field = room_.data() + last_head_ + offsetof(RecordHead, bytes);
  std::uint64_t length = 0;
  std::memcpy(&length, field, sizeof(length));
  length += data.size();
  std::memcpy(field, &length, sizeof(length));
  joins_at_ += data.size();
}

void MessageWriter::offer(std::uint32_t slot, std::uint64_t offset, std::uint64_t bytes,
                          std::uint64_t address) {
  std::memcpy(begin({RecordKind::offer, slot, bytes, offset}, sizeof(address)), &address, sizeof(address));
}

void MessageWriter::get(std::uint32_t slot, std::uint64_t offset, std::uint64_t bytes) {
  begin({RecordKind::get, slot, bytes, offset}, 0);
  asks_ = true;
}

void MessageWriter::send(std::uint32_t slot, std::span<const std::byte> tag,
                         std::span<const std::byte> values) {
  copy(send_in_place(slot, tag, values.size()).data(), values);
}

std::span<std::byte> MessageWriter::send_in_place(std::uint32_t slot, std::span<const std::byte> tag,
                                                  std::size_t bytes) {
  // All of it before the head is written: where there is no such room, there is no half message.
  const std::size_t needed = aligned(end_of_record(tag.size())) + bytes;
  if (needed > room_.size()) grow(needed);
  copy_bytes(begin({RecordKind::send, slot, bytes, tag.size()}, tag.size()), tag.data(), tag.size());
  if (bytes == 0) return {};
  pad();
  return {skip(bytes), bytes};
}

std::size_t MessageWriter::finish(Ending ending, std::uint64_t superstep, std::span<const LogEntry> log) {
  if (room_.empty()) grow(end_);
  const std::uint64_t record_bytes = end_ - sizeof(MessageHead);
  if (!log.empty()) {
    pad();
    append(std::as_bytes(log));
  }
  // By field, as in write_head().
  ::new (static_cast<void*>(room_.data()))
      MessageHead{message_magic,  ending, superstep, record_bytes, static_cast<std::uint32_t>(log.size()),
                  asks_ ? 1U : 0U};
  room_ = {};
  joins_at_ = nowhere;
  return std::exchange(end_, 0);
}

}  // namespace lbsp::superstep
