// Over real sockets, the ranks that are left go on when others are lost.
#include <chrono>
#include <gtest/gtest.h>
#include <optional>

#include "tests/transport/udp/udp_cluster.hpp"
#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

std::optional<WorldChange> change_in(UdpExchange& exchange, int supersteps) {
  try {
    talk(exchange, supersteps, 3000);
  } catch (const WorldChanged& changed) {
    return changed.change();
  }
  return std::nullopt;
}

TEST(UdpSurvival, goes_on_with_the_ranks_that_are_left_and_takes_leave_of_them) {
  for (const char* wan : {"", "loss=10%,rtt=4ms"}) {
    UdpCluster cluster(4, wan);
    cluster.job.options.peer_timeout = 700ms;
    cluster.job.options.outlives_ranks = true;
    cluster.run_well([](UdpExchange& exchange) {
      const Rank slot = exchange.rank();
      exchange.hold(1);
      // Rank 1 leaves when it has got all messages. What of its own last ones is lost, nobody sends again.
      auto change = change_in(exchange, 3);
      if (slot == 1) return;  // without a word
      if (!change) {
        exchange.hold(2);
        change = change_in(exchange, 1'000'000);
      }
      ASSERT_TRUE(change);
      EXPECT_EQ(change->epoch, 1U);
      EXPECT_EQ(change->members, (std::vector<Rank>{0, 2, 3}));
      EXPECT_EQ(change->lost, std::vector<Rank>{1});
      // Rank 1 may have taken the others' first messages with the new boundary, and they each other's, or not.
      EXPECT_TRUE(change->boundary == 1 || change->boundary == 2);
      EXPECT_EQ(exchange.size(), 3);
      EXPECT_EQ(exchange.rank(), slot == 0 ? 0 : slot - 1);
      talk(exchange, 20, 3000);
      exchange.finish();
    });
  }
}

TEST(UdpSurvival, is_told_to_a_rank_that_computes_when_it_exchanges_again) {
  UdpCluster cluster(3);
  cluster.job.options.peer_timeout = 400ms;
  cluster.job.options.outlives_ranks = true;
  cluster.run_well([](UdpExchange& exchange) {
    const Rank slot = exchange.rank();
    talk(exchange, 1, 100);
    if (slot == 2) return;
    if (slot == 0) std::this_thread::sleep_for(1s);
    EXPECT_TRUE(change_in(exchange, 1));
    EXPECT_EQ(exchange.size(), 2);
    talk(exchange, 5, 100);
    exchange.finish();
  });
}

}  // namespace
}  // namespace lbsp::transport
