#include "transport/shared_memory/board.hpp"

#include "transport/shared_memory/futex.hpp"

namespace lbsp::transport::shared_memory {

void Board::wake_all() const {
  for (Rank rank = 0; rank < seats_; ++rank) {
    for (auto& arrived : seat(rank).arrived)
      wake(arrived);
  }
}

void Board::lose(Rank rank) const {
  State running = State::running;
  if (!seat(rank).state.compare_exchange_strong(running, State::lost)) return;
  std::uint32_t nobody = 0;
  notice().first_lost.compare_exchange_strong(nobody, static_cast<std::uint32_t>(rank) + 1);
  wake_all();
}

}  // namespace lbsp::transport::shared_memory
