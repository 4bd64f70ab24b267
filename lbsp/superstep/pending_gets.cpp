#include "lbsp/superstep/pending_gets.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "lbsp/superstep/arrival.hpp"
#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

using Address = std::uint64_t;

/// Calls `use` with the memory each get of `message` names.
template <class Use>
void for_each_get(const Message& message, SlotTable& slots, Rank here, Use use) {
  auto reader = message.reader();
  Record record{};
  while (reader.next(record)) {
    if (record.kind == RecordKind::get) use(target_of(record, slots, message.origin, here));
  }
}

/// Sums of bytes that do not fit count as the most that there can be.
std::uint64_t capped_sum(std::uint64_t left, std::uint64_t right) {
  const std::uint64_t sum = left + right;
  return sum < left ? std::numeric_limits<std::uint64_t>::max() : sum;
}

/// What a reply will hold.
struct Plan {
  std::uint64_t gets = 0;
  std::uint64_t bytes = 0;  ///< of what is not offered
  bool has_offers = false;

  std::uint64_t reply_bytes() const {
    return capped_sum(bytes, sizeof(ReplyHead) + (has_offers ? gets * sizeof(Address) : 0));
  }
};

Bytes reply_of(const Plan& plan, const Message& message, Rank here) {
  try {
    Bytes reply;
    reply.resize(plan.reply_bytes());
    return reply;
  } catch (const std::exception&) {
    throw MessageTooLarge(
        fmt::format("rank {} asks for {} bytes in superstep {}, more than rank {} has memory "
                    "for: get less in one superstep",
                    message.origin.source, plan.reply_bytes(), message.origin.superstep, here));
  }
}

std::byte* append(std::byte* place, const void* bytes, std::size_t count) {
  if (count > 0) std::memcpy(place, bytes, count);
  return place + count;
}

}  // namespace

void PendingGets::add(std::span<std::byte> into, std::shared_ptr<Completion> completion) {
  gets_.push_back({into, std::move(completion)});
  bytes_ += into.size();
}

bool PendingGets::fill_some_of(std::span<const std::byte> memory) const {
  const std::less<> before;
  return std::ranges::any_of(gets_, [&](const Get& get) {
    return before(get.into.data(), memory.data() + memory.size()) &&
           before(memory.data(), get.into.data() + get.into.size());
  });
}

void PendingGets::fill(std::span<const std::byte> reply, const Origin& origin, Offers& offers) {
  const auto take = [&](std::size_t bytes) {
    if (bytes > reply.size())
      throw_malformed(origin, fmt::format("a reply to gets of {} bytes ends early", bytes_));
    const auto taken = reply.first(bytes);
    reply = reply.subspan(bytes);
    return taken.data();
  };
  ReplyHead head{};
  std::memcpy(&head, take(sizeof(head)), sizeof(head));
  if (head.magic != reply_magic || head.superstep != origin.superstep || head.has_offers > 1) {
    throw_malformed(origin, "not the reply to this superstep's gets");
  }
  for (auto& get : gets_) {
    Address address = 0;
    if (head.has_offers != 0) std::memcpy(&address, take(sizeof(address)), sizeof(address));
    if (address != 0) {
      offers.fetch(origin.source, address, get.into);
    } else {
      std::memcpy(get.into.data(), take(get.into.size()), get.into.size());
    }
    if (get.completion) get.completion->done = true;
  }
  if (!reply.empty())
    throw_malformed(origin, fmt::format("a reply to gets of {} bytes has {} too many", bytes_, reply.size()));
  gets_.clear();
  bytes_ = 0;
}

Bytes answer_gets(const Message& message, SlotTable& slots, Rank here, std::span<const PendingGets> own,
                  Offers& offers) {
  const Rank asker = message.origin.source;
  // The asker fetches when this rank fills its own gets, which read and fill one after the other.
  const std::size_t least = asker == here ? std::numeric_limits<std::size_t>::max() : offers.least(asker);
  const auto is_offered = [&](std::span<const std::byte> memory) {
    return memory.size() >= least &&
           std::ranges::none_of(own, [&](const PendingGets& gets) { return gets.fill_some_of(memory); });
  };
  Plan plan;
  for_each_get(message, slots, here, [&](std::span<const std::byte> memory) {
    ++plan.gets;
    if (is_offered(memory)) {
      plan.has_offers = true;
    } else {
      plan.bytes = capped_sum(plan.bytes, memory.size());
    }
  });
  Bytes reply = reply_of(plan, message, here);
  const ReplyHead head{reply_magic, plan.has_offers ? 1U : 0U, message.origin.superstep};
  std::byte* place = append(reply.data(), &head, sizeof(head));
  for_each_get(message, slots, here, [&](std::span<const std::byte> memory) {
    const bool offered = is_offered(memory);
    const Address address = offered ? offers.offer(asker, memory) : 0;
    if (plan.has_offers) place = append(place, &address, sizeof(address));
    if (!offered) place = append(place, memory.data(), memory.size());
  });
  return reply;
}

}  // namespace lbsp::superstep
