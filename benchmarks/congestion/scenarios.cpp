#include "benchmarks/congestion/scenarios.hpp"

#include <fmt/format.h>
#include <utility>

#include "benchmarks/congestion/scenario_runs.hpp"

namespace lbsp::bench {
namespace {

using transport::CongestionControl;

std::string name_of(const LinkSpec& link) {
  std::string name =
      fmt::format("{:g} Mbit/s, {:g} ms, queue {:g}", link.megabits, link.round_trip_ms, link.queue);
  if (link.loss > 0) name += fmt::format(", loss {:g} %", 100 * link.loss);
  return name;
}

LinkSpec with_seed(LinkSpec link, std::uint64_t seed) {
  link.seed = seed;
  return link;
}

class List {
 public:
  explicit List(bool told) : told_(told) {}

  void alone() {
    for (const double megabits : {1., 10., 100., 1000.})
      alone({.megabits = megabits});
    for (const double round_trip : {5., 150., 300.})
      alone({.round_trip_ms = round_trip});
    for (const double queue : {0.1, 0.3, 4.})
      alone({.queue = queue});
    for (const double loss : {0.01, 0.1})
      alone({.loss = loss});
  }
  void jobs() {
    for (const int number : {2, 4, 8})
      jobs(number, {});
    for (const double queue : {0.1, 0.3, 4.})
      jobs(4, {.queue = queue});
    for (const double round_trip : {5., 300.})
      jobs(4, {.round_trip_ms = round_trip});
    for (const double megabits : {1., 10.})
      jobs(4, {.megabits = megabits});
    jobs(4, {.loss = 0.1});
  }
  /// Of which nobody expects that they are so slow, with queues as those of home routers.
  void slow() {
    for (const double megabits : {10., 20.})
      for (const double round_trip : {40., 100.})
        for (const double queue : {1., 4.})
          slow({.megabits = megabits, .round_trip_ms = round_trip, .queue = queue});
  }
  void beside(std::string_view group, CongestionControl control) {
    for (const double queue : {0.3, 1., 4.}) {
      for (const Order order : {Order::flows_first, Order::flows_later})
        beside(group, control, 1, {.queue = queue}, order);
    }
    beside(group, control, 4, {}, Order::flows_first);
  }
  void beside_on_slow_links() {
    for (const double megabits : {3., 5., 8.}) {
      for (const double round_trip : {100., 200.}) {
        LinkSpec link{.megabits = megabits, .round_trip_ms = round_trip};
        beside("slow_cubic", CongestionControl::cubic, 1, link, Order::flows_later);
        for (const double queue : {0.5, 2.}) {
          link.queue = queue;
          beside("slow_cubic", CongestionControl::cubic, 1, link, Order::flows_first);
        }
      }
    }
  }
  void others() {
    add("short", "flows of 100 kB: " + name_of({}),
        [told = told_](std::uint64_t seed) { return short_flows(told, seed); });
    for (const double burst : {0.1, 0.5})
      add("policer", fmt::format("50 Mbit/s, bursts of {:g} products", burst),
          [burst, told = told_](std::uint64_t seed) { return policer(burst, told, seed); });
    for (const int number : {1, 2, 3})
      for (const double round_trip : {20., 100.})
        jobs_behind_policer(
            number, {.megabits = 10, .round_trip_ms = round_trip, .queue = 24 / round_trip, .polices = true});
    for (const auto& [from, to] : {std::pair{100., 50.}, std::pair{50., 100.}})
      add("changes", fmt::format("from {:g} to {:g} Mbit/s", from, to),
          [from = from, to = to, told = told_](std::uint64_t seed) { return change(from, to, told, seed); });
  }

  std::vector<Scenario> take() { return std::move(scenarios_); }

 private:
  void add(std::string_view group, std::string name, std::function<Outcome(std::uint64_t)> run) {
    scenarios_.push_back({group, std::move(name), std::move(run)});
  }
  void alone(const LinkSpec& link) {
    add("alone", name_of(link),
        [link, told = told_](std::uint64_t seed) { return bench::alone(with_seed(link, seed), told); });
  }
  void jobs_behind_policer(int number, const LinkSpec& link) {
    add("policer", fmt::format("{}: 10 Mbit/s, {:g} ms, bursts of 30 kB", number, link.round_trip_ms),
        [number, link, told = told_](std::uint64_t seed) {
          return bench::jobs_behind_policer(number, with_seed(link, seed), told);
        });
  }
  void jobs(int number, const LinkSpec& link) {
    add("jobs", fmt::format("{}: {}", number, name_of(link)),
        [number, link, told = told_](std::uint64_t seed) {
          return bench::jobs(number, with_seed(link, seed), told);
        });
  }
  void slow(const LinkSpec& link) {
    add("slow", "4, half a second apart: " + name_of(link), [link, told = told_](std::uint64_t seed) {
      return bench::jobs(4, with_seed(link, seed), told, 0.5);
    });
  }
  void beside(std::string_view group, CongestionControl control, int flows, const LinkSpec& link,
              Order order) {
    add(group,
        fmt::format("{} {}: {}", flows, order == Order::flows_first ? "before" : "after", name_of(link)),
        [=, told = told_](std::uint64_t seed) {
          return bench::beside(control, flows, with_seed(link, seed), order, told);
        });
  }

  bool told_;
  std::vector<Scenario> scenarios_;
};

}  // namespace

std::vector<Scenario> all_scenarios(bool told) {
  List list(told);
  list.alone();
  list.jobs();
  list.slow();
  list.beside("cubic", CongestionControl::cubic);
  list.beside_on_slow_links();
  list.beside("bbr", CongestionControl::bbr);
  list.others();
  return list.take();
}

}  // namespace lbsp::bench
