#include "transport/shared_memory/inbox.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"
#include "transport/shared_memory/futex.hpp"

namespace lbsp::transport::shared_memory {
namespace {

using Clock = std::chrono::steady_clock;

/// A sleeper looks at least so often whether those it waits for are alive.
constexpr Duration longest_sleep = std::chrono::milliseconds{50};

}  // namespace

Inbox::Inbox(Board board, const LinksConfig& config, const MessageMemory& memory, const JobEnd& end)
    : board_(board),
      config_(config),
      memory_(memory),
      end_(end),
      lookout_(config.processors >= board.seats()),
      silence_(board.seats()) {}

void Inbox::wait(const Awaited& awaited) {
  std::size_t in = 0;
  const auto done = [&] {
    while (in < awaited.sources.size() && has_sent(awaited.sources[in], awaited))
      ++in;
    return in == awaited.sources.size();
  };
  if (!lookout_.look(done)) sleep(awaited, done);
}

template <class Done>
void Inbox::sleep(const Awaited& awaited, const Done& done) {
  const auto place = static_cast<std::size_t>(awaited.slot);
  Seat& seat = board_.seat(config_.self);
  auto& arrived = seat.arrived[place];
  auto& wake_at = seat.wake_at[place];
  const std::uint32_t all = awaited_[place];
  auto began = Clock::now();
  for (;;) {
    wake_at.store(all, std::memory_order_seq_cst);
    const std::uint32_t count = arrived.load(std::memory_order_seq_cst);
    if (done()) break;
    end_.throw_if_ended();
    throw_if_gone(awaited);
    if (config_.look) config_.look();
    if (count != all) sleep_on(arrived, count, slice());
    const auto now = Clock::now();
    // Not the time for which this process was stopped itself.
    const Duration waited = std::min<Duration>(now - std::exchange(began, now), 2 * slice());
    if (config_.peer_timeout) throw_if_silent(awaited, waited);
  }
  wake_at.store(all - 1, std::memory_order_relaxed);  // whoever comes next need not wake this rank
}

Duration Inbox::slice() const {
  return config_.peer_timeout ? std::min<Duration>(longest_sleep, *config_.peer_timeout / 8) : longest_sleep;
}

void Inbox::throw_if_gone(const Awaited& awaited) const {
  // The state before the cell: what a rank sent before it ended counts.
  const auto is_missing = [&](Rank rank) {
    return board_.seat(rank).state.load() != State::running && !has_sent(rank, awaited);
  };
  const auto missing = std::ranges::find_if(awaited.sources, is_missing);
  if (missing != awaited.sources.end()) end_.throw_gone(*missing, awaited.superstep);
}

void Inbox::throw_if_silent(const Awaited& awaited, Duration waited) {
  for (const Rank rank : awaited.sources) {
    const Duration silent = silence_.note(rank, board_.seat(rank), waited);
    if (silent < *config_.peer_timeout || has_sent(rank, awaited)) continue;
    end_.end(fmt::format("rank {}{} was last heard {:.1f} s ago, in superstep {}: see whether its process is "
                         "stopped, or raise --peer-timeout",
                         config_.first_rank + rank, config_.place,
                         std::chrono::duration<double>(silent).count(), awaited.superstep),
             config_.first_rank + rank);
    board_.lose(rank);
    end_.throw_gone(rank, awaited.superstep);
  }
}

std::span<const std::byte> Inbox::message_in_room(Rank from, Slot slot, std::uint64_t bytes) const {
  std::uint64_t address = 0;
  std::memcpy(&address, board_.cell(config_.self, from, slot).content.data(), sizeof(address));
  const std::byte* const memory = memory_.find(from, slot, address, bytes);
  if (memory != nullptr) return {memory, static_cast<std::size_t>(bytes)};
  throw Error(
      fmt::format("rank {} tells of a message of {} bytes, which it cannot have sent: run the same build of "
                  "the program on every rank",
                  config_.first_rank + from, bytes));
}

}  // namespace lbsp::transport::shared_memory
