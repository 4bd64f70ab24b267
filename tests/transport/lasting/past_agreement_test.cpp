#include "transport/lasting/past_agreement.hpp"

#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Of slot 0 among three, which has something to say to both others.
std::unique_ptr<SpokenAgreement> with_news() {
  auto agreement = std::make_unique<SpokenAgreement>(AgreementConfig{.self = 0, .members = {0, 1, 2}}, Held{},
                                                     JobKey{}, Cipher::chacha20_poly1305, start);
  agreement->ended(2, start);
  return agreement;
}

std::set<Station> spoken_to(PastAgreement& past) {
  std::array<std::byte, 1400> buffer{};
  std::set<Station> stations;
  while (const auto view = past.next_datagram(buffer, start)) {
    EXPECT_GT(view->bytes, 0U);
    stations.insert(view->to);
  }
  return stations;
}

TEST(PastAgreement, says_nothing_before_there_is_one) {
  PastAgreement none;
  EXPECT_TRUE(spoken_to(none).empty());
  EXPECT_EQ(none.next_timeout(), never);
}

TEST(PastAgreement, speaks_to_slots_where_all_processes_are_the_first_of_theirs) {
  PastAgreement past(with_news(), {});
  EXPECT_EQ(spoken_to(past), (std::set<Station>{1, 2}));
}

TEST(PastAgreement, speaks_to_the_stations_that_its_members_had) {
  PastAgreement past(with_news(), {0, 1, 130});
  EXPECT_EQ(spoken_to(past), (std::set<Station>{1, 130}));
}

TEST(PastAgreement, speaks_again_when_its_time_comes) {
  PastAgreement past(with_news(), {});
  spoken_to(past);
  EXPECT_GT(past.next_timeout(), start);
  EXPECT_LT(past.next_timeout(), start + 1s);
}

}  // namespace
}  // namespace lbsp::transport
