#include "lbsp/superstep/slot_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

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

}  // namespace
}  // namespace lbsp::superstep
