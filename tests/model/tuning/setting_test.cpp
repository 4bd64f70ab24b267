#include "model/tuning/setting.hpp"

#include <stdexcept>
#include <vector>

#include "gtest/gtest.h"

#include "model/superstep/best_protection.hpp"
#include "model/superstep/prediction.hpp"
#include "tests/model/superstep/known_protocol.hpp"
#include "tests/model/tuning/known_path.hpp"

namespace lbsp::model::tuning {
namespace {

TEST(Setting, knows_what_of_its_time_is_for_losses) {
  const Program program = matmul_program(2000, 16, flops);
  const superstep::Protocol protocol = superstep::known_protocol();
  const Setting lossy = best_setting(program, path(1400, 0.1), {}, protocol);
  const Setting lossless = best_setting(program, path(1400, 0), {}, protocol);
  EXPECT_NEAR(lossy.losses, lossy.communication - lossless.communication, 1e-9);
  EXPECT_GT(lossy.losses, 0);
  EXPECT_EQ(lossless.losses, 0);
  EXPECT_DOUBLE_EQ(lossy.seconds, program.parallel_seconds + lossy.communication);
  EXPECT_DOUBLE_EQ(lossy.speedup, program.sequential_seconds / lossy.seconds);
  EXPECT_DOUBLE_EQ(lossy.efficiency(), lossy.speedup / 16);
}

TEST(UsualTimes, refuse_what_cannot_be_each_time_that_it_is_asked) {
  UsualTimes usual(superstep::known_protocol());
  const Program program = own_program({.work_seconds = 1, .message_bytes = 1000}, 4);
  for (int i = 0; i < 2; ++i)
    EXPECT_THROW(usual.of(program, path(1400, 1)), std::invalid_argument);
}

TEST(Setting, protects_messages_of_one_packet_for_the_supersteps_in_which_they_cost_most) {
  const superstep::Protocol protocol = superstep::known_protocol();
  PacketPath slow = path(1400, 0.01);
  slow.bandwidth /= 14.5;
  slow.path.round_trip = 0.3;
  const Program many_supersteps = jacobi_program({20'223, 20'000, 1}, 8740, flops);
  const Program few = own_program({.work_seconds = 1, .message_bytes = 1e6, .destinations = 2}, 16);
  const auto check = [&](const Program& program, const PacketPath& on, bool for_short) {
    const auto best_single = [&](double destinations) {
      Program sent = program;
      sent.destinations = destinations;
      return best_protection(superstep_of(sent, on, protocol), {}, protocol).back();
    };
    const superstep::Protection usual = best_single(program.destinations);
    const superstep::Protection brief = best_single(0);
    ASSERT_NE(usual, brief);
    const Setting best = best_setting(program, on, {}, protocol);
    EXPECT_EQ(best.protection.single, for_short ? brief : usual);
    for (const superstep::Protection& single : {usual, brief})
      EXPECT_LE(best.communication,
                evaluate(program, on, {single, best.protection.longer}, protocol).communication);
  };
  check(many_supersteps, slow, false);
  check(few, path(1400, 0.1), true);
}

TEST(Setting, varies_from_run_to_run_as_losses_fall) {
  const superstep::Protocol protocol = superstep::known_protocol();
  const Program one =
      own_program({.work_seconds = 1, .supersteps = 1, .message_bytes = 1e5, .destinations = 2}, 16);
  Program hundred = one;
  hundred.supersteps *= 100;
  hundred.short_supersteps *= 100;
  const FixedProtection once{};
  const Setting lossy = evaluate(one, path(1400, 0.1), once, protocol);
  EXPECT_GT(lossy.deviation, 0);
  EXPECT_NEAR(evaluate(hundred, path(1400, 0.1), once, protocol).deviation, 10 * lossy.deviation, 1e-9);
  const Setting certain = evaluate(one, path(1400, 0), once, protocol);
  EXPECT_NEAR(certain.deviation, 0, 1e-9);
  EXPECT_NEAR(certain.nine_of_ten_beside(), superstep::likely_error * certain.communication, 1e-9);
  EXPECT_GT(lossy.nine_of_ten_beside(), 1.6 * lossy.deviation);
}

TEST(Setting, of_one_node_only_computes) {
  const Program alone = matmul_program(2000, 1, flops);
  const superstep::Protocol protocol = superstep::known_protocol();
  const Setting setting = best_setting(alone, path(1400, 0.1), {}, protocol);
  EXPECT_EQ(setting.communication, 0);
  EXPECT_EQ(setting.seconds, alone.sequential_seconds);
  EXPECT_EQ(UsualTimes(protocol).of(alone, path(1400, 0.1)), alone.sequential_seconds);
}

TEST(UsualTimes, tell_whether_a_program_takes_longer_than_is_asked) {
  const superstep::Protocol protocol = superstep::known_protocol();
  int shorter = 0;
  for (const double loss : {0., 0.01, 0.3}) {
    for (const double bytes : {0., 100., 1e5, 1e8}) {
      for (const double destinations : {0., 1., 7.}) {
        const Program program = own_program(
            {.work_seconds = 1, .supersteps = 10, .message_bytes = bytes, .destinations = destinations}, 40);
        const double seconds = UsualTimes(protocol).of(program, path(1400, loss));
        UsualTimes known(protocol);
        for (const double share : {0.5, 0.97, 1., 1.1}) {
          const double told = known.of(program, path(1400, loss), share * seconds);
          if (share < 1) {
            EXPECT_GT(told, share * seconds);
            EXPECT_LE(told, (1 + 1e-9) * seconds);
            shorter += told < seconds ? 1 : 0;
          } else {
            EXPECT_EQ(told, seconds) << bytes << " bytes, " << loss << " lost";
          }
        }
      }
    }
  }
  EXPECT_GT(shorter, 18) << "without a prediction";
}

TEST(Setting, counts_the_heads_of_messages_and_the_empty_ones) {
  const Program program =
      own_program({.work_seconds = 1, .supersteps = 1, .message_bytes = 2700, .destinations = 2}, 8);
  const auto superstep = superstep_of(program, path(1400, 0.1), superstep::known_protocol());
  ASSERT_EQ(superstep.messages.size(), 2U);
  EXPECT_EQ(superstep.messages[0].per_rank, 2);
  EXPECT_EQ(superstep.messages[0].segments, 3);
  EXPECT_DOUBLE_EQ(superstep.messages[0].segment_seconds, ((2700 + 32 + 48) / 3. + 46) / 12.5e6);
  EXPECT_EQ(superstep.messages[1].per_rank, 5);
  EXPECT_EQ(superstep.messages[1].segments, 1);
  EXPECT_DOUBLE_EQ(superstep.messages[1].segment_seconds, (32 + 46) / 12.5e6);
}

TEST(Setting, protects_messages_of_two_packets_as_all_longer_ones) {
  const Program program = own_program({.work_seconds = 1, .supersteps = 1, .message_bytes = 2000}, 8);
  const superstep::Protocol protocol = superstep::known_protocol();
  const auto communication = [&](int single, int longer) {
    return evaluate(program, path(1400, 0.3), {{.copies = single}, {.copies = longer}}, protocol)
        .communication;
  };
  ASSERT_EQ(superstep_of(program, path(1400, 0.3), protocol).messages.front().segments, 2);
  EXPECT_LT(communication(1, 6), communication(1, 1) - 0.01);
}

TEST(Setting, counts_short_supersteps_and_the_farewell) {
  Program program =
      own_program({.work_seconds = 1, .supersteps = 4, .message_bytes = 3000, .destinations = 2}, 8);
  superstep::Protocol protocol = superstep::known_protocol();
  const auto communication = [&](double short_supersteps, double farewell_round_trips) {
    program.short_supersteps = short_supersteps;
    protocol.farewell_round_trips = farewell_round_trips;
    return best_setting(program, path(1400, 0.1), {}, protocol).communication;
  };
  Program silent = program;
  silent.destinations = 0;
  const FixedProtection protection = best_setting(program, path(1400, 0.1), {}, protocol).protection;
  const double brief =
      predict(superstep_of(silent, path(1400, 0.1), protocol), std::vector{protection.single}, protocol)
          .seconds;
  EXPECT_NEAR(communication(3, 0) - communication(0, 0), 3 * brief, 1e-12);
  EXPECT_NEAR(communication(3, 0.5) - communication(3, 0), path(1400, 0.1).path.round_trip / 2, 1e-12);
}

TEST(Setting, says_which_end_of_a_message_alone_is_protected) {
  Setting setting{.protection = {{}, {.repair_segments = 3, .first_protected = 70, .coded = true}},
                  .packets_per_message = 100};
  EXPECT_TRUE(setting.has_longer());
  EXPECT_TRUE(setting.is_coded());
  EXPECT_EQ(setting.protected_tail(), 30);
  setting.protection.longer.first_protected = 0;
  EXPECT_EQ(setting.protected_tail(), 0);
  setting.packets_per_message = 1;
  EXPECT_FALSE(setting.has_longer());
  EXPECT_FALSE(setting.is_coded());
}

}  // namespace
}  // namespace lbsp::model::tuning
