#include "lbsp/superstep/pending_gets.hpp"

#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "lbsp/superstep/arrival.hpp"
#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

/// Calls `use` with the memory each get of `message` names.
template <class Use>
void for_each_get(const Message& message, SlotTable& slots, Rank here, Use use) {
  auto reader = message.reader();
  Record record{};
  while (reader.next(record)) {
    if (record.kind == RecordKind::get) use(target_of(record, slots, message.origin, here));
  }
}

std::uint64_t reply_bytes(const Message& message, SlotTable& slots, Rank here) {
  std::uint64_t total = sizeof(ReplyHead);
  for_each_get(message, slots, here, [&](std::span<const std::byte> source) {
    const std::uint64_t sum = total + source.size();
    total = sum < total ? std::numeric_limits<std::uint64_t>::max() : sum;
  });
  return total;
}

}  // namespace

void PendingGets::add(std::span<std::byte> into, std::shared_ptr<Completion> completion) {
  gets_.push_back({into, std::move(completion)});
  bytes_ += into.size();
}

void PendingGets::fill(std::span<const std::byte> reply, const Origin& origin) {
  ReplyHead head{};
  if (reply.size() != sizeof(head) + bytes_) {
    throw_malformed(origin, fmt::format("a reply of {} bytes to gets of {}", reply.size(), bytes_));
  }
  std::memcpy(&head, reply.data(), sizeof(head));
  if (head.magic != reply_magic || head.superstep != origin.superstep) {
    throw_malformed(origin, "not the reply to this superstep's gets");
  }
  reply = reply.subspan(sizeof(head));
  for (auto& get : gets_) {
    std::memcpy(get.into.data(), reply.data(), get.into.size());
    reply = reply.subspan(get.into.size());
    if (get.completion) get.completion->done = true;
  }
  gets_.clear();
  bytes_ = 0;
}

Bytes answer_gets(const Message& message, SlotTable& slots, Rank here) {
  const std::uint64_t total = reply_bytes(message, slots, here);
  Bytes reply;
  try {
    reply.resize(total);
  } catch (const std::exception&) {
    throw MessageTooLarge(
        fmt::format("rank {} asks for {} bytes in superstep {}, more than rank {} has memory "
                    "for: get less in one superstep",
                    message.origin.source, total, message.origin.superstep, here));
  }
  const ReplyHead head{reply_magic, 0, message.origin.superstep};
  std::memcpy(reply.data(), &head, sizeof(head));
  std::byte* place = reply.data() + sizeof(head);
  for_each_get(message, slots, here, [&](std::span<const std::byte> source) {
    if (source.empty()) return;
    std::memcpy(place, source.data(), source.size());
    place += source.size();
  });
  return reply;
}

}  // namespace lbsp::superstep
