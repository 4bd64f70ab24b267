// What a new process believes that others have told it of the network, when it is let in.
#include <gtest/gtest.h>
#include <map>

#include "transport/lasting/lasting_endpoint.hpp"
#include "transport/paths/loss_estimate.hpp"

namespace lbsp::transport {
namespace {

/// Of the messages that it has planned: what was known of their paths.
class PathsSeen final : public RedundancyPlanner {
 public:
  explicit PathsSeen(std::map<Rank, PathForecast>& seen) : seen_(seen) {}

  LegForecast plan(const LegOutline& leg, std::span<MessagePlan> /*plans*/) override {
    for (const PlannedMessage& message : leg.messages)
      seen_[message.to] = message.path;
    return {};
  }
  int repairs_for(int lacking, int /*earlier*/, const PathForecast& /*path*/) const override {
    return lacking;
  }

 private:
  std::map<Rank, PathForecast>& seen_;
};

/// Of a process that takes slot 1 of 0 to 3, of which it was told that datagrams get lost by the slot's number in
/// hundredths. Slot 2 has a new process, too.
std::map<Rank, PathForecast> paths_of_newcomer() {
  std::map<Rank, PathForecast> seen;
  EndpointConfig config;
  config.rank = 1;
  config.size = 4;
  config.options.outlives_ranks = true;
  for (Rank rank = 0; rank < 4; ++rank)
    config.priors.push_back({.loss = 0.01 * rank,
                             .loss_after_loss = 0.01 * rank,
                             .loss_sample = 500,
                             .round_trip = std::chrono::milliseconds{10},
                             .bandwidth = megabits_per_second(1)});
  Letter letter{.epoch = 1, .before = MemberSet::first(4), .value = {}, .hosts = {0, 4, 5, 3}};
  letter.value.members = {0, 3};
  letter.value.seats = {{.slot = 1, .spare = 4, .incarnation = {}},
                        {.slot = 2, .spare = 5, .incarnation = {}}};
  const Instant now = Instant{} + std::chrono::seconds{1};
  LastingEndpoint endpoint(
      config, [&](Rank) { return std::make_unique<PathsSeen>(seen); }, letter, now);
  endpoint.begin([&](Endpoint& of_epoch) { of_epoch.begin_exchange(std::vector<Bytes>(4, Bytes(100)), now); },
                 now);
  return seen;
}

TEST(LastingSeats, a_new_process_takes_what_it_was_told_of_the_paths_to_those_that_stay) {
  auto seen = paths_of_newcomer();
  ASSERT_EQ(seen.count(3), 1U);
  EXPECT_DOUBLE_EQ(seen[3].loss, 0.03);
  EXPECT_EQ(seen[3].round_trip, std::chrono::milliseconds{10});
}

TEST(LastingSeats, a_new_process_forgets_what_it_was_told_of_the_path_to_one_that_is_lost_too) {
  auto seen = paths_of_newcomer();
  ASSERT_EQ(seen.count(2), 1U);
  EXPECT_DOUBLE_EQ(seen[2].loss, default_prior().loss);
  EXPECT_FALSE(seen[2].round_trip_known);
  EXPECT_EQ(seen[2].bandwidth.value, 0);
}

}  // namespace
}  // namespace lbsp::transport
