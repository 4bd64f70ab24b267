#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "transport/rate/burst_meter.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Bounds a rate where supersteps are too short for any other bound: their messages have been sent before an answer
/// could change it. If it is much higher than what a link carries, the queue before that link drops the ends of the
/// messages, and what is sent in advance for these, again and again.
///
/// What the link carries shows in each message: sent at once, its datagrams arrive one by one, each as long after the
/// last. Delays that vary for other reasons are not as regular.
class BurstBound {
 public:
  struct Context {
    BytesPerSecond sending;  ///< the rate while there is no bound
    std::size_t datagram_bytes;
    bool is_short;  ///< what is sent: else there is no bound
    double loss;    ///< of the path, as the peer says
    Instant now;
    double jump;           ///< by which delays change from one datagram to the next, in seconds: the median
    bool goes_on = false;  ///< the path is so short that no queue becomes empty between supersteps
    bool queued = false;   ///< a queue bounds the rate for a while
    Rank peer = 0;         ///< whose echo tells
  };

  enum class Change { none, begun, other };

  /// What that has changed of the bound. It ends after a pause in which links may have changed.
  Change judge(const BurstMeter::Seen& seen, const Context& context);
  /// Something else has shown what the link carries, while a queue stands.
  void begin(BytesPerSecond carried);
  /// nullopt: there is no bound.
  std::optional<BytesPerSecond> rate() const;

 private:
  void note(const Burst& step, std::size_t datagram_bytes);
  bool begins(BytesPerSecond sending);
  bool follow(const Burst& burst, const Context& context);
  bool is_of_other_path(const Burst& burst, const Context& context);
  void judge_together(const Burst& bursts, double queue, const Context& context);
  bool end();

  static constexpr std::size_t remembered = most_steps;

  std::array<Burst, remembered> steps_{};  ///< while there is no bound
  std::size_t seen_ = 0;
  double rate_ = 0;         ///< bytes per second; 0: there is no bound
  Rank limited_by_ = -1;    ///< the path on which the last burst met a queue …
  int others_ = 0;          ///< … and so many since that met none on others
  double part_ = 1;         ///< of it, while a queue that stands runs empty
  Burst bursts_;            ///< under the bound: what has not been judged yet …
  int count_ = 0;           ///< … of so many bursts
  double own_loss_ = 0;     ///< of the path: of bursts that met no queue
  Instant changed_at_{};    ///< what was sent before says nothing of the bound as it is
  int carried_bursts_ = 0;  ///< in a row, that met no queue
};

}  // namespace lbsp::transport
