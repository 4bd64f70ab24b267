#include "lbsp/superstep/messages/message_reader.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace

void throw_malformed(const Origin& origin, std::string_view what) {
  throw Error(
      fmt::format("the message of rank {} in superstep {} is malformed ({}): run the same build of the "
                  "program on every rank",
                  origin.source, origin.superstep, what));
}

void RecordReader::throw_cut_off(std::uint64_t needed) const {
  throw_malformed(origin_, fmt::format("a record at byte {} needs {} bytes, {} are left", position_, needed,
                                       records_.size() - position_));
}

bool RecordReader::next(Record& record) {
  skip_padding();
  if (position_ == records_.size()) return false;
  const std::byte* const head = take(sizeof(RecordHead)).data();
  record.kind = load<RecordKind>(head + offsetof(RecordHead, kind));
  record.slot = load<std::uint32_t>(head + offsetof(RecordHead, slot));
  record.bytes = load<std::uint64_t>(head + offsetof(RecordHead, bytes));
  record.offset = load<std::uint64_t>(head + offsetof(RecordHead, parameter));
  switch (record.kind) {
    case RecordKind::get:
      return true;
    case RecordKind::put:
      record.data = take(record.bytes);
      return true;
    case RecordKind::offer:
      record.address = load<std::uint64_t>(take(sizeof(record.address)).data());
      return true;
    case RecordKind::send:
      record.tag = take(record.offset);
      record.data = {};
      if (record.bytes == 0) return true;
      skip_padding();
      record.data = take(record.bytes);
      return true;
  }
  throw_malformed(origin_, fmt::format("a record of unknown kind {} at byte {}",
                                       static_cast<std::uint32_t>(record.kind), position_));
}

void open_message(std::span<const std::byte> bytes, const Origin& expected, Message& into) {
  if (bytes.size() < sizeof(MessageHead)) {
    throw_malformed(expected, fmt::format("{} bytes, fewer than its head", bytes.size()));
  }
  // By field, as it was written (MessageWriter::finish()).
  const std::byte* const at = bytes.data();
  const MessageHead head{.magic = load<std::uint32_t>(at + offsetof(MessageHead, magic)),
                         .ending = load<Ending>(at + offsetof(MessageHead, ending)),
                         .superstep = load<std::uint64_t>(at + offsetof(MessageHead, superstep)),
                         .record_bytes = load<std::uint64_t>(at + offsetof(MessageHead, record_bytes)),
                         .log_entries = load<std::uint32_t>(at + offsetof(MessageHead, log_entries)),
                         .asks = load<std::uint32_t>(at + offsetof(MessageHead, asks))};
  if (head.magic != message_magic) throw_malformed(expected, "not a message of this version");
  if (head.ending != Ending::sync && head.ending != Ending::end) throw_malformed(expected, "unknown ending");
  if (head.superstep != expected.superstep) {
    throw_malformed(expected, fmt::format("it says superstep {}", head.superstep));
  }
  if (head.asks > 1) throw_malformed(expected, "unknown flags");
  const auto body = bytes.subspan(sizeof(MessageHead));
  const std::uint64_t log_bytes = std::uint64_t{head.log_entries} * sizeof(LogEntry);
  if (head.record_bytes > body.size() || log_bytes > body.size() ||
      body.size() != (log_bytes == 0 ? head.record_bytes : aligned(head.record_bytes) + log_bytes)) {
    throw_malformed(expected, fmt::format("{} bytes of records and {} log entries in {} bytes",
                                          head.record_bytes, head.log_entries, body.size()));
  }
  into.head = head;
  into.origin = expected;
  into.records = body.first(head.record_bytes);
  into.log.resize(head.log_entries);
  if (log_bytes != 0) std::memcpy(into.log.data(), body.last(log_bytes).data(), log_bytes);
}

}  // namespace lbsp::superstep
