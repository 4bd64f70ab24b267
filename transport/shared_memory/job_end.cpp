#include "transport/shared_memory/job_end.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <string>

#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp::transport::shared_memory {

void JobEnd::throw_told() const {
  const Notice& notice = board_.notice();
  const std::size_t bytes = std::min<std::size_t>(notice.text_bytes, Notice::longest_text);
  const std::string text = printable({notice.text.data(), bytes});
  if (notice.lost != 0) throw PeerLost(static_cast<Rank>(notice.lost - 1), text);
  throw Aborted(text);
}

void JobEnd::throw_if_lost(std::span<const Rank> ranks, std::uint64_t superstep) const {
  throw_if_ended();
  for (const Rank rank : ranks) {
    if (board_.seat(rank).state.load() == State::lost) throw_gone(rank, superstep);
  }
}

/// Ranks that have left because another one was lost, or has ended the job, are not to blame.
void JobEnd::throw_gone(Rank rank, std::uint64_t superstep) const {
  throw_if_ended();  // told before they left, perhaps after it was looked for last
  const std::uint32_t first_lost = board_.notice().first_lost.load();
  const Rank culprit = first_rank_ + (first_lost == 0 ? rank : static_cast<Rank>(first_lost) - 1);
  throw PeerLost(culprit,
                 fmt::format("rank {} has ended while rank {} waits for its message of superstep {}: "
                             "look for the error of rank {}",
                             culprit, first_rank_ + self_, superstep, culprit));
}

void JobEnd::finish() const {
  throw_if_ended();
  State running = State::running;
  board_.seat(self_).state.compare_exchange_strong(running, State::finished);
  board_.wake_all();
}

void JobEnd::abort(std::string_view reason) const noexcept {
  try {
    end(fmt::format("rank {} ended the job: {}", first_rank_ + self_, reason.substr(0, Notice::longest_text)),
        std::nullopt);
  } catch (const std::bad_alloc&) {
    end("a rank ended the job, and has no memory to say why: use fewer ranks here", std::nullopt);
  }
}

void JobEnd::end(std::string_view error, std::optional<Rank> lost) const noexcept {
  Notice& notice = board_.notice();
  auto none = Notice::End::none;
  if (!notice.end.compare_exchange_strong(none, Notice::End::being_written)) return;
  notice.lost = lost ? static_cast<std::uint32_t>(*lost) + 1 : 0;
  notice.text_bytes = static_cast<std::uint32_t>(std::min(error.size(), Notice::longest_text));
  std::memcpy(notice.text.data(), error.data(), notice.text_bytes);
  notice.end.store(Notice::End::told, std::memory_order_release);
  board_.wake_all();
}

}  // namespace lbsp::transport::shared_memory
