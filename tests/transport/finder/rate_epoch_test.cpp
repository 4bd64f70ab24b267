#include "transport/finder/rate_epoch.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

/// What becomes of about 256 datagrams, and how far chance moves that.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// In which 10 % are lost and the queue grows by 25 ms.
constexpr TrainPart usual{.sent = 300, .arrived = 270, .sending = 100ms, .arriving = 125ms};
constexpr double first_jitter = 0.5e-3;  // seconds
constexpr double first_runs = 1.5;

RateEpoch epoch_of(EpochMeter meter, std::initializer_list<TrainPart> parts) {
  for (const TrainPart& part : parts)
    meter.add(part);
  return meter.close();
}

double error_of_loss(double loss, double datagrams, double runs) {
  return std::sqrt(runs * loss * (1 - loss) / datagrams);
}

TEST(EpochMeter, an_epoch_is_256_datagrams_and_20_ms) {
  EXPECT_TRUE(EpochMeter().add({.sent = 256, .sending = 20ms}));
  EXPECT_FALSE(EpochMeter().add({.sent = 255, .sending = 1h}));
  EXPECT_FALSE(EpochMeter().add({.sent = 1'000'000, .sending = 20ms - 1ns}));
  EpochMeter meter;
  EXPECT_FALSE(meter.add({.sent = 128, .sending = 10ms}));
  EXPECT_TRUE(meter.add({.sent = 128, .sending = 10ms}));
  meter.close();
  EXPECT_FALSE(meter.add({.sent = 128, .sending = 10ms})) << "the next one begins with nothing";
}

/// As 256 take 24 s at 0.1 Mbit/s.
TEST(EpochMeter, of_a_low_rate_an_epoch_is_what_goes_in_a_second_but_no_fewer_than_64) {
  constexpr auto datagrams_per_second = [](double datagrams) { return BytesPerSecond{1400 * datagrams}; };
  const auto closes = [](BytesPerSecond rate, bool told, std::uint64_t sent) {
    EpochMeter meter;
    meter.expect(rate, told);
    return meter.add({.sent = sent, .arrived = sent, .sending = 1s});
  };
  for (const auto& [rate, found, told] : {std::array{10., 64., 128.}, std::array{100., 100., 200.},
                                          std::array{200., 200., 256.}, std::array{1e6, 256., 256.}}) {
    for (const auto& [count, is_told] : {std::pair(found, false), std::pair(told, true)}) {
      const auto least = static_cast<std::uint64_t>(count);
      EXPECT_TRUE(closes(datagrams_per_second(rate), is_told, least)) << rate << ' ' << is_told;
      EXPECT_FALSE(closes(datagrams_per_second(rate), is_told, least - 1)) << rate << ' ' << is_told;
    }
  }
}

/// Of which nobody knows how fast they arrived.
TEST(EpochMeter, of_datagrams_of_several_trains_is_an_epoch_if_much_is_lost_of_nearly_all_or_all_count) {
  const auto epoch_of_parts = [](EpochMeter& meter, const std::vector<std::uint64_t>& arrived,
                                 bool any_loss) {
    bool closes = false;
    for (const std::uint64_t part : arrived)
      closes = meter.add_untimed(64, part, 0.5, any_loss);
    return closes;
  };
  EpochMeter meter;
  EXPECT_FALSE(epoch_of_parts(meter, {16, 16, 16, 16, 16, 16, 16}, false)) << "too few";
  EXPECT_TRUE(epoch_of_parts(meter, {16}, false));
  const RateEpoch epoch = meter.close();
  EXPECT_EQ(epoch.loss, 0.75);
  EXPECT_EQ(epoch.stretch, 1);
  EXPECT_EQ(epoch.delay, 0);
  EXPECT_FALSE(epoch_of_parts(meter, {64, 64, 64, 0, 0, 0, 0, 0}, false)) << "runs of losses";
  EXPECT_FALSE(epoch_of_parts(meter, {40, 40, 40, 40, 40, 40, 40, 40}, false)) << "too little is lost";
  EXPECT_FALSE(epoch_of_parts(meter, {48, 48, 48}, true));
  EXPECT_TRUE(epoch_of_parts(meter, {48}, true));
  EXPECT_EQ(meter.close().loss, 0.25);
  EXPECT_TRUE(meter.add(usual));
  epoch_of_parts(meter, {0, 0}, true);
  EXPECT_NEAR(meter.close().loss, 0.1, 1e-12) << "enough is timed";
}

TEST(EpochMeter, tells_loss_and_stretch_and_how_uncertain_they_are) {
  const RateEpoch epoch = epoch_of({}, {usual});
  EXPECT_NEAR(epoch.loss, 0.1, 1e-12);
  EXPECT_NEAR(epoch.loss_error, error_of_loss(0.1, 300, first_runs), 1e-12);
  EXPECT_NEAR(epoch.stretch, 1.25, 1e-12);
  EXPECT_NEAR(epoch.stretch_error, std::sqrt(2.) * first_jitter / 0.1, 1e-12);
  EXPECT_NEAR(epoch.delay, 25e-3, 1e-12);
}

TEST(EpochMeter, each_train_has_the_error_of_two_delays) {
  TrainPart later = usual;
  later.opens = false;
  const RateEpoch epoch = epoch_of({}, {usual, usual, later});
  EXPECT_NEAR(epoch.delay, 75e-3 / 2, 1e-12);
  EXPECT_NEAR(epoch.stretch_error, std::sqrt(2. * 2) * first_jitter / 0.3, 1e-12);
  EXPECT_NEAR(epoch_of({}, {later}).delay, 25e-3, 1e-12) << "a part of one that began before";
}

TEST(EpochMeter, what_arrives_faster_or_more_often_than_it_was_sent_is_neither_stretched_nor_lost) {
  const RateEpoch epoch = epoch_of({}, {{.sent = 300, .arrived = 301, .sending = 100ms, .arriving = 90ms}});
  EXPECT_EQ(epoch.loss, 0);
  EXPECT_NEAR(epoch.loss_error, error_of_loss(0.01, 300, first_runs), 1e-12)
      << "one in a hundred may be lost";
  EXPECT_EQ(epoch.stretch, 1);
  EXPECT_EQ(epoch.delay, 0);
}

TEST(EpochMeter, jitter_is_a_sixth_of_the_mean_square_of_second_differences_of_the_last_32) {
  const auto jitter = [](const EpochMeter& meter) {
    const double error = epoch_of(meter, {usual}).stretch_error * 0.1;
    return error * error / 2;
  };
  EpochMeter meter;
  meter.varied(6ms);
  EXPECT_NEAR(jitter(meter), 0.25e-6 + (6e-6 - 0.25e-6) / 5, 1e-15) << "the first guess counts as four";
  for (int i = 0; i < 2000; ++i)
    meter.varied(-6ms);
  EXPECT_NEAR(jitter(meter), 6e-6, 1e-15);
  meter.varied(0ms);
  EXPECT_NEAR(jitter(meter), 6e-6 * 31 / 32, 1e-15);
}

TEST(EpochMeter, where_losses_come_in_runs_chance_does_more) {
  const auto runs = [](double loss, double loss_after_loss) {
    EpochMeter meter;
    meter.losses(loss, loss_after_loss);
    const double error = epoch_of(meter, {usual}).loss_error;
    return error * error * 300 / (0.1 * 0.9);
  };
  EXPECT_NEAR(runs(0.1, 0.55), first_runs + (3 - first_runs) / 16, 1e-9) << "a correlation of a half";
  EXPECT_NEAR(runs(0.1, 1), first_runs + (30 - first_runs) / 16, 1e-9) << "30 at most";
  EXPECT_NEAR(runs(0.1, 0.1), first_runs, 1e-9);
  EXPECT_NEAR(runs(0, 0.5), first_runs, 1e-9) << "without any loss there are no runs";
  EXPECT_NEAR(runs(1, 1), first_runs, 1e-9) << "nor where everything is lost";
}

}  // namespace
}  // namespace lbsp::transport
