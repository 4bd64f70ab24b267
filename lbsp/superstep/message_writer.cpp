#include "lbsp/superstep/message_writer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lbsp::superstep {
namespace {

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

void MessageWriter::start(Bytes storage) {
  bytes_ = std::move(storage);
  bytes_.resize(sizeof(MessageHead));
  asks_ = false;
  last_put_ = 0;
}

void MessageWriter::append(std::span<const std::byte> data) {
  const std::size_t end = bytes_.size();
  bytes_.resize(end + data.size());
  if (!data.empty()) std::memcpy(bytes_.data() + end, data.data(), data.size());
}

void MessageWriter::pad() {
  const std::size_t end = bytes_.size();
  bytes_.resize(aligned(end));
  std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(end), bytes_.end(), std::byte{0});
}

void MessageWriter::begin(const RecordHead& head, std::uint64_t body) {
  // The body is appended in pieces: one growth for all of them, but never one that defeats doubling.
  const std::size_t needed = bytes_.size() + alignment + sizeof(head) + body;
  if (needed > bytes_.capacity()) bytes_.reserve(std::max<std::size_t>(needed, 2 * bytes_.capacity()));
  pad();
  append(bytes_of(head));
  last_put_ = 0;
}

void MessageWriter::add_put(std::uint32_t slot, std::uint64_t offset, std::span<const std::byte> data) {
  begin({RecordKind::put, slot, data.size(), offset}, data.size());
  last_put_ = bytes_.size() - sizeof(RecordHead);
  last_slot_ = slot;
  last_end_ = offset + data.size();
  append(data);
}

void MessageWriter::extend(std::span<const std::byte> data) {
  append(data);
  std::byte* const field = bytes_.data() + last_put_ + offsetof(RecordHead, bytes);
  std::uint64_t length = 0;
  std::memcpy(&length, field, sizeof(length));
  length += data.size();
  std::memcpy(field, &length, sizeof(length));
  last_end_ += data.size();
}

void MessageWriter::get(std::uint32_t slot, std::uint64_t offset, std::uint64_t bytes) {
  begin({RecordKind::get, slot, bytes, offset}, 0);
  asks_ = true;
}

void MessageWriter::send(std::uint32_t slot, std::span<const std::byte> tag,
                         std::span<const std::byte> values) {
  begin({RecordKind::send, slot, values.size(), tag.size()}, tag.size() + alignment + values.size());
  append(tag);
  if (values.empty()) return;
  pad();
  append(values);
}

Bytes MessageWriter::finish(Ending ending, std::uint64_t superstep, std::span<const LogEntry> log) {
  const MessageHead head{message_magic,
                         ending,
                         superstep,
                         bytes_.size() - sizeof(MessageHead),
                         static_cast<std::uint32_t>(log.size()),
                         asks_ ? 1U : 0U};
  if (!log.empty()) {
    pad();
    append(std::as_bytes(log));
  }
  std::memcpy(bytes_.data(), &head, sizeof(head));
  last_put_ = 0;
  return std::exchange(bytes_, {});
}

}  // namespace lbsp::superstep
