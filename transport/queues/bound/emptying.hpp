#pragma once

namespace lbsp::transport {

/// A queue that stands and is emptied, in rounds in which less comes to it than goes through it.
class Emptying {
 public:
  /// What was when it began; seconds, and bytes per second.
  struct Begin {
    double queue = 0;
    double through = 0;      ///< what came through …
    double least_after = 0;  ///< … and what does so when the queue is empty, at least
  };

  /// The first round.
  void begin(const Begin& of) {
    began_ = of;
    rounds_ = 1;
  }
  /// A further round. Whether the queue is held by others, who do not give way: it is hardly shorter after some rounds.
  bool in_vain(double queue) { return ++rounds_ > rounds_to_empty && queue > hardly_shorter * began_.queue; }
  void end() { rounds_ = 0; }

  bool goes_on() const { return rounds_ > 0; }
  const Begin& began() const { return began_; }

 private:
  static constexpr int rounds_to_empty = 6;
  static constexpr double hardly_shorter = 0.5;

  int rounds_ = 0;
  Begin began_;
};

}  // namespace lbsp::transport
