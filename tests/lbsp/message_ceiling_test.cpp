#include <barrier>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "lbsp/coarray.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/world.hpp"
#include "tests/transport/udp/udp_cluster.hpp"
#include "transport/error.hpp"

namespace lbsp {
namespace {

using testing::HasSubstr;

/// What a call throws; empty if it returns.
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const MessageTooLarge& error) {
    return error.what();
  }
  return {};
}

/// A program that runs away would else take all memory before its next sync.
TEST(MessageCeiling, over_udp_is_named_by_the_call_that_exceeds_it) {
  transport::UdpCluster cluster(2);
  cluster.job.options.max_message_bytes = 100'000;
  std::barrier both_are_done(2);
  cluster.run_well([&](transport::UdpExchange& exchange) {
    World world(exchange);
    Queue<char> queue(world);
    Coarray<char> memory(world, 1'000'000);
    const Rank other = 1 - world.rank();
    world.sync();
    world.sync();
    const std::string ceiling = " in superstep 2, the ceiling is 100000: ";
    EXPECT_THAT(refusal_of([&] { queue.send_in_place(other, 0, 100'001); }), HasSubstr(ceiling));
    EXPECT_THAT(refusal_of([&] { memory.put(other, 0, std::vector<char>(100'001)); }), HasSubstr(ceiling));
    queue.send_in_place(world.rank(), 0, 200'000);  // goes nowhere
    world.sync();
    EXPECT_EQ(queue.size(), 1U);

    int sent = 0;
    const auto run_away = [&] {
      for (; sent < 100'000; ++sent)
        queue.send(other, 0, std::vector<char>(1000));
    };
    EXPECT_THAT(refusal_of(run_away), HasSubstr(" in superstep 3, the ceiling is 100000: "));
    EXPECT_LT(sent, 200) << "rooms have up to twice what is asked for";
    both_are_done.arrive_and_wait();
    exchange.abort("enough");
  });
}

}  // namespace
}  // namespace lbsp
