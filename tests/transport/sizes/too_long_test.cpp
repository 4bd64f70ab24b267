#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"
#include "tests/transport/simulated_run.hpp"
#include "transport/loss_prior.hpp"

/// What does not pass because it is too long is not lost as other datagrams are: it must not lead to more redundancy.
namespace lbsp::transport::testing {
namespace {

/// Keeps the worst loss that any plan is made for.
class Watching final : public RedundancyPlanner {
 public:
  explicit Watching(std::shared_ptr<double> worst) : worst_(std::move(worst)) {}
  LegForecast plan(const LegOutline& leg, std::span<MessagePlan> plans) override {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      plans[i] = {};
      *worst_ = std::max(*worst_, leg.messages[i].path.loss);
    }
    return {};
  }
  int repairs_for(int lacking, int, const PathForecast&) const override { return lacking + 1; }

 private:
  std::shared_ptr<double> worst_;
};

TEST(TooLong, is_no_loss_for_a_plan_or_a_report) {
  for (const std::size_t carried : {548u, 972u}) {
    for (const bool told : {false, true}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SimulatedSupersteps job;
        const auto worst = std::make_shared<double>(0);
        job.config.size = 2;
        job.config.seed = seed;
        job.config.options.find_datagram = true;
        job.config.options.datagram_bytes = 1472;
        job.config.options.rate = megabits_per_second(100);
        job.config.planner = [worst](Rank) { return std::make_unique<Watching>(worst); };
        job.config.wan = parse_wan_spec("rtt=40ms,rate=100Mbit,loss=2%");
        job.config.faults.narrowings.push_back({.bytes = carried, .told = told});
        job.supersteps = 6;
        job.message = [](std::uint32_t superstep, Rank from, Rank to) {
          return patterned(from, to, superstep == 0 ? 0 : 100'000, superstep);
        };
        SimulatedRun run(job);
        run.complete();
        EXPECT_LT(*worst, 2 * loss_prior.loss) << carried << (told ? " told" : "") << ", seed " << seed;
        EXPECT_LT(run.network().endpoint(0).network().loss, 0.06)
            << carried << (told ? " told" : "") << ", seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace lbsp::transport::testing
