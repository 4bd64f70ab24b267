#include "lbsp/superstep/agreement/slot_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

SlotSpec memory(std::span<std::byte> bytes) {
  return {SlotKind::memory, 1, 0, bytes, nullptr};
}

SlotSpec absent() {
  SlotSpec spec = memory({});
  spec.absent = true;
  return spec;
}

/// Two ranks that do the same, rank 1 with memory where rank 0 may have none.
struct TwoRanks {
  SlotTable zero{0, 2};
  SlotTable one{1, 2};

  void end_superstep() {
    const std::vector<std::span<const LogEntry>> logs{zero.log(), one.log()};
    const std::vector<LogEntry> of_zero(logs[0].begin(), logs[0].end());
    const std::vector<LogEntry> of_one(logs[1].begin(), logs[1].end());
    for (SlotTable* table : {&zero, &one}) {
      table->compare(of_zero, 0, 0);
      table->compare(of_one, 1, 0);
      table->resolve_absent({of_zero, of_one}, 0);
    }
    zero.close_superstep();
    one.close_superstep();
  }
};

TEST(SlotTable, uses_a_released_number_again_from_the_next_superstep_on) {
  SlotTable table(0, 1);
  std::vector<std::byte> bytes(8);
  const SlotNumber first = table.add(memory(bytes));
  table.release(first);
  const SlotNumber second = table.add(memory(bytes));
  EXPECT_NE(second, first);
  EXPECT_NE(table.find(first), nullptr) << "transfers of this superstep still find it";
  table.close_superstep();
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_EQ(table.add(memory(bytes)), first);
  EXPECT_NE(table.find(second), nullptr);
}

TEST(SlotTable, takes_a_release_of_what_is_absent_for_the_newest_that_is_absent_everywhere) {
  TwoRanks ranks;
  std::vector<std::byte> bytes(8);
  SlotNumber slots[3];
  for (SlotNumber& slot : slots) {
    slot = ranks.zero.add(absent());
    ranks.one.add(absent());
  }
  const SlotNumber half = ranks.zero.add(absent());
  ranks.one.add(memory(bytes));
  ranks.end_superstep();
  ranks.zero.release_absent();
  ranks.one.release_absent();
  ranks.end_superstep();
  EXPECT_EQ(ranks.zero.find(slots[2]), nullptr);
  EXPECT_NE(ranks.zero.find(slots[1]), nullptr);
  EXPECT_NE(ranks.zero.find(half), nullptr);
  EXPECT_EQ(ranks.one.find(slots[2]), nullptr);
}

TEST(SlotTable, takes_each_release_of_what_is_absent_for_another_and_for_none_that_is_registered_later) {
  TwoRanks ranks;
  for (int i = 0; i < 3; ++i) {
    ranks.zero.add(absent());
    ranks.one.add(absent());
  }
  ranks.end_superstep();
  for (SlotTable* table : {&ranks.zero, &ranks.one}) {
    table->release_absent();
    table->release_absent();
    EXPECT_EQ(table->add(absent()), 3U);
  }
  ranks.end_superstep();
  EXPECT_NE(ranks.zero.find(0), nullptr);
  EXPECT_EQ(ranks.zero.find(1), nullptr);
  EXPECT_EQ(ranks.zero.find(2), nullptr);
  EXPECT_NE(ranks.zero.find(3), nullptr);
}

TEST(SlotTable, takes_a_release_of_what_is_absent_for_what_another_rank_names) {
  TwoRanks ranks;
  std::vector<std::byte> bytes(8);
  const SlotNumber older = ranks.zero.add(absent());
  ranks.one.add(memory(bytes));
  ranks.zero.add(absent());
  ranks.one.add(absent());
  ranks.end_superstep();
  ranks.zero.release_absent();
  ranks.one.release(older);
  ranks.end_superstep();
  EXPECT_EQ(ranks.zero.find(older), nullptr);
  EXPECT_NE(ranks.zero.find(older + 1), nullptr);
}

TEST(SlotTable, refuses_the_release_of_what_no_rank_lacks_everywhere_and_of_what_is_there) {
  TwoRanks ranks;
  std::vector<std::byte> bytes(8);
  const SlotNumber slot = ranks.zero.add(memory(bytes));
  ranks.one.add(memory(bytes));
  ranks.end_superstep();
  TwoRanks named = ranks;
  ranks.zero.release_absent();
  ranks.one.release_absent();
  EXPECT_THAT([&] { ranks.end_superstep(); },
              ThrowsMessage<UsageError>(HasSubstr("no registration is without memory on every rank")));
  named.zero.release_absent();
  named.one.release(slot);
  EXPECT_THAT([&] { named.end_superstep(); }, ThrowsMessage<UsageError>(HasSubstr("which has memory there")));
}

/// What rank 0 of 3 makes of a release of what it has not, where the other two release what they say.
void resolve_for_rank_0(SlotNumber on_rank_1, SlotNumber on_rank_2, SlotTable& table) {
  const auto released = [](SlotNumber slot) {
    return std::vector<LogEntry>{{LogKind::released, SlotKind::memory, slot, 1, 0, 0}};
  };
  table.release_absent();
  const std::vector<LogEntry> mine(table.log().begin(), table.log().end());
  const auto of_one = released(on_rank_1);
  const auto of_two = released(on_rank_2);
  table.compare(of_one, 1, 5);
  table.compare(of_two, 2, 5);
  table.resolve_absent({mine, of_one, of_two}, 5);
  table.close_superstep();
}

TEST(SlotTable, refuses_a_release_of_what_is_absent_where_two_others_name_two_registrations) {
  SlotTable table(0, 3);
  const SlotNumber first = table.add(absent());
  const SlotNumber second = table.add(absent());
  table.close_superstep();
  EXPECT_THAT([&] { resolve_for_rank_0(first, second, table); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("superstep 5: rank 1 released registration 0"),
                                              HasSubstr("where rank 2 released registration 1"))));
}

TEST(SlotTable, takes_a_release_of_what_is_absent_for_what_two_others_name_alike) {
  SlotTable table(0, 3);
  const SlotNumber first = table.add(absent());
  const SlotNumber second = table.add(absent());
  table.close_superstep();
  resolve_for_rank_0(first, first, table);
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_NE(table.find(second), nullptr);
}

/// The entries of a log lie in a message, and other bytes may follow them.
TEST(SlotTable, reads_no_further_than_a_log_reaches) {
  SlotTable table(0, 1);
  table.agree(1);
  const std::vector<LogEntry> logged{table.log()[0],
                                     {LogKind::released, SlotKind::memory, absent_slot, 1, 0, 0},
                                     {LogKind::collective, SlotKind::memory, 0, 1, 0, 0}};
  const auto log = std::span(logged).first(1);
  EXPECT_NO_THROW(table.resolve_absent({log}, 0));
  const auto empty = std::span(logged).subspan(2).first(0);
  EXPECT_THAT([&] { table.compare(empty, 0, 0); },
              ThrowsMessage<UsageError>(HasSubstr("register and release the same things")));
}

}  // namespace
}  // namespace lbsp::superstep
