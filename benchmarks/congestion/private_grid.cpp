// Private cells: mean seconds of supersteps, per cell and seed. args: megabits rtt loss jitter told bytes ranks seed count
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include "lbsp/plan/model_planner.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"
using namespace std::chrono_literals;
using namespace lbsp; using namespace lbsp::transport;
struct Cell { double mb, rtt; const char* extra; bool told; std::size_t bytes; Rank n; double q; };
double seconds(const Cell& c, std::uint64_t seed, double told_factor = 1) {
  SimulationConfig config; config.size = c.n; config.seed = seed;
  config.wan = parse_wan_spec(fmt::format("rtt={}ms{}", c.rtt, c.extra));
  config.options.rate = megabits_per_second(c.mb * told_factor);
  config.options.find_rate = !c.told;
  config.planner = [](Rank) { return std::make_unique<plan::ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic}); };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  const auto qb = static_cast<std::uint64_t>(std::max(c.q * c.mb * 125 * c.rtt, 65536.));
  const auto link = [&] { return std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(c.mb), qb}); };
  for (Rank r = 0; r < c.n; ++r) config.topology.hosts.push_back({1, link(), link()});
  RunningJob job(config, [&](Rank, Rank) { return c.bytes; });
  SharedTime time; time.add(job);
  const std::size_t steps = c.bytes > 500000 ? 8 : 12;
  time.run_until([&] { return job.supersteps() >= steps; }, Instant{1h});
  return job.mean_seconds(2);
}
int main(int argc, char** argv) {
  const std::string grid = argc > 1 ? argv[1] : "main";
  const std::vector<const char*> losses = grid == "jitter" ? std::vector<const char*>{",jitter=0.3ms", ",jitter=1ms", ",jitter=5ms", ",jitter=20ms"} : std::vector<const char*>{"", ",loss=2%", ",loss=10%", ",loss=15%"};
  const std::vector<std::pair<double,double>> paths = grid == "short" || grid == "jitter" ? std::vector<std::pair<double,double>>{{100,5},{50,10},{100,70}} : std::vector<std::pair<double,double>>{{10,20},{100,20},{50,70},{200,70},{100,150}};
  for (auto [mb, rtt] : paths) for (const char* loss : losses) for (std::size_t bytes : {std::size_t{64}<<10, std::size_t{1}<<20}) for (Rank n : {2,4,8}) {
    if (bytes > 500000 && (n == 8 || mb == 10)) continue;
    for (bool told : {true, false}) for (std::uint64_t seed : {1, 2}) {
    fmt::print("{} {} {} {} {} {} {} {:.6f}\n", mb, rtt, *loss ? loss : "-", bytes, n, told, seed, seconds({mb, rtt, loss, told, bytes, n, 1}, seed)); std::fflush(stdout); } }
}
