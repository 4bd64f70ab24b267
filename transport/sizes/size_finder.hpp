#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "transport/peers/endpoint_state.hpp"
#include "transport/peers/loss_recovery.hpp"
#include "transport/sending/datagram_writer.hpp"
#include "transport/sizes/early_questions.hpp"
#include "transport/sizes/question_window.hpp"
#include "transport/sizes/trial_line.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Finds how long datagrams to each peer may be: sends what PathSizes asks, and answers what the peers ask.
class SizeFinder {
 public:
  SizeFinder(EndpointState& state, DatagramWriter& writer, LossRecovery& recovery);

  /// A leg has begun: asks for longer datagrams to the peers to which it sends.
  void leg_begun(Instant now);
  /// Takes a question, or an answer; false if it makes no sense.
  bool take(Peer& from, const SizeHeader& header, std::size_t datagram_bytes, Instant now);
  /// All that a datagram of the peer said has been entered: looks whether its path seems narrow.
  void told(Peer& from, Instant now);
  /// Nothing was heard, not even after it was asked for: looks whether long ones may be lost.
  void unheard(const Peer& from);
  /// The system takes no longer ones.
  void lower(Peer& of, std::size_t bytes, Instant now);
  /// Timer::size has struck.
  void judge(Peer& of, Instant now);
  /// Ranks whose path has begun to look narrow: their system may know more.
  std::vector<Rank> take_doubtful() { return std::exchange(doubtful_, {}); }

  /// When something is to be sent, which may be long ago; `never` if nothing is.
  Instant next_release() const;
  bool ready(Instant now) const { return next_release() <= now; }
  /// Answers, the questions of a trial, during which other data waits, and those among the first data; none if there is
  /// none. A trial's questions keep to the rate of their path: what they take of it, data has to wait for.
  const Transmit* next_urgent(std::span<std::byte> buffer, Instant now);
  /// Questions that wait until nothing else is to be sent.
  const Transmit* next_idle(std::span<std::byte> buffer, Instant now);

 private:
  struct Job {
    Rank peer = 0;
    std::size_t bytes = 0;
    bool answer = false;
    bool on_trial = false;
    bool pilot = false;  ///< asks only how long the answer takes
    Echo echo = {};      ///< of an answer: what it would have told …
    Instant at = {};     ///< … when the question came
  };

  bool may_ask() const;
  void forget_unanswered(Instant now);
  void ask_at_once();
  void give_up_or_try_with_a_shorter_one();
  const Transmit* next_early(bool idle, std::span<std::byte> buffer, Instant now);
  const Transmit& write_size(Peer& to, const Job& job, std::span<std::byte> buffer, Instant now);
  void answer(const Job& job);
  void ask(Peer& of);
  bool asks_on_trial(const Peer& of) const;
  static Instant in_vain_at(const Peer& of);
  void judge_soon(Peer& of, Instant now);
  void begin_others_with(std::size_t bytes, Instant now);
  void ask_next();
  void trial_over(Peer& of, Instant now);

  EndpointState& state_;
  DatagramWriter& writer_;
  LossRecovery& recovery_;
  EarlyQuestions early_;
  TrialLine line_;
  std::deque<Job> urgent_;
  std::deque<Job> idle_;
  QuestionWindow window_;
  bool piloted_ = false;  ///< for what is first in idle_
  std::vector<Rank> doubtful_;
};

}  // namespace lbsp::transport
