#include "transport/finder/policed_rate.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

/// Whose the loss is that no queue explains: the path's, or the rate's.
namespace lbsp::transport {
namespace {

RateEpoch epoch_that_lost(double loss) {
  return {.loss = loss, .loss_error = 0.0075};
}

double megabits_of(BytesPerSecond rate) {
  return rate.value * 8e-6;
}

/// A path that carries so much, and loses a part of that at random.
struct PolicedPath {
  double carried_megabits;
  double own_loss = 0;

  RateEpoch epoch(BytesPerSecond rate) const {
    const double through = std::min(1.0, carried_megabits / megabits_of(rate));
    return epoch_that_lost(1 - through * (1 - own_loss));
  }
};

/// Follows it; returns the rate then, and keeps the highest and what was lost in all.
class Follower {
 public:
  explicit Follower(double megabits) : rate_(megabits_per_second(megabits)) { policed_.too_high(rate_); }

  double go(const PolicedPath& path, int epochs) {
    lost_ = most_ = 0;
    for (int i = 0; i < epochs; ++i) {
      const RateEpoch epoch = path.epoch(rate_);
      lost_ += epoch.loss / epochs;
      most_ = std::max(most_, megabits_of(rate_));
      rate_ = policed_.judge(epoch, rate_);
    }
    return megabits_of(rate_);
  }
  double lost() const { return lost_; }
  double most() const { return most_; }
  PolicedRate& policed() { return policed_; }

 private:
  PolicedRate policed_;
  BytesPerSecond rate_;
  double lost_ = 0;
  double most_ = 0;
};

TEST(PolicedRate, that_loses_less_when_it_is_lower_gets_a_ceiling_below_what_is_carried) {
  Follower follower(52);
  EXPECT_EQ(follower.go({50}, 8), 52 * (1 - 2. / 52 - 0.02)) << "in doubt for four epochs, four at the rate";
  follower.go({50}, 4);
  ASSERT_TRUE(follower.policed().ceiling());
  EXPECT_LT(megabits_of(*follower.policed().ceiling()), 50);
  follower.go({50}, 400);
  EXPECT_LT(follower.lost(), 0.003);
  EXPECT_LT(follower.most(), 50 * 1.06) << "small steps";
}

TEST(PolicedRate, that_loses_as_much_when_it_is_lower_returns) {
  Follower follower(52);
  EXPECT_EQ(follower.go({1000, 0.04}, 12), 52);
  EXPECT_FALSE(follower.policed().ceiling());
  EXPECT_EQ(follower.go({1000, 0.04}, 100), 52);
}

TEST(PolicedRate, that_nothing_has_shown_to_be_too_high_is_not_doubted) {
  PolicedRate policed;
  const BytesPerSecond rate = megabits_per_second(52);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(policed.judge(epoch_that_lost(0.04), rate), rate);
}

/// As behind a queue that others fill and empty.
TEST(PolicedRate, is_not_blamed_for_loss_that_comes_and_goes) {
  PolicedRate policed;
  const BytesPerSecond rate = megabits_per_second(52);
  policed.too_high(rate);
  policed.too_high(rate);
  ASSERT_TRUE(policed.ceiling());
  for (const double loss : {0., 0.06, 0.05, 0.})
    EXPECT_EQ(policed.judge(epoch_that_lost(loss), rate), rate);
  EXPECT_FALSE(policed.ceiling());
}

TEST(PolicedRate, is_not_tried_where_so_much_is_lost_that_the_finder_knows) {
  Follower follower(52);
  EXPECT_EQ(follower.go({1000, 0.1}, 100), 52);
  EXPECT_EQ(follower.most(), 52);
}

TEST(PolicedRate, that_was_too_high_twice_has_a_ceiling_until_the_network_is_faster) {
  Follower follower(49);
  EXPECT_FALSE(follower.policed().ceiling());
  follower.policed().too_high(megabits_per_second(49));
  ASSERT_TRUE(follower.policed().ceiling());
  follower.go({50}, 200);
  EXPECT_LT(follower.lost(), 0.003);
  follower.go({100}, 33 + 3 * 12 + 2);
  EXPECT_FALSE(follower.policed().ceiling()) << "steps are as large as the finder's now";
}

TEST(PolicedRate, that_has_held_was_not_too_high) {
  Follower follower(49);
  follower.policed().held(megabits_per_second(55));
  follower.policed().too_high(megabits_per_second(49));
  EXPECT_FALSE(follower.policed().ceiling());
}

/// Who send through one policer lose the same part. Each has had all of it for a moment, as who comes to it does.
class Sharers {
 public:
  Sharers(double carried_megabits, const std::vector<double>& megabits) : carried_(carried_megabits) {
    for (const double rate : megabits)
      jobs_.push_back({PolicedRate(), megabits_per_second(rate)});
    for (Job& job : jobs_) {
      job.policed.too_high(job.rate);
      job.policed.fell();
      for (int epoch = 0; epoch < 2; ++epoch)
        job.policed.judge(epoch_that_lost(0), megabits_per_second(carried_));
    }
  }

  /// For so many epochs of one who has all. Whose rate is lower has fewer.
  void go(int epochs) {
    constexpr int parts = 20;
    lost_ = used_ = 0;
    for (int part = 0; part < epochs * parts; ++part) {
      const double all = sum();
      const double loss = std::max(0.0, 1 - carried_ / all);
      lost_ += loss / (epochs * parts);
      used_ += std::min(1.0, all / carried_) / (epochs * parts);
      for (Job& job : jobs_)
        go(job, loss, megabits_of(job.rate) / carried_ / parts);
    }
  }
  double lost() const { return lost_; }
  double used() const { return used_; }
  /// The highest rate over the lowest.
  double spread() const {
    const auto [least, most] =
        std::ranges::minmax_element(jobs_, {}, [](const Job& job) { return job.rate; });
    return most->rate.value / least->rate.value;
  }

 private:
  struct Job {
    PolicedRate policed;
    BytesPerSecond rate;
    double epoch = 0;  ///< the part of it that is over …
    double lost = 0;   ///< … and what was lost in it
  };

  static void go(Job& job, double loss, double part) {
    job.epoch += part;
    job.lost += part * loss;
    if (job.epoch < 1) return;
    job.rate = job.policed.judge(epoch_that_lost(job.lost / job.epoch), job.rate);
    job.epoch = job.lost = 0;
  }
  double sum() const {
    double all = 0;
    for (const Job& job : jobs_)
      all += megabits_of(job.rate);
    return all;
  }

  double carried_;
  std::vector<Job> jobs_;
  double lost_ = 0;
  double used_ = 0;
};

TEST(PolicedRate, of_several_come_closer_and_lose_little) {
  for (const std::vector<double>& megabits : {std::vector<double>{8, 3}, {10, 4, 3}, {4, 4, 4, 4}, {7, 4}}) {
    Sharers sharers(10, megabits);
    sharers.go(100);
    sharers.go(200);
    EXPECT_LT(sharers.lost(), 0.01) << megabits.size();
    EXPECT_GT(sharers.used(), 0.9) << megabits.size();
    EXPECT_LT(sharers.spread(), 2) << megabits.size();
  }
}

/// What they cut followed from who measured first; 1 : 3 lasted for minutes.
TEST(PolicedRate, of_who_flood_a_policer_become_alike_soon) {
  for (const std::vector<double>& megabits : {std::vector<double>{9.8, 10}, {9.8, 5}, {7, 10}}) {
    Sharers sharers(10, megabits);
    sharers.go(60);
    EXPECT_LT(sharers.spread(), 1.4) << megabits[0] << ' ' << megabits[1];
    sharers.go(100);
    EXPECT_LT(sharers.lost(), 0.01) << megabits[0] << ' ' << megabits[1];
    EXPECT_GT(sharers.used(), 0.9) << megabits[0] << ' ' << megabits[1];
  }
}

/// Who has all, and begins anew in a flood.
class Flooded {
 public:
  Flooded() {
    policed_.too_high(rate_);
    policed_.fell();
    see(0, 2);
    see(0.4, 4);
  }

  double see(double loss, int epochs = 1) {
    for (int i = 0; i < epochs; ++i)
      rate_ = policed_.judge(epoch_that_lost(loss), rate_);
    return megabits_of(rate_);
  }

 private:
  PolicedRate policed_;
  BytesPerSecond rate_ = megabits_per_second(10);
};

/// They had not fallen in the first four epochs, and that was taken for the path's own loss.
TEST(PolicedRate, that_begins_anew_waits_for_others_who_fall_later) {
  Flooded flooded;
  ASSERT_NEAR(flooded.see(0.4), 2.5, 0.1);
  for (const double loss : {0.4, 0.38, 0.3, 0.42, 0.35, 0.2})
    ASSERT_NEAR(flooded.see(loss), 2.5, 0.1) << loss;
  EXPECT_NEAR(flooded.see(0), 2.5, 0.1);
  EXPECT_GT(flooded.see(0), 3) << "steps";
}

TEST(PolicedRate, that_begins_anew_learns_what_the_path_loses) {
  Flooded flooded;
  flooded.see(0.1, 8);
  EXPECT_GT(flooded.see(0.1, 3), 4) << "steps, as that is the path's";
}

TEST(PolicedRate, that_loses_as_much_at_a_quarter_returns) {
  Flooded flooded;
  EXPECT_NEAR(flooded.see(0.28, 8), 10 * (1 - 0.12), 0.1);
}

/// A fall that was too short, or a bucket that had forgiven a rise, looked like a flood of others.
TEST(PolicedRate, that_loses_what_it_may_alone_does_not_begin_anew) {
  const auto after = [](double left, int epochs) {
    Follower follower(60);
    follower.policed().fell(left);
    return follower.go({50}, epochs);
  };
  EXPECT_LT(after(0, 5), 20) << "a flood";
  EXPECT_NEAR(after(1 - 50. / 60, 3), 49, 0.5);
  Follower follower(60);
  follower.policed().may_lose(0.2);
  EXPECT_NEAR(follower.go({50}, 4), 49, 0.5);
}

TEST(PolicedRate, that_has_lost_nothing_since_begins_anew_in_a_flood) {
  Follower follower(49);
  follower.policed().may_lose(0.4);
  ASSERT_EQ(follower.go({50}, 3), 49);
  EXPECT_LT(follower.go({35}, 5), 20);
}

/// Losses come in runs.
TEST(PolicedRate, does_not_begin_anew_for_one_epoch_of_a_trial) {
  Follower follower(52);
  follower.policed().fell();
  follower.go({50}, 1);
  const BytesPerSecond cut = megabits_per_second(follower.go({50}, 4));
  ASSERT_LT(megabits_of(cut), 50);
  EXPECT_GT(megabits_of(follower.policed().judge(epoch_that_lost(0.2), cut)), 40);
}

TEST(PolicedRate, asks_again_whether_loss_is_the_paths_own) {
  Follower follower(52);
  ASSERT_EQ(follower.go({1000, 0.04}, 12), 52);
  follower.go({50}, 80);
  EXPECT_LT(megabits_of(follower.policed().ceiling().value_or(megabits_per_second(52))), 50);
}

}  // namespace
}  // namespace lbsp::transport
