#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

#include "tools/uv/slices.hpp"

namespace lbsp::launch::hosts {

/// Begins connections to many hosts: in the order in which they were added, in slices of the loop's time, and not more
/// at once than this machine and a gateway before the hosts can open.
class HostStarts {
 public:
  /// As many as mpirun opens (PRRTE's plm_ssh_num_concurrent).
  static constexpr int most_at_once = 128;

  explicit HostStarts(uv::Loop& loop) : slices_(loop, [this] { return begin_next(); }) {}
  HostStarts(const HostStarts&) = delete;
  HostStarts& operator=(const HostStarts&) = delete;

  /// `begin` is called from the loop, once, unless the host is removed before.
  void add(const void* host, std::function<void()> begin);
  void remove(const void* host);
  /// A connection that was begun has come about, or to nothing.
  void settled();

 private:
  bool begin_next();

  struct Waiting {
    const void* host;
    std::function<void()> begin;
  };
  std::deque<Waiting> waiting_;
  int opening_ = 0;
  uv::Slices slices_;
};

}  // namespace lbsp::launch::hosts
