#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "lbsp/world.hpp"

namespace lbsp::test {

/// Between the ends of two supersteps, in whatever world.
class Gaps {
 public:
  void superstep_ended() {
    const auto now = Clock::now();
    if (last_ != Clock::time_point{}) longest_ = std::max(longest_, now - last_);
    last_ = now;
  }
  double longest() const { return std::chrono::duration<double>(longest_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_{};
  Clock::duration longest_{0};
};

/// Before this step a rank writes its process id: by then it has kept states, and its paths are known.
inline constexpr std::uint64_t under_way = 20;

/// Appears whole: whoever waits for the file finds the process id in it.
inline void write_own_pid(const std::string& folder, int rank) {
  const std::string name = folder + "/" + std::to_string(rank);
  std::ofstream(name + ".new") << ::getpid();
  std::filesystem::rename(name + ".new", name);
}

/// With who is left, if the world has changed.
inline void print_answer(World& world, std::uint64_t answer) {
  std::string members;
  if (world.change()) {
    for (const Rank slot : world.change()->members)
      members.append(" ").append(std::to_string(slot));
  }
  std::printf("answer %llu, members%s\n", static_cast<unsigned long long>(answer), members.c_str());
  world.set_verified(true);
}

}  // namespace lbsp::test
