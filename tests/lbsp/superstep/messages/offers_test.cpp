#include "lbsp/superstep/messages/offers.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "tests/lbsp/superstep/messages/quiet_lending.hpp"
#include "transport/process/address.hpp"

namespace lbsp::superstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Notes whom it is to tell that their memory was read, and for whom it is to wait.
class Notes final : public QuietLending {
 public:
  void settle(Leg, std::span<const Rank> owners, std::span<const Rank> readers) override {
    ++settled;
    told.assign(owners.begin(), owners.end());
    awaited.assign(readers.begin(), readers.end());
  }

  int settled = 0;
  std::vector<Rank> told;
  std::vector<Rank> awaited;
};

TEST(Offers, are_settled_once_with_each_rank_and_then_forgotten) {
  Notes notes;
  Offers offers(&notes, Offers::Leg::first, 0, 4);
  std::array<std::byte, 20> memory{};
  for (const Rank to : {2, 1, 2, 0})
    offers.offer(to, memory);
  for (const Rank from : {3, 3, 0})
    offers.fetch(from, transport::address_of(memory.data()), memory);
  EXPECT_EQ(offers.offered_bytes(), 60U) << "to others";
  EXPECT_EQ(offers.fetched_bytes(), 40U) << "from others";
  offers.settle();
  EXPECT_THAT(notes.told, ElementsAre(3));
  EXPECT_THAT(notes.awaited, ElementsAre(2, 1));
  EXPECT_EQ(offers.offered_bytes() + offers.fetched_bytes(), 0U);

  offers.settle();
  EXPECT_EQ(notes.settled, 1) << "there is nothing to settle";
  offers.fetch(3, 1, memory);
  offers.settle();
  EXPECT_THAT(notes.told, ElementsAre(3));
  EXPECT_THAT(notes.awaited, IsEmpty());
}

TEST(Offers, that_are_withdrawn_are_settled_with_nobody) {
  Notes notes;
  Offers offers(&notes, Offers::Leg::reply, 0, 2);
  offers.offer(1, std::array<std::byte, 20>{});
  offers.withdraw();
  EXPECT_EQ(offers.offered_bytes(), 0U);
  offers.settle();
  EXPECT_EQ(notes.settled, 0);
}

}  // namespace
}  // namespace lbsp::superstep
