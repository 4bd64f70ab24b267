// Whole programs in worlds of 3 to 16 ranks to which anything happens at any time.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/lbsp/asked_seeds.hpp"
#include "tests/lbsp/lasting_job.hpp"

namespace lbsp::lasting {
namespace {

using namespace std::chrono_literals;

/// Draws what happens to one job: std::mt19937_64 gives the same numbers everywhere.
enum class Notices { none, some };

class Happenings {
 public:
  explicit Happenings(std::uint64_t seed, Notices notices) : random_(seed) {
    plan_.seed = seed;
    plan_.size = 3 + below(1 + below(14));  // a job of 16 takes as long as ten of 5
    plan_.survive = plan_.size >= 5 ? 1 + below(2) : 1;
    plan_.loss = below(2) == 0 ? 0 : 0.15 * fraction();
    plan_.delay = 1ms * (1 + below(10));
    plan_.clock_error = 1e-3;
    plan_.host_mtbf = below(2) == 0 ? 0.1 : 1e6;
    if (below(2) == 0) plan_.respawn_after = 1ms * (1 + below(100));
    for (int joining = below(3); joining > 0; --joining)
      plan_.joins_at.push_back(1ms * (1 + below(400)));
    std::ranges::sort(plan_.joins_at);
    processes_ = plan_.size + static_cast<int>(plan_.joins_at.size()) + 1;
    plan_.dies_after.resize(static_cast<std::size_t>(processes_));
    plan_.sleeps_after.resize(plan_.dies_after.size());
    plan_.sleep = 1ms * (below(2) == 0 ? 130 + below(200) : 20 + below(1500));
    for (int faults = 1 + below(3); faults > 0; --faults)
      fault();
    if (notices == Notices::some) tell();
  }

  const LastingWorlds::Plan& plan() const { return plan_; }
  std::uint64_t every() { return below(4) == 0 ? Keep::planned : 1 + static_cast<std::uint64_t>(below(12)); }
  /// Most are left that nothing happens to, and no more are touched than the states survive.
  bool must_end_well() const {
    const auto all = touched();
    const int at_start = static_cast<int>(std::count(all.begin(), all.begin() + plan_.size, true));
    return 2 * (plan_.size - at_start) > plan_.size + static_cast<int>(plan_.joins_at.size()) &&
           std::ranges::count(all, true) <= plan_.survive;
  }
  bool may_be_cut_off(Slot slot) const {
    return std::ranges::find(split_off_, static_cast<int>(slot)) != split_off_.end();
  }
  bool is_touched(Slot slot) const { return touched()[static_cast<std::size_t>(slot)]; }

  std::string describe() const {
    std::ostringstream text;
    const auto ms = [](Duration time) {
      return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
    };
    text << "seed " << plan_.seed << ": " << plan_.size << " ranks, --survive " << plan_.survive << ", "
         << 100 * plan_.loss << " % loss, " << ms(plan_.delay) << " ms one way; new ones after "
         << ms(plan_.respawn_after) << " ms; asleep for " << ms(plan_.sleep) << " ms";
    for (const Duration at : plan_.joins_at)
      text << "; one joins at " << ms(at) << " ms";
    for (int process = 0; process < processes_; ++process) {
      const auto place = static_cast<std::size_t>(process);
      if (plan_.dies_after[place] != 0) text << "; " << process << " dies after " << plan_.dies_after[place];
      if (plan_.sleeps_after[place] != 0)
        text << "; " << process << " sleeps after " << plan_.sleeps_after[place];
    }
    if (plan_.told_after != Duration{0}) text << "; told after " << ms(plan_.told_after) << " ms";
    for (const auto& slander : plan_.slanders)
      text << "; " << slander.of << " is said to be dead at " << ms(slander.at) << " ms";
    for (const auto& cut : plan_.cuts)
      text << "; " << cut.from << " to " << cut.to << " cut " << ms(cut.begin) << "-" << ms(cut.end);
    return text.str();
  }

 private:
  double fraction() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }

  void fault() {
    const auto victim = static_cast<std::size_t>(below(processes_));
    switch (below(4)) {
      case 0:
        plan_.sleeps_after[victim] = 1 + random_() % 900;
        return;
      case 1:
        return split();
      default:
        plan_.dies_after[victim] = 1 + random_() % 900;
    }
  }
  /// Some from all others, one way or both.
  void split() {
    const auto begin = 1ms * below(600);
    const auto end = begin + 1ms * (below(2) == 0 ? 100 + below(400) : 2000);
    const std::uint64_t few = random_() & random_() & random_();
    const int ways = 1 + below(3);
    for (int one = 0; one < processes_; ++one) {
      for (int other = 0; other < processes_; ++other) {
        if ((few >> one & 1) == 0 || (few >> other & 1) != 0) continue;
        if ((ways & 1) != 0) plan_.cuts.push_back({one, other, begin, end});
        if ((ways & 2) != 0) plan_.cuts.push_back({other, one, begin, end});
      }
    }
    for (int one = 0; one < processes_; ++one)
      if ((few >> one & 1) != 0) split_off_.push_back(one);
  }
  /// Of most deaths soon, of some when they have been noticed; and sometimes of one that nothing happens to.
  void tell() {
    plan_.told_after = 1ms * (below(4) == 0 ? 1 + below(900) : 1 + below(40));
    const int of = below(plan_.size);
    if (below(2) == 0 && !touched()[static_cast<std::size_t>(of)])
      plan_.slanders.push_back({of, 1ms * below(700)});
  }
  std::vector<bool> touched() const {
    std::vector<bool> all(static_cast<std::size_t>(processes_));
    for (std::size_t process = 0; process < all.size(); ++process)
      all[process] = plan_.dies_after[process] != 0 || plan_.sleeps_after[process] != 0;
    for (const int process : split_off_)
      all[static_cast<std::size_t>(process)] = true;
    return all;
  }

  std::mt19937_64 random_;
  LastingWorlds::Plan plan_;
  int processes_ = 0;
  std::vector<int> split_off_;
};

/// What may be said by those that could not go on.
bool is_a_reason(const std::string& error) {
  return error.starts_with("the other ranks go on without this one") || error.starts_with("only ") ||
         error.find(" is lost: ") != std::string::npos ||
         error.find("ended the job: ") != std::string::npos ||
         error.find("raise --survive") != std::string::npos ||
         error.find("hear each other") != std::string::npos;
}

/// All cells are there with the right values. Each is there once, but for the parts of those who were cut off when they
/// had come to their end, and nobody else knew (docs/survival.md).
void expect_right(LastingJob& job, const LastingWorlds& worlds, const Happenings& happenings) {
  const auto expected = undisturbed(job.steps);
  Part all;
  std::size_t count = 0;
  std::size_t different = 0;
  for (const bool cut_off : {false, true}) {
    for (Slot slot = 0; slot < worlds.slots(); ++slot) {
      if (!job.results.contains(slot) || happenings.may_be_cut_off(slot) != cut_off) continue;
      for (const auto& [cell, value] : job.results[slot])
        EXPECT_EQ(value, expected[cell]) << "rank " << slot << ", cell " << cell;
      if (!worlds.finished(slot)) continue;  // died after that
      all.insert(job.results[slot].begin(), job.results[slot].end());
      if (cut_off) continue;
      count += job.results[slot].size();
      different = all.size();
    }
  }
  EXPECT_EQ(count, different) << "a cell is in two parts";
  for (auto& [slot, part] : job.results)
    all.insert(part.begin(), part.end());
  EXPECT_EQ(all.size(), cells);
}

void expect_one_world(std::uint64_t seed, Notices notices = Notices::none) {
  Happenings happenings(seed, notices);
  LastingJob job{.steps = 25, .every = happenings.every(), .grows = true};
  LastingWorlds worlds(happenings.plan(), [&](World& world, Slot slot) { job.run(world, slot); });
  EXPECT_TRUE(worlds.run(120s)) << "hangs";
  SCOPED_TRACE(happenings.describe());
  bool any = false;
  for (Slot slot = 0; slot < worlds.slots(); ++slot) {
    any = any || worlds.finished(slot);
    EXPECT_TRUE(worlds.finished(slot) || worlds.died(slot) || worlds.error(slot).empty() ||
                is_a_reason(worlds.error(slot)))
        << slot << ": " << worlds.error(slot);
    if (happenings.must_end_well() && slot < happenings.plan().size && !happenings.is_touched(slot)) {
      EXPECT_TRUE(worlds.finished(slot)) << slot << ": " << worlds.error(slot);
    }
  }
  if (any) expect_right(job, worlds, happenings);
}

TEST(AllThatHappens, leaves_one_world_with_the_right_answer_or_reasons) {
  const auto [first, last] = test::asked_seeds(60);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    expect_one_world(seed);
  }
}

TEST(AllThatHappens, leaves_one_world_where_there_was_none_or_another_once) {
  for (const std::uint64_t seed : {1004U, 4585U, 18'497U, 24'963U, 56'590U, 62'269U, 75'697U}) {
    expect_one_world(seed);
  }
}

TEST(AllThatHappens, leaves_one_world_where_ranks_are_told_of_ends_that_may_be_none) {
  const auto [first, last] = test::asked_seeds(60);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    expect_one_world(seed, Notices::some);
  }
}

}  // namespace
}  // namespace lbsp::lasting
