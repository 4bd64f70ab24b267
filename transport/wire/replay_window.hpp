#pragma once

#include <array>
#include <cstdint>

namespace lbsp::transport {

/// Remembers which packet numbers of one direction have arrived, so that none is accepted twice. Refuses
/// numbers more than `window_packets` behind the largest as too old. The copies of a segment are spaced over
/// a message, so the window is wider than the 128 that are usual for streams.
///
/// Enter only authenticated numbers: a forged one could push the window past real ones.
class ReplayWindow {
 public:
  static constexpr std::uint64_t window_packets = 4096;

  bool is_new(std::uint64_t packet) const {
    if (packet >= next_) return true;
    return next_ - packet <= window_packets && !test(packet);
  }

  /// Enters a number for which is_new() is true.
  void enter(std::uint64_t packet) {
    if (packet >= next_) advance(packet);
    words_[word(packet)] |= bit(packet);
    ++distinct_;
  }

  /// 1 + the largest number entered; 0 when there is none.
  std::uint64_t next() const { return next_; }
  /// How many numbers have been entered.
  std::uint64_t distinct() const { return distinct_; }

 private:
  static constexpr std::uint64_t bits_per_word = 64;
  static constexpr std::size_t word_count = window_packets / bits_per_word + 1;

  static std::size_t word(std::uint64_t packet) { return packet / bits_per_word % word_count; }
  static std::uint64_t bit(std::uint64_t packet) { return std::uint64_t{1} << packet % bits_per_word; }
  bool test(std::uint64_t packet) const { return (words_[word(packet)] & bit(packet)) != 0; }

  void advance(std::uint64_t packet) {
    // A word that the window reaches anew still holds the marks of its last turn.
    const std::uint64_t newest = packet / bits_per_word;
    std::uint64_t first = next_ == 0 ? 0 : (next_ - 1) / bits_per_word + 1;
    if (newest - first >= word_count && newest >= first) first = newest - word_count + 1;
    for (std::uint64_t i = first; i <= newest; ++i)
      words_[i % word_count] = 0;
    next_ = packet + 1;
  }

  std::array<std::uint64_t, word_count> words_{};
  std::uint64_t next_ = 0;
  std::uint64_t distinct_ = 0;
};

}  // namespace lbsp::transport
