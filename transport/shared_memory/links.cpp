#include "transport/shared_memory/links.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <utility>

#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/shared_memory/futex.hpp"

namespace lbsp::transport::shared_memory {
namespace {

using Clock = std::chrono::steady_clock;

/// A sleeper looks at least so often whether those it waits for are alive.
constexpr Duration longest_sleep = std::chrono::milliseconds{50};

/// A fetch costs a call of the system and a second wait, which takes longer where ranks share a processor. From so many
/// bytes on it is faster than to copy twice (docs/benchmarks/one_machine.md).
constexpr std::size_t least_offer_alone = std::size_t{16} << 10;
constexpr std::size_t least_offer_shared = std::size_t{64} << 10;

std::size_t index(Slot slot) {
  return static_cast<std::size_t>(slot);
}

/// Has this processor own the cache line, so that a later store need not wait for it.
void fetch_to_write(Cell& cell) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0"
               :
               : "m"(cell));  // the builtin takes it for a read where the compiler's target is old
#else
  __builtin_prefetch(&cell, 1);
#endif
}

Duration heartbeat_interval(Duration peer_timeout) {
  return std::clamp<Duration>(peer_timeout / 8, std::chrono::milliseconds{10}, std::chrono::seconds{1});
}

}  // namespace

Links::Links(Ground ground, LinksConfig config)
    : ground_(std::move(ground)),
      config_(std::move(config)),
      processor_each_(config_.processors >= seats()),
      least_offer_(processor_each_ ? least_offer_alone : least_offer_shared),
      rooms_(static_cast<std::size_t>(seats()) * slot_count),
      copies_(static_cast<std::size_t>(seats())),
      lookout_(processor_each_),
      silence_(seats()) {
  if (config_.peer_timeout)
    heartbeat_.emplace(ground_.board.seat(config_.self), heartbeat_interval(*config_.peer_timeout));
}

Links::~Links() {
  ground_.board.lose(config_.self);
}

std::span<std::byte> Links::room(Rank to, Slot slot, std::size_t bytes, std::size_t used) {
  auto& memory = room_of(to, slot).memory;
  Cell& cell = ground_.board.cell(to, config_.self, slot);
  if (used == 0 && memory.size() > always_kept_bytes) trim(to, slot);
  if (bytes <= memory.size()) return memory;
  // The receiver looks at the content only when it has seen the message's number.
  if (memory.empty() && bytes <= inline_bytes) return cell.content;
  const bool was_inline = memory.empty() && used > 0;
  memory = ground_.memory->room(to, slot, bytes, was_inline ? 0 : used);
  if (was_inline) std::memcpy(memory.data(), cell.content.data(), used);
  return memory;
}

void Links::copy(Rank to, std::byte* place, std::span<const std::byte> bytes) {
  if (bytes.size() >= RoomCopies::least_bytes)
    return copies_[static_cast<std::size_t>(to)].copy(place, bytes);
  if (!bytes.empty()) std::memcpy(place, bytes.data(), bytes.size());
}

/// A message is written to the room that the last room() for its place returned.
void Links::post(Rank to, Slot slot, std::uint64_t sequence, std::size_t bytes) {
  Cell& cell = ground_.board.cell(to, config_.self, slot);
  cell.bytes = bytes;
  auto& [memory, recent] = room_of(to, slot);
  recent = std::max(bytes, recent - recent / 8);
  if (bytes <= inline_bytes) {
    if (bytes > 0 && !memory.empty()) std::memcpy(cell.content.data(), memory.data(), bytes);
  } else {
    const std::uint64_t address = ground_.memory->address(to, slot);
    std::memcpy(cell.content.data(), &address, sizeof(address));
  }
  cell.sequence.store(sequence, std::memory_order_release);
}

void Links::make_ready(Rank to, Slot slot) const {
  fetch_to_write(ground_.board.cell(to, config_.self, slot));
}

void Links::notify(Rank to, Slot slot) {
  Seat& seat = ground_.board.seat(to);
  auto& arrived = seat.arrived[index(slot)];
  // Both in one order with the sleeper's: either it sees the message, or this rank sees that it is to wake it.
  const std::uint32_t count = arrived.fetch_add(1, std::memory_order_seq_cst) + 1;
  if (count == seat.wake_at[index(slot)].load(std::memory_order_seq_cst)) wake(arrived);
}

void Links::send_copy(Rank to, Slot slot, std::uint64_t sequence, std::span<const std::byte> message) {
  const auto place = room(to, slot, message.size(), 0);
  copy(to, place.data(), message);
  send(to, slot, sequence, message.size());
}

/// Gives back what a time of larger messages has left behind.
void Links::trim(Rank to, Slot slot) {
  auto& [memory, recent] = room_of(to, slot);
  const std::size_t kept = std::max(always_kept_bytes, 2 * recent);
  if (memory.size() <= 2 * kept) return;
  ground_.memory->trim(to, slot, kept);
  memory = ground_.memory->room(to, slot, kept, 0);
}

/// After a message that has needed none of it.
void Links::trim_unused(Rank to, Slot slot) {
  std::size_t& recent = room_of(to, slot).recent;
  recent -= recent / 8;
  trim(to, slot);
}

bool Links::has_sent(Rank rank, const Awaited& awaited) const {
  return ground_.board.cell(config_.self, rank, awaited.slot).sequence.load(std::memory_order_acquire) >=
         awaited.sequence;
}

void Links::await(const Awaited& awaited) {
  awaited_[index(awaited.slot)] += static_cast<std::uint32_t>(awaited.sources.size());
  std::size_t in = 0;
  const auto done = [&] {
    while (in < awaited.sources.size() && has_sent(awaited.sources[in], awaited))
      ++in;
    return in == awaited.sources.size();
  };
  if (done() || lookout_.look(done)) return;
  sleep(awaited, done);
}

template <class Done>
void Links::sleep(const Awaited& awaited, const Done& done) {
  Seat& seat = ground_.board.seat(config_.self);
  auto& arrived = seat.arrived[index(awaited.slot)];
  auto& wake_at = seat.wake_at[index(awaited.slot)];
  const std::uint32_t all = awaited_[index(awaited.slot)];
  auto began = Clock::now();
  for (;;) {
    wake_at.store(all, std::memory_order_seq_cst);
    const std::uint32_t count = arrived.load(std::memory_order_seq_cst);
    if (done()) break;
    throw_if_job_ended();
    throw_if_ended(awaited);
    if (config_.look) config_.look();
    if (count != all) sleep_on(arrived, count, slice());
    const auto now = Clock::now();
    // Not the time for which this process was stopped itself.
    const Duration waited = std::min<Duration>(now - std::exchange(began, now), 2 * slice());
    if (config_.peer_timeout) throw_if_silent(awaited, waited);
  }
  wake_at.store(all - 1, std::memory_order_relaxed);  // whoever comes next need not wake this rank
}

Duration Links::slice() const {
  return config_.peer_timeout ? std::min<Duration>(longest_sleep, *config_.peer_timeout / 8) : longest_sleep;
}

void Links::throw_if_job_ended() const {
  const Notice& notice = ground_.board.notice();
  if (notice.end.load(std::memory_order_acquire) != Notice::End::told) return;
  const std::size_t bytes = std::min<std::size_t>(notice.text_bytes, Notice::longest_text);
  const std::string text = printable({notice.text.data(), bytes});
  if (notice.lost != 0) throw PeerLost(static_cast<Rank>(notice.lost - 1), text);
  throw Aborted(text);
}

void Links::throw_if_ended(const Awaited& awaited) const {
  // The state before the cell: what a rank sent before it ended counts.
  const auto is_missing = [&](Rank rank) {
    return ground_.board.seat(rank).state.load() != State::running && !has_sent(rank, awaited);
  };
  const auto missing = std::ranges::find_if(awaited.sources, is_missing);
  if (missing == awaited.sources.end()) return;
  throw_ended(*missing, awaited.superstep);
}

void Links::throw_if_lost(std::span<const Rank> ranks, std::uint64_t superstep) const {
  throw_if_job_ended();
  for (const Rank rank : ranks) {
    if (ground_.board.seat(rank).state.load() == State::lost) throw_ended(rank, superstep);
  }
}

/// Ranks that have left because another one was lost, or has ended the job, are not to blame.
void Links::throw_ended(Rank rank, std::uint64_t superstep) const {
  throw_if_job_ended();  // told before they left, perhaps after it was looked for last
  const std::uint32_t first_lost = ground_.board.notice().first_lost.load();
  const Rank culprit = config_.first_rank + (first_lost == 0 ? rank : static_cast<Rank>(first_lost) - 1);
  throw PeerLost(culprit,
                 fmt::format("rank {} has ended while rank {} waits for its message of superstep {}: "
                             "look for the error of rank {}",
                             culprit, config_.first_rank + config_.self, superstep, culprit));
}

void Links::throw_if_silent(const Awaited& awaited, Duration waited) {
  for (const Rank rank : awaited.sources) {
    const Duration silent = silence_.note(rank, ground_.board.seat(rank), waited);
    if (silent < *config_.peer_timeout || has_sent(rank, awaited)) continue;
    end_job(fmt::format("rank {}{} was last heard {:.1f} s ago, in superstep {}: see whether its process is "
                        "stopped, or raise --peer-timeout",
                        config_.first_rank + rank, config_.place,
                        std::chrono::duration<double>(silent).count(), awaited.superstep),
            config_.first_rank + rank);
    ground_.board.lose(rank);
    throw_ended(rank, awaited.superstep);
  }
}

std::span<const std::byte> Links::message(Rank from, Slot slot) const {
  const Cell& cell = ground_.board.cell(config_.self, from, slot);
  const std::uint64_t bytes = *const_cast<const volatile std::uint64_t*>(&cell.bytes);
  if (bytes <= inline_bytes) return {cell.content.data(), static_cast<std::size_t>(bytes)};
  std::uint64_t address = 0;
  std::memcpy(&address, cell.content.data(), sizeof(address));
  const std::byte* const memory = ground_.memory->find(from, slot, address, bytes);
  if (memory != nullptr) return {memory, static_cast<std::size_t>(bytes)};
  throw Error(
      fmt::format("rank {} tells of a message of {} bytes, which it cannot have sent: run the same build of "
                  "the program on every rank",
                  config_.first_rank + from, bytes));
}

void Links::try_reach(std::span<const Rank> others) {
  if (ground_.reach == nullptr || !ground_.reach->try_all(others)) return;
  ground_.board.seat(config_.self).reaches_all.store(1, std::memory_order_release);
}

void Links::fetch(Rank from, std::uint64_t address, std::span<std::byte> into, std::uint64_t superstep) {
  const int problem = ground_.reach == nullptr ? EPERM : ground_.reach->copy(from, address, into);
  if (problem == 0) return;
  if (problem == ESRCH) ground_.board.lose(from);
  throw_if_lost({&from, 1}, superstep);
  throw Error(
      fmt::format("{} bytes that rank {} has offered in superstep {} cannot be read there ({}): "
                  "keep what put_unbuffered names until the sync has returned",
                  into.size(), config_.first_rank + from, superstep, std::strerror(problem)));
}

void Links::settle(bool of_first_leg, std::uint64_t count, std::span<const Rank> owners,
                   std::span<const Rank> readers) {
  const std::uint64_t sequence = 2 * count + (of_first_leg ? 1 : 0);
  for (const Rank owner : owners)
    send(owner, Slot::fetched, sequence, 0);
  await({.slot = Slot::fetched, .sequence = sequence, .sources = readers, .superstep = count - 1});
}

void Links::finish() {
  throw_if_job_ended();
  State running = State::running;
  ground_.board.seat(config_.self).state.compare_exchange_strong(running, State::finished);
  ground_.board.wake_all();
}

void Links::abort(std::string_view reason) noexcept {
  try {
    end_job(fmt::format("rank {} ended the job: {}", config_.first_rank + config_.self,
                        reason.substr(0, Notice::longest_text)),
            std::nullopt);
  } catch (const std::bad_alloc&) {
    end_job("a rank ended the job, and has no memory to say why: use fewer ranks here", std::nullopt);
  }
}

void Links::end_job(std::string_view error, std::optional<Rank> lost) noexcept {
  Notice& notice = ground_.board.notice();
  auto none = Notice::End::none;
  if (!notice.end.compare_exchange_strong(none, Notice::End::being_written)) return;
  notice.lost = lost ? static_cast<std::uint32_t>(*lost) + 1 : 0;
  notice.text_bytes = static_cast<std::uint32_t>(std::min(error.size(), Notice::longest_text));
  std::memcpy(notice.text.data(), error.data(), notice.text_bytes);
  notice.end.store(Notice::End::told, std::memory_order_release);
  ground_.board.wake_all();
}

}  // namespace lbsp::transport::shared_memory
