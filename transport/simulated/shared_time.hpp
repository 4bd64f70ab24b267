#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::transport {

/// Several simulated things (networks, flows) that share links, in one virtual time: whichever has the next
/// event makes it happen. Each must have `Instant next_event() const` and `step()`, and outlive this.
class SharedTime {
 public:
  template <class Part>
  void add(Part& part) {
    parts_.push_back({[&part] { return part.next_event(); }, [&part] { part.step(); }});
  }

  /// Of all parts; `never` if nothing will happen by itself.
  Instant next_event() const {
    Instant next = never;
    for (const Part& part : parts_)
      next = std::min(next, part.next_event());
    return next;
  }

  /// Makes the next event happen. Of events at the same time, that of the part added first.
  void step() {
    const Instant next = next_event();
    for (const Part& part : parts_) {
      if (part.next_event() == next && next != never) return part.step();
    }
  }

  /// Steps until done() is true, or the next event lies after `bound`. Returns done().
  template <class Predicate>
  bool run_until(Predicate done, Instant bound) {
    while (!done()) {
      const Instant next = next_event();
      if (next > bound || next == never) return false;
      step();
    }
    return true;
  }

 private:
  struct Part {
    std::function<Instant()> next_event;
    std::function<void()> step;
  };

  std::vector<Part> parts_;
};

}  // namespace lbsp::transport
