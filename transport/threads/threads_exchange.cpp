#include "transport/threads/threads_exchange.hpp"

#include <fmt/format.h>
#include <thread>

#include "transport/error.hpp"
#include "transport/shared_memory/segment.hpp"
#include "transport/shared_memory/shared_memory_exchange.hpp"

namespace lbsp::transport {
namespace {

using shared_memory::Board;
using shared_memory::HeapMemory;
using shared_memory::Mapping;

/// What the ranks share, until the last of them has gone: others may read what a rank has sent after it has.
struct Shared {
  explicit Shared(Rank size)
      : memory(Mapping::of_this_process(Board::bytes(size))), board(memory.memory(), size) {
    for (Rank rank = 0; rank < size; ++rank)
      messages.push_back(std::make_unique<HeapMemory>(size));
  }

  Mapping memory;
  Board board;
  std::vector<std::unique_ptr<HeapMemory>> messages;  ///< by rank that sends them
};

}  // namespace

std::vector<std::unique_ptr<Exchange>> make_threads_exchanges(Rank size, std::uint64_t max_message_bytes) {
  if (size < 1) throw UsageError(fmt::format("a job of {} ranks: choose at least 1", size));
  const auto shared = std::make_shared<Shared>(size);
  const auto processors = static_cast<int>(std::thread::hardware_concurrency());
  std::vector<std::unique_ptr<Exchange>> exchanges;
  exchanges.reserve(static_cast<std::size_t>(size));
  for (Rank rank = 0; rank < size; ++rank) {
    const std::shared_ptr<HeapMemory> own(shared, shared->messages[static_cast<std::size_t>(rank)].get());
    exchanges.push_back(std::make_unique<SharedMemoryExchange>(
        shared_memory::Ground{shared->board, own, std::make_shared<shared_memory::SameProcess>(), shared},
        shared_memory::LinksConfig{.self = rank, .processors = processors}, size, max_message_bytes));
  }
  return exchanges;
}

}  // namespace lbsp::transport
