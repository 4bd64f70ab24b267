#include "transport/shared_memory/fetches.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::transport::shared_memory {
namespace {

/// A fetch costs a second wait, which takes longer where ranks share a processor, and may cost a call of the system.
/// From so many bytes on it is faster than to copy twice (docs/benchmarks/one_machine.md).
std::size_t least_offer_of(bool processor_each, bool takes_a_call) {
  constexpr std::size_t kib = 1024;
  if (takes_a_call) return processor_each ? 2048 * kib : 1024 * kib;
  return processor_each ? 16 * kib : 64 * kib;
}

}  // namespace

Fetches::Fetches(Board board, const LinksConfig& config, std::shared_ptr<const Reach> reach,
                 const JobEnd& end, Outbox& outbox, Inbox& inbox)
    : board_(board),
      config_(config),
      reach_(std::move(reach)),
      end_(end),
      outbox_(outbox),
      inbox_(inbox),
      least_offer_(
          least_offer_of(config.processors >= board.seats(), reach_ != nullptr && reach_->takes_a_call())) {}

void Fetches::try_reach(std::span<const Rank> others) {
  if (reach_ == nullptr || !reach_->try_all(others)) return;
  board_.seat(config_.self).reaches_all.store(1, std::memory_order_release);
}

void Fetches::fetch(Rank from, std::uint64_t address, std::span<std::byte> into, std::uint64_t superstep) {
  const int problem = reach_ == nullptr ? EPERM : reach_->copy(from, address, into);
  if (problem == 0) return;
  if (problem == ESRCH) board_.lose(from);
  end_.throw_if_lost({&from, 1}, superstep);
  throw Error(
      fmt::format("{} bytes that rank {} has offered in superstep {} cannot be read there ({}): "
                  "keep what put_unbuffered names until the sync has returned",
                  into.size(), config_.first_rank + from, superstep, std::strerror(problem)));
}

void Fetches::settle(bool of_first_leg, std::uint64_t count, std::span<const Rank> owners,
                     std::span<const Rank> readers) {
  const std::uint64_t sequence = 2 * count + (of_first_leg ? 1 : 0);
  for (const Rank owner : owners)
    outbox_.send(owner, Slot::fetched, sequence, 0);
  inbox_.await({.slot = Slot::fetched, .sequence = sequence, .sources = readers, .superstep = count - 1});
}

}  // namespace lbsp::transport::shared_memory
