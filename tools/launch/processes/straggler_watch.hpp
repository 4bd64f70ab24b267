#pragma once

#include <functional>

#include "tools/uv/events.hpp"

namespace lbsp::launch::processes {

/// A process has ended, but what it has started may still hold its streams open. They are given up when nothing has
/// come for half a second, at the latest after ten seconds. Only looks between which the streams could be read count:
/// a launcher that had to wait for a processor has not heard anything either.
class StragglerWatch {
 public:
  /// `give_up` must end what is waited for.
  StragglerWatch(uv::Loop& loop, std::function<void()> give_up);

  /// The process has ended.
  void begin() { look_later(); }
  /// Something has come.
  void heard() { quiet_looks_ = 0; }
  /// While held, because nothing is read, nothing is given up.
  void hold(bool held) { held_ = held; }
  void stop() { timer_.stop(); }

 private:
  void look_later();

  std::function<void()> give_up_;
  uv::Timer timer_;
  int quiet_looks_ = 0;
  int looks_ = 0;
  bool held_ = false;
};

}  // namespace lbsp::launch::processes
