// The model's own values, held: whatever moves one of them is seen, and must then be judged by protocol_grid and
// planner_grid, which measure the protocol beside it. After such a change,
//   model_tests --gtest_also_run_disabled_tests --gtest_filter='*prints_its_values'
// prints the table anew.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <random>
#include <string>

#include "gtest/gtest.h"

#include "model/superstep/best_protection.hpp"
#include "model/superstep/prediction.hpp"
#include "tests/model/csv.hpp"
#include "tests/model/superstep/known_protocol.hpp"

namespace lbsp::model::superstep {
namespace {

constexpr int cases = 200;
/// From this one on messages have many blocks.
constexpr unsigned first_long_case = 160;

/// The same numbers with every standard library.
class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  double share() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  bool chance(double probability) { return share() < probability; }
  int whole(int least, int most) { return least + static_cast<int>(share() * (most - least + 1)); }
  double between(double least, double most) { return least * std::pow(most / least, share()); }

 private:
  std::mt19937_64 random_;
};

struct Case {
  Superstep superstep;
  std::vector<Protection> protection;
  Protocol protocol = known_protocol();
  Means means;
};

Messages some_messages(Dice& dice, int ranks, bool is_long) {
  const int segments =
      dice.chance(0.3) ? 1 : static_cast<int>(is_long ? dice.between(700, 30'000) : dice.between(2, 700));
  return {static_cast<double>(dice.whole(1, ranks - 1)), segments, dice.between(1e-6, 2e-3)};
}

Protection some_protection(Dice& dice, const Messages& of) {
  Protection protection;
  if (dice.chance(0.4)) protection.first_protected = dice.whole(0, of.segments - 1);
  protection.coded = dice.chance(0.6);
  if (protection.coded) {
    protection.repair_segments = dice.whole(0, 40);
  } else {
    protection.copies = dice.whole(1, 6);
  }
  return protection;
}

Case case_of(unsigned seed) {
  Dice dice(seed);
  Case made;
  const int ranks = dice.whole(2, 60);
  Path& path = made.superstep.path;
  made.superstep.ranks = ranks;
  path.round_trip = dice.between(3e-4, 0.8);
  path.round_trip_variation = dice.chance(0.5) ? path.round_trip / 10 : 0;
  path.loss = dice.between(1e-4, 0.45);
  if (dice.chance(0.3)) path.loss_after_loss = path.loss + (0.8 - path.loss) * dice.share();
  for (int kinds = dice.whole(1, 3); kinds > 0; --kinds) {
    made.superstep.messages.push_back(some_messages(dice, ranks, seed >= first_long_case));
    made.protection.push_back(some_protection(dice, made.superstep.messages.back()));
  }
  if (!dice.chance(0.7)) made.protocol.repairs = {.first_residual = 0.2, .later_residual = 0.1};
  made.means = {.copies = !dice.chance(0.2), .coded = !dice.chance(0.2)};
  return made;
}

/// "3 1+12>40" for three copies of one kind, and 12 coded segments from segment 40 on of another.
std::string text_of(const std::vector<Protection>& all) {
  std::string text;
  for (const Protection& each : all) {
    text += (text.empty() ? "" : " ") + std::to_string(each.copies);
    if (each.coded) text += "+" + std::to_string(each.repair_segments);
    if (each.first_protected > 0) text += ">" + std::to_string(each.first_protected);
  }
  return text;
}

struct Values {
  double seconds, cost;
  std::string best;
};

Values values_of(const Case& of) {
  const Prediction prediction = predict(of.superstep, of.protection, of.protocol);
  return {prediction.seconds, prediction.cost, text_of(best_protection(of.superstep, of.means, of.protocol))};
}

TEST(KnownValues, DISABLED_prints_its_values) {
  std::cout << "case,seconds,cost,best\n" << std::setprecision(std::numeric_limits<double>::max_digits10);
  for (unsigned i = 0; i < cases; ++i) {
    const Values is = values_of(case_of(i));
    std::cout << i << ',' << is.seconds << ',' << is.cost << ',' << is.best << '\n';
  }
}

TEST(KnownValues, of_supersteps_of_all_kinds_have_not_moved) {
  constexpr double close_enough = 1e-9;
  unsigned i = 0;
  for (const CsvRow& row : read_reference("supersteps.csv")) {
    const Values is = values_of(case_of(i));
    EXPECT_TRUE(close(is.seconds, number(row, "seconds"), close_enough)) << i << ": " << is.seconds;
    EXPECT_TRUE(close(is.cost, number(row, "cost"), close_enough)) << i << ": " << is.cost;
    EXPECT_EQ(is.best, row.at("best")) << i;
    ++i;
  }
  EXPECT_EQ(i, unsigned{cases});
}

}  // namespace
}  // namespace lbsp::model::superstep
