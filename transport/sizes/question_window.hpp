#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::transport {

/// How many bytes of questions (PathSizes) may be on their way to other hosts at a time: what takes longest_sending at
/// the rank's rate, or one question.
///
/// Nobody knows whether a rate is carried that has to be found. There questions begin with `first_bytes`, and are no
/// more than a tenth of all that is sent beyond these. Once a question has been answered in little more than the least
/// round trip, eight times what was on its way then may be, up to what the rate allows; and once one has waited, no
/// more than at first.
class QuestionWindow {
 public:
  static constexpr Duration longest_sending = std::chrono::milliseconds{20};
  static constexpr std::size_t first_bytes = 3600;

  struct Question {
    Rank to = 0;
    std::size_t bytes = 0;
    Instant sent_at{};
    std::uint64_t packets_before = 0;  ///< 1 + the number of the last datagram before it that was no question
    std::optional<Duration> round_trip = {};  ///< the least, if it has been measured
    std::size_t on_their_way = 0;             ///< bytes, with it
  };

  /// `told`: the rate does not have to be found.
  explicit QuestionWindow(bool told) : told_(told) {}

  /// The most bytes that may be on their way at this rate; one question may be longer if the rate was told.
  std::size_t size(BytesPerSecond rate) const;
  /// Whether a question of so many bytes may go now. `bytes_sent`: of all kinds, to other hosts.
  bool fits(std::size_t bytes, BytesPerSecond rate, std::uint64_t bytes_sent) const;
  /// Whether one of so many bytes may go once nothing is on its way.
  bool ever_fits(std::size_t bytes, BytesPerSecond rate) const { return told_ || bytes <= size(rate); }

  void sent(Question question);
  void answered(Rank by, std::size_t bytes, Instant now);
  /// Forgets those for which over(question) is true.
  template <class Over>
  void forget(const Over& over) {
    std::erase_if(questions_, [&](const Question& question) {
      if (!over(question)) return false;
      on_their_way_ -= question.bytes;
      return true;
    });
  }

  bool empty() const { return questions_.empty(); }
  bool asks(Rank peer) const {
    return std::ranges::any_of(questions_, [&](const Question& question) { return question.to == peer; });
  }

 private:
  bool told_;
  std::vector<Question> questions_;  ///< on their way, in the order in which they were sent
  std::size_t on_their_way_ = 0;     ///< their bytes
  std::uint64_t asked_ = 0;          ///< bytes of all questions
  std::size_t proven_ = 0;           ///< bytes; 0: none
};

}  // namespace lbsp::transport
