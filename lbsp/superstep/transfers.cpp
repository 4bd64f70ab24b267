#include "lbsp/superstep/transfers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "transport/counted.hpp"
#include "transport/error.hpp"

namespace lbsp::superstep {

Transfers::Transfers(transport::Exchange& exchange, const Standing& standing, Mail& mail, Recorder& recorder)
    : standing_(standing),
      size_(standing.size),
      recorder_(recorder),
      slots_(standing.rank, standing.size),
      offers_(exchange.lending(), Offers::Leg::first, standing.rank, standing.size),
      gets_(static_cast<std::size_t>(standing.size)),
      lengths_(static_cast<std::size_t>(standing.size)) {
  writers_.reserve(lengths_.size());
  for (Rank to = 0; to < standing.size; ++to)
    writers_.emplace_back(mail, to);
}

void Transfers::check_rank(std::string_view call, Rank rank) const {
  if (rank >= 0 && rank < standing_.size) return;
  throw UsageError(fmt::format("{} in superstep {} on rank {} names rank {}: choose 0 to {}", call,
                               standing_.superstep, standing_.rank, rank, standing_.size - 1));
}

void Transfers::refuse(std::string_view call, const Place& place) const {
  check_rank(call, place.rank);
  const Slot& slot = slots_[place.slot];
  const auto at = static_cast<std::size_t>(place.rank);
  const bool known = slot.bytes_at[at] != unknown_bytes;
  throw UsageError(fmt::format(
      "{} of {} at offset {} in superstep {} by rank {}, but rank {} "
      "{} {}: keep offset + count within them",
      call, counted(place.count, "element"), place.offset, standing_.superstep, standing_.rank, place.rank,
      known ? "has registered" : "can have registered at most", counted(slot.elements_at[at], "element")));
}

void Transfers::put_unbuffered(const Place& place, std::span<const std::byte> data) {
  if (place.count == 0) return;
  check("put", place);
  const std::uint64_t offset = place.offset * slots_[place.slot].element_bytes;
  if (standing_.over || data.size() < offers_.least(place.rank))
    return writer(place.rank).put(place.slot, offset, data);
  if (place.rank != standing_.rank) recorder_.add_bytes_to(place.rank, data.size());
  writer(place.rank).offer(place.slot, offset, data.size(), offers_.offer(place.rank, data));
}

void Transfers::get(const Place& place, std::span<std::byte> into, std::shared_ptr<Completion> completion) {
  if (place.count == 0) {
    if (completion) completion->done = true;
    return;
  }
  check("get", place);
  writer(place.rank).get(place.slot, place.offset * slots_[place.slot].element_bytes, into.size());
  gets_[static_cast<std::size_t>(place.rank)].add(into, std::move(completion));
}

void Transfers::send(SlotNumber queue, Rank to, std::span<const std::byte> tag,
                     std::span<const std::byte> values) {
  check_rank("send", to);
  writer(to).send(queue, tag, values);
}

std::span<std::byte> Transfers::put_in_place(const Place& place) {
  if (place.count == 0) return {};
  check("put", place);
  const std::uint64_t element_bytes = slots_[place.slot].element_bytes;
  return writer(place.rank)
      .put_in_place(place.slot, place.offset * element_bytes, place.count * element_bytes);
}

std::span<std::byte> Transfers::send_in_place(SlotNumber queue, Rank to, std::span<const std::byte> tag,
                                              std::size_t bytes) {
  check_rank("send", to);
  return writer(to).send_in_place(queue, tag, bytes);
}

bool Transfers::none() const {
  return slots_.log().empty() && std::ranges::all_of(writers_, &MessageWriter::empty);
}

std::span<const std::size_t> Transfers::finish(Ending ending) {
  const auto log = ending == Ending::sync ? slots_.log() : std::span<const LogEntry>{};
  for (Rank to = 0; to < standing_.size; ++to)
    lengths_[static_cast<std::size_t>(to)] = writer(to).finish(ending, standing_.superstep, log);
  return lengths_;
}

void Transfers::restart() {
  for (auto& writer : writers_)
    writer.start();
}

void Transfers::drop() {
  offers_.withdraw();
  restart();
}

}  // namespace lbsp::superstep
