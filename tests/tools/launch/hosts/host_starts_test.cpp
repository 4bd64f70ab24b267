#include "tools/launch/hosts/host_starts.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace lbsp::launch::hosts {
namespace {

using namespace std::chrono_literals;

struct ManyHosts {
  /// Each takes so long to be begun.
  explicit ManyHosts(int count, std::chrono::milliseconds each = 0ms)
      : hosts(static_cast<std::size_t>(count)) {
    for (int& host : hosts)
      starts.add(&host, [this, &host, each] {
        std::this_thread::sleep_for(each);
        host = ++begun;
      });
  }
  void run_for(std::chrono::milliseconds time) {
    uv::Timer end(loop);
    end.start(time, [this] { loop.stop(); });
    loop.run();
  }

  /// Until so many have been begun, and a while longer.
  void run_until_begun(int count) {
    for (int times = 0; times < 1000 && begun < count; ++times)
      run_for(5ms);
    run_for(5ms);
  }

  uv::Loop loop;
  std::vector<int> hosts;
  int begun = 0;
  HostStarts starts{loop};
};

TEST(HostStarts, are_in_order_and_no_more_at_once_than_may_be) {
  ManyHosts many(HostStarts::most_at_once + 10);
  EXPECT_EQ(many.begun, 0);
  many.run_until_begun(HostStarts::most_at_once);
  EXPECT_EQ(many.begun, HostStarts::most_at_once);
  for (int settled = 1; settled <= 12; ++settled) {
    many.starts.settled();
    const int begun = HostStarts::most_at_once + std::min(settled, 10);
    many.run_until_begun(begun);
    EXPECT_EQ(many.begun, begun);
  }
  for (std::size_t host = 0; host < many.hosts.size(); ++host)
    EXPECT_EQ(many.hosts[host], static_cast<int>(host) + 1);
}

TEST(HostStarts, go_on_beside_what_else_the_loop_has_to_do) {
  ManyHosts many(100, 10ms);
  many.run_for(100ms);
  EXPECT_GT(many.begun, 0);
  EXPECT_LT(many.begun, 100);
}

TEST(HostStarts, leave_out_who_is_given_up_before_its_turn) {
  ManyHosts many(10);
  many.starts.remove(&many.hosts[3]);
  many.run_until_begun(9);
  EXPECT_EQ(many.begun, 9);
  EXPECT_EQ(many.hosts[3], 0);
}

}  // namespace
}  // namespace lbsp::launch::hosts
