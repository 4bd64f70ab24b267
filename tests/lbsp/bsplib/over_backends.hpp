#pragma once

#include <exception>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "lbsp/bsplib/bsp.h"
#include "lbsp/bsplib/bsp_level1.h"
#include "lbsp/bsplib/calls.hpp"
#include "tests/support/run_ranks.hpp"

namespace lbsp::test {

/// The calls of bsp.h on several ranks of this process, each on a thread of its own. Errors are thrown.
class BsplibOver : public OverBackends {
 protected:
  using Body = std::function<void()>;

  void run(Rank size, const Body& body) const { run_ranks(size, program(body)); }

  /// Every rank must fail; the texts, by rank.
  std::vector<std::string> failures(Rank size, const Body& body) const {
    std::vector<std::string> texts;
    for (const auto& outcome : run_failing_ranks(size, program(body)))
      texts.push_back(text_of<Error>(outcome));
    return texts;
  }

  /// Every rank must fail with a text that has all of these parts.
  void expect_failure(Rank size, const Body& body, const std::vector<std::string>& parts) const {
    for (const std::string& text : failures(size, body)) {
      for (const std::string& part : parts)
        EXPECT_THAT(text, testing::HasSubstr(part));
    }
  }

  /// `body` on rank 1 of 2 after a first superstep; rank 0 waits in bsp_sync. Both fail, with these parts.
  void expect_refusal(const Body& body, const std::vector<std::string>& parts) const {
    expect_failure(
        2,
        [&] {
          bsp_sync();
          if (bsp_pid() == 1) body();
          bsp_sync();
        },
        parts);
  }

 private:
  static Program program(const Body& body) {
    return [&body](World& world) {
      bsplib::Spmd spmd(world);
      const bsplib::Attached attached(spmd);
      body();
    };
  }
};

/// sizeof, in the type of the 1998 face.
template <class T>
constexpr int bytes_of(std::size_t count = 1) {
  return static_cast<int>(sizeof(T) * count);
}

/// The process numbers beside this one's, in a ring.
inline int next() {
  return (bsp_pid() + 1) % bsp_nprocs();
}
inline int previous() {
  return (bsp_pid() + bsp_nprocs() - 1) % bsp_nprocs();
}

/// Returns the size that was set before.
inline int set_tagsize(int bytes) {
  bsp_set_tagsize(&bytes);
  return bytes;
}

/// What bsp_qsize says of the queue.
inline int messages() {
  int count = -7;
  int bytes = -7;
  bsp_qsize(&count, &bytes);
  return count;
}
inline int payload_bytes() {
  int count = -7;
  int bytes = -7;
  bsp_qsize(&count, &bytes);
  return bytes;
}

}  // namespace lbsp::test
