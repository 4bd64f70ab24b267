#pragma once

#include "transport/lasting/own_sleep.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// How a process leaves a job that outlives its ranks. Nobody leaves before all have completed the last exchange, as
/// until then the world may change. So one more exchange follows, of nothing: who completes it knows that all others
/// have completed the last one.
class OwnLeave {
 public:
  explicit OwnLeave(Duration peer_timeout) : sleep_(peer_timeout) {}

  /// The exchange of nothing begins.
  void begin_closing() { stage_ = Stage::closing; }
  /// The world has changed before all had completed the last exchange.
  void begin_epoch() { stage_ = Stage::open; }
  /// To be called whenever something has come or a timer ends.
  void look(Instant now) { sleep_.look(now); }

  /// Whether the process leaves from now on. `complete`: this exchange of nothing is. `heard_farewell`: a peer has
  /// taken its leave, which knows that all have completed the last exchange, whatever else is awaited here. Who has
  /// slept may have been given up since what it reads first had come.
  bool begin(bool complete, bool heard_farewell, Instant now) {
    if (stage_ != Stage::closing) return false;
    if (heard_farewell || (complete && !sleep_.is_just_over(now))) stage_ = Stage::leaving;
    return stage_ == Stage::leaving;
  }

  bool is_closing() const { return stage_ != Stage::open; }
  /// From here on nothing is agreed on any more: who still misses somebody is told so by FIN.
  bool is_leaving() const { return stage_ == Stage::leaving; }

 private:
  enum class Stage { open, closing, leaving };

  Stage stage_ = Stage::open;
  OwnSleep sleep_;
};

}  // namespace lbsp::transport
