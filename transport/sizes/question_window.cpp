#include "transport/sizes/question_window.hpp"

namespace lbsp::transport {
namespace {

/// Of a rate that is not known: one byte of questions for so many of all kinds.
constexpr std::uint64_t part_of_all = 10;
constexpr std::size_t growth_of_window = 8;

}  // namespace

std::size_t QuestionWindow::size(BytesPerSecond rate) const {
  const std::chrono::duration<double> sending = longest_sending;
  const auto of_rate = static_cast<std::size_t>(rate.value * sending.count());
  return told_ ? of_rate : std::clamp(proven_, first_bytes, std::max(first_bytes, of_rate));
}

bool QuestionWindow::fits(std::size_t bytes, BytesPerSecond rate, std::uint64_t bytes_sent) const {
  if (told_ && on_their_way_ == 0) return true;
  if (on_their_way_ + bytes > size(rate)) return false;
  return told_ || asked_ + bytes <= first_bytes + bytes_sent / part_of_all;
}

void QuestionWindow::sent(Question question) {
  asked_ += question.bytes;
  on_their_way_ += question.bytes;
  question.on_their_way = on_their_way_;
  questions_.push_back(question);
}

void QuestionWindow::answered(Rank by, std::size_t bytes, Instant now) {
  const auto found = std::ranges::find_if(
      questions_, [&](const Question& question) { return question.to == by && question.bytes == bytes; });
  if (found == questions_.end()) return;
  if (found->round_trip) {
    const bool waited = now - found->sent_at > *found->round_trip + longest_sending;
    proven_ = waited ? 0 : std::max(proven_, growth_of_window * found->on_their_way);
  }
  on_their_way_ -= found->bytes;
  questions_.erase(found);
}

}  // namespace lbsp::transport
