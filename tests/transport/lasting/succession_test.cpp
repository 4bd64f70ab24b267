#include "transport/lasting/succession.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "tests/transport/start.hpp"
#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

EndpointConfig job_of(Rank size, bool outlives_ranks) {
  EndpointConfig job;
  job.size = size;
  job.options.outlives_ranks = outlives_ranks;
  job.places = {"at a", "at b", "at c"};
  job.hosts = {0, 1, 2};
  return job;
}

TEST(Succession, makes_the_next_epochs_endpoint_of_those_that_go_on) {
  std::vector<Rank> planned;
  Succession succession(job_of(3, true), [&](Rank rank) {
    planned.push_back(rank);
    return std::unique_ptr<RedundancyPlanner>();
  });
  ProcessNames names(nullptr);
  names.enter(MemberSet::first(3));
  const Endpoint first(succession.endpoint_of(0, 0, names), start);
  EXPECT_THAT(planned, IsEmpty()) << "the first epoch has the job's own";

  Decision value;
  value.members = {0, 2};
  const JobKey before = succession.job().key;
  const Letter letter = succession.end_epoch(0, MemberSet::first(3), value, first, names, 3);
  EXPECT_EQ(letter.epoch, 1U);
  EXPECT_EQ(letter.before, MemberSet::first(3));
  EXPECT_THAT(letter.hosts, ElementsAre(0, 1, 2));
  EXPECT_NE(letter.key.tag(), before.tag());
  EXPECT_EQ(succession.job().key.tag(), before.tag()) << "until the next epoch begins";

  succession.begin_epoch(letter);
  EXPECT_EQ(succession.job().key.tag(), letter.key.tag());
  names.enter(letter.members());
  const EndpointConfig next = succession.endpoint_of(1, 1, names);
  EXPECT_EQ(next.rank, 1);
  EXPECT_EQ(next.size, 2);
  EXPECT_EQ(next.key.tag(), letter.key.tag());
  EXPECT_THAT(next.places, ElementsAre("at a", "at c"));
  EXPECT_THAT(next.hosts, ElementsAre(0, 2));
  ASSERT_TRUE(next.known);
  EXPECT_EQ(next.known->paths.size(), 2U);
  EXPECT_THAT(planned, ElementsAre(1));
}

TEST(Succession, of_a_job_that_ends_with_any_of_its_ranks_leaves_its_only_endpoint_all_that_is_known) {
  const Succession succession(job_of(3, false), {});
  EXPECT_THAT(succession.job().places, ElementsAre("at a", "at b", "at c"));
}

TEST(Succession, is_refused_to_more_ranks_than_can_agree) {
  EXPECT_THROW(Succession(job_of(MemberSet::most + 1, true), {}), UsageError);
  EXPECT_NO_THROW(Succession(job_of(MemberSet::most + 1, false), {}));
}

}  // namespace
}  // namespace lbsp::transport
