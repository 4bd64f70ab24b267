#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "transport/error.hpp"

namespace lbsp::job {
namespace {

using namespace std::chrono_literals;

/// A rank tells of a hundred thousand of them, and the launcher reads those of all ranks.
TEST(StepsMessage, carries_a_superstep_in_forty_bytes) {
  SuperstepFigures in_memory{
      .compute = Seconds{1e-7}, .communicate = Seconds{1.0 / 3e6}, .h = 288, .traffic = {}};
  in_memory.traffic.payload_bytes_sent = 288;
  in_memory.traffic.payload_bytes_received = 288;
  const Steps steps{.first = 96000, .figures = std::vector<SuperstepFigures>(4000, in_memory)};
  EXPECT_LE(to_payload(steps).size(), 4000U * 40);
  EXPECT_EQ(from_payload<Steps>(to_payload(steps)).figures.back().traffic, in_memory.traffic);

  SuperstepFigures over_network = in_memory;
  over_network.forecast = {.duration = 35ms, .earlier = 2ms, .later = 7ms, .most_copies = 3};
  for (const auto counter : transport::all_counters)
    over_network.traffic.*counter = 1000;
  EXPECT_LE(to_payload(Steps{.first = 0, .figures = {over_network}}).size(), 80U);
}

TEST(StepsMessage, is_refused_if_it_is_cut_short_or_too_long) {
  const trace::Figures traced{.network = {.loss = 0.5}, .to = {{1, 7}, {2, 8}}};
  SuperstepFigures figures{.compute = Seconds{1}, .traffic = {}};
  figures.traffic.datagrams_sent = 300;
  const std::string whole =
      to_payload(Steps{.first = 5, .figures = {figures, {}}, .traced = {traced, traced}});
  EXPECT_EQ(from_payload<Steps>(whole).figures.size(), 2U);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_THROW(from_payload<Steps>(std::string_view(whole).substr(0, bytes)), Error) << bytes;
  EXPECT_THROW(from_payload<Steps>(whole + '\0'), Error);
  EXPECT_THROW(from_payload<Steps>("{\"first\":0}"), Error);
  figures.compute = Seconds{std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(from_payload<Steps>(to_payload(Steps{.first = 0, .figures = {figures}})), Error);
  EXPECT_THROW(from_payload<Steps>(to_payload(Steps{.first = 0, .figures = {{}}, .each = 4, .in_last = 5})),
               Error);
  EXPECT_THROW(from_payload<Steps>(to_payload(Steps{.first = 0, .figures = {{}}, .each = 0, .in_last = 0})),
               Error);
}

}  // namespace
}  // namespace lbsp::job
