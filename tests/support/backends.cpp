#include "tests/support/backends.hpp"

#include <memory>
#include <thread>
#include <utility>

#include "tests/support/mpi_backend.hpp"
#include "tests/transport/udp/udp_cluster.hpp"
#include "transport/simulated/simulated_job.hpp"
#include "transport/threads/threads_exchange.hpp"

namespace lbsp::test {
namespace {

using Program = std::function<void(transport::Exchange&)>;

void over_threads(Rank size, const Program& program) {
  auto exchanges = transport::make_threads_exchanges(size);
  std::vector<std::jthread> threads;
  for (auto& exchange : exchanges) {
    threads.emplace_back([&program, mine = std::move(exchange)]() mutable {
      program(*mine);
      mine.reset();
    });
  }
}

void over_simulation(Rank size, const Program& program) {
  transport::SimulatedJobConfig config;
  config.network.size = size;
  config.network.wan = transport::parse_wan_spec("loss=10%,rtt=20ms,jitter=5ms,burst=2,duplicate=2%");
  transport::run_simulated(config, program).rethrow_first_error();
}

void over_udp(Rank size, const Program& program) {
  transport::UdpCluster(size).run_well(program);
}

void over_lossy_udp(Rank size, const Program& program) {
  transport::UdpCluster(size, "loss=15%,rtt=2ms,duplicate=2%").run_well(program);
}

}  // namespace

std::vector<Backend> all_backends() {
#ifdef LBSP_WITH_MPI
  if (const auto mpi = mpi_backend()) return {*mpi};
#endif
  return {
      {"threads", over_threads},
      {"simulated", over_simulation},
      {"udp", over_udp},
      {"udp_with_loss", over_lossy_udp},
  };
}

}  // namespace lbsp::test
