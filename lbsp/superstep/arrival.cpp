#include "lbsp/superstep/arrival.hpp"

#include <fmt/format.h>

#include "lbsp/superstep/messages/copy_bytes.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

Slot& slot_of(const Record& record, SlotKind kind, SlotTable& slots, const Origin& origin) {
  Slot* const slot = slots.find(record.slot);
  if (slot == nullptr || slot->kind != kind) {
    throw_malformed(origin,
                    fmt::format("it names registration {}, which is none of its kind here", record.slot));
  }
  return *slot;
}

void file_send(const Record& record, SlotTable& slots, const Origin& origin) {
  Slot& queue = slot_of(record, SlotKind::queue, slots, origin);
  if (record.data.size() % queue.element_bytes != 0) {
    throw_malformed(origin, fmt::format("{} bytes for a queue of {}-byte values", record.data.size(),
                                        queue.element_bytes));
  }
  if (queue.tag_bytes != any_tag && queue.tag_bytes != record.tag.size()) {
    throw_malformed(origin, fmt::format("a tag of {} bytes for a queue of {}-byte tags", record.tag.size(),
                                        queue.tag_bytes));
  }
  queue.received.push_back({origin.source, record.tag, record.data});
}

}  // namespace

std::span<std::byte> target_of(const Record& record, SlotTable& slots, const Origin& origin, Rank here) {
  const Slot& slot = slot_of(record, SlotKind::memory, slots, origin);
  const std::uint64_t size = slot.memory.size();
  if (record.offset > size || record.bytes > size - record.offset) {
    throw UsageError(
        fmt::format("{} of {} at byte {} in superstep {} by rank {}, but rank {} has "
                    "registered {}: keep it inside what that rank registers",
                    record.kind == RecordKind::get ? "get" : "put", counted(record.bytes, "byte"),
                    record.offset, origin.superstep, origin.source, here, counted(size, "byte")));
  }
  return slot.memory.subspan(record.offset, record.bytes);
}

void deliver(const Message& message, SlotTable& slots, Rank here, Offers& offers) {
  if (message.records.empty()) return;
  auto reader = message.reader();
  Record record{};
  while (reader.next(record)) {
    if (record.kind == RecordKind::send) file_send(record, slots, message.origin);
    if (record.kind == RecordKind::offer)
      offers.fetch(message.origin.source, record.address, target_of(record, slots, message.origin, here));
    if (record.kind != RecordKind::put || record.data.empty()) continue;
    const auto target = target_of(record, slots, message.origin, here);
    copy_bytes(target.data(), record.data.data(), target.size());
  }
}

}  // namespace lbsp::superstep
