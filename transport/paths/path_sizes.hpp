#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::transport {

/// Finds out how long datagrams to one peer may be, by asking (RFC 8899): a question is a datagram of a certain
/// length, which its receiver answers with a short one.
///
/// Upwards, each longer length is asked for up to three times, not more often than answers take. The first answer
/// settles it. If none comes, the search rests: five seconds, then twice as long each time, up to ten minutes. The
/// first search asks for the base too, twice, and for a short one.
///
/// Below the base usual MTUs leave 548 and 256 bytes only. There the search goes on for what a filter may let pass: for
/// three lengths in even steps up to the next one that does not pass, twice each, and then within the step that is
/// left, until that is a twelfth of what passes. That takes two attempts from 548 bytes to 1200.
///
/// A length that seems not to pass (NarrowPath), or a base of which only the short one was answered, is put on
/// trial. Twelve long and twelve short questions go out in turns, and some of lengths between. One answer to a long
/// one acquits. If eight short ones are answered and no long one, the path is narrow: where each is lost as easily as
/// the other, that happens once in 2^8 trials. On slow links, where answers come before the next questions go out, the
/// first five short ones are enough if all are answered: with the five long ones before them that happens once in 2^10.
/// What is suspected again and again counts as narrow after three trials in a row of which nothing arrives, as on links
/// that the questions themselves flood.
class PathSizes {
 public:
  /// Begins with `first`, and looks for as much as `ceiling`.
  PathSizes(std::size_t first, std::size_t ceiling)
      : in_use_(first), ceiling_(ceiling), base_known_(first == ceiling), base_open_(first != ceiling) {}

  /// The longest datagram that may be sent.
  std::size_t in_use() const { return in_use_; }
  std::size_t ceiling() const { return ceiling_; }
  /// No longer ones are to be sent from here on …
  void lower(std::size_t bytes, Instant now);
  /// … for now, as the peer sends no longer ones either: its path may be narrower than this one. The search goes on.
  void follow(std::size_t bytes, Instant now);
  /// So few bytes are the most that another path of this rank carries, and nothing longer has arrived on this one: it
  /// begins with them. The search asks for its former length first, and for longer ones once that has arrived.
  void begin_with(std::size_t bytes, Instant now);
  /// … or ever.
  void limit(std::size_t bytes);

  /// The lengths to ask for now, in order, up to `longest`; mostly none. Answers come within `patience`.
  std::vector<std::size_t> search(Instant now, Duration patience, std::size_t longest);
  /// One of them goes out only now.
  void asked(Instant now) { last_attempt_ = std::max(last_attempt_, now); }
  /// Whether it still tells something that one of so many bytes arrives.
  bool wants(std::size_t bytes) const { return !base_known_ || bytes > in_use_; }

  /// Whether datagrams of the length that the search begins with arrive.
  bool base_known() const { return base_known_; }
  /// Neither a datagram nor a trial has shown how long ones arrive.
  bool base_open() const { return base_open_; }
  /// Of the base and what is shorter, only the latter was answered.
  bool base_doubtful() const { return !base_known_ && short_answered_; }

  /// Puts a length on trial; returns the questions, in order.
  std::vector<std::size_t> begin_trial(std::size_t bytes);
  bool on_trial() const { return on_trial_ > 0; }
  void end_trial() { on_trial_ = 0; }
  /// One of these questions goes out, in this datagram.
  void asked_on_trial(std::size_t bytes, std::uint64_t packet, Instant now) {
    if (first_asked_ == never) first_asked_ = now;
    if (bytes < on_trial_) last_short_ = packet;
    if (bytes == short_) ++short_asked_;
  }
  /// When its questions will have been in vain if none of them is answered within `patience`; `never` if one has been.
  Instant in_vain_at(Duration patience) const {
    return heard_ || first_asked_ == never ? never : first_asked_ + patience;
  }
  /// Whether what is answered convicts if nothing else comes, whatever has not been asked yet.
  bool has_enough_answers() const { return short_answers_ >= enough_answers || many_in_a_row_; }
  /// Whether there are enough answers, or no more come, but those that are late. `echoed`: 1 + the newest datagram that
  /// is known to have arrived. If few have come, a queue may have dropped most: there is no hurry to ask again.
  bool has_answers(std::uint64_t echoed) const {
    return has_enough_answers() || (2 * short_answers_ >= enough_answers && echoed > last_short_);
  }
  /// If nothing at all has been answered: by how many times as long as at first there should be waited. 0: no more.
  int more_patience() { return heard_ || waits_ == most_waits ? 0 : 1 << ++waits_; }
  enum class Verdict { narrow, not_proved, nothing_arrives };
  /// To be called when the answers have had their time. If the path is narrow, in_use() has fallen. If that is not
  /// proved, further_questions() should be asked; otherwise the trial is over.
  Verdict judge(Instant now);
  std::vector<std::size_t> further_questions();

  /// A question of so many bytes was answered. Returns whether that raised in_use(), or ended a trial.
  bool answered(std::size_t bytes);
  /// So many datagrams have arrived in all; so many of those that may be among them, besides what was told before, are
  /// shorter than in_use(). If there are fewer of these in all, one of that length has arrived.
  void arrived(std::uint32_t datagrams, std::uint32_t shorter) {
    shorter_ += shorter;
    if (datagrams > shorter_) base_arrived();
  }
  /// Another datagram of so many bytes has arrived.
  void arrived(std::size_t bytes) {
    if (bytes < in_use_) return;
    base_arrived();
    in_vain_ = 0;
  }

 private:
  static constexpr int most_attempts = 3;
  static constexpr int questions_on_trial = 12;
  static constexpr int questions_between = 4;
  static constexpr int enough_answers = 8;
  static constexpr int enough_in_a_row = 5;
  static constexpr int most_in_vain = 3;
  static constexpr int most_waits = 3;

  void base_arrived() {
    base_known_ = true;
    base_open_ = false;
  }
  void rest(Instant now);
  void search_below(std::size_t too_long, Instant now);
  void short_answered();
  std::vector<std::size_t> usual(std::size_t most) const;
  std::vector<std::size_t> between(std::size_t most);

  std::size_t in_use_;
  std::size_t ceiling_;
  bool base_known_;  ///< datagrams of the length that the search begins with arrive, or have been tried
  bool base_open_;
  bool short_answered_ = false;
  std::uint32_t shorter_ = 0;  ///< sent before the last echo
  std::size_t asked_ = 0;      ///< the longest length that was ever asked for

  int attempts_ = 0;
  std::size_t too_long_ = SIZE_MAX;  ///< what does not pass, until the search has rested
  std::size_t before_longer_ =
      SIZE_MAX;  ///< longer ones are asked for once this has arrived, or the search has rested
  std::array<std::size_t, 3> between_{};  ///< the lengths between usual ones that the last attempt asked for
  Instant last_attempt_{};
  Instant rested_{};
  Duration rest_{std::chrono::seconds{5}};

  std::size_t on_trial_ = 0;          ///< the length on trial; 0: none
  std::size_t short_ = 0;             ///< that of the questions between
  std::uint64_t last_short_ = 0;      ///< the datagram of the last of these
  int short_asked_ = 0;               ///< of those that it takes most answers of
  int short_answers_ = 0;             ///< to these
  bool many_in_a_row_ = false;        ///< the first ones were all answered, and no long one
  std::size_t longest_answered_ = 0;  ///< of those that are shorter than what is on trial
  Instant first_asked_ = never;       ///< of the last questions
  bool heard_ = false;                ///< any answer to them
  int waits_ = 0;                     ///< for them, longer than at first
  int in_vain_ = 0;                   ///< trials in a row of which nothing arrived
};

}  // namespace lbsp::transport
