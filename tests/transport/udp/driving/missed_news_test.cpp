#include "transport/udp/driving/missed_news.hpp"

#include <cerrno>
#include <chrono>
#include <gtest/gtest.h>
#include <vector>

#include "tests/transport/start.hpp"
#include "transport/lasting/lasting_endpoint.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Rank 0 of three, which hears nobody.
struct WhoHearsNobody {
  WhoHearsNobody() : endpoint(config(), {}, start) {}

  static EndpointConfig config() {
    EndpointConfig config;
    config.size = 3;
    config.options.outlives_ranks = true;
    config.options.peer_timeout = 1s;
    return config;
  }
  void live_for(Duration time) {
    for (const Instant end = now + time; now < end; now += 10ms)
      endpoint.handle_timeout(now);
  }

  Instant now = start;
  LastingEndpoint endpoint;
};

TEST(MissedNews, are_told_once) {
  std::vector<Missing> told;
  MissedNews news([&](const Missing& missing) { told.push_back(missing); });
  WhoHearsNobody who;
  news.look(who.endpoint);
  EXPECT_TRUE(told.empty()) << "nobody is missed yet";
  who.live_for(1500ms);
  news.look(who.endpoint);
  news.look(who.endpoint);
  EXPECT_EQ(told, (std::vector<Missing>{{.epoch = 0, .ranks = {1, 2}}}));
}

TEST(MissedNews, are_told_again_when_the_own_host_may_be_the_reason) {
  std::vector<Missing> told;
  MissedNews news([&](const Missing& missing) { told.push_back(missing); });
  WhoHearsNobody who;
  who.live_for(1500ms);
  news.look(who.endpoint);
  who.endpoint.world().ways().note_host_refusal(2, EPERM, who.now);
  news.look(who.endpoint);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[1].refusal, (HostRefusal{.to = {2}, .error = EPERM}));
}

TEST(MissedNews, are_nobodys_where_nobody_is_to_be_told) {
  MissedNews news({});
  WhoHearsNobody who;
  who.live_for(1500ms);
  ASSERT_FALSE(who.endpoint.missing().ranks.empty());
  EXPECT_NO_THROW(news.look(who.endpoint));
}

}  // namespace
}  // namespace lbsp::transport
