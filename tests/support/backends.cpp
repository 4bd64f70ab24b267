#include "tests/support/backends.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "transport/impairment/wan_spec.hpp"
#include "transport/simulated/simulated_job.hpp"
#include "transport/threads/threads_exchange.hpp"
#include "transport/udp/udp_exchange.hpp"

namespace lbsp::test {
namespace {

using Exchanges = std::vector<std::unique_ptr<transport::Exchange>>;

std::vector<std::exception_ptr> run_threads(Exchanges exchanges, const RankBody& body) {
  std::vector<std::exception_ptr> outcomes(exchanges.size());
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < exchanges.size(); ++rank) {
    threads.emplace_back([&outcomes, &body, rank, exchange = std::move(exchanges[rank])] {
      try {
        body(*exchange);
      } catch (...) {
        outcomes[rank] = std::current_exception();
      }
    });
  }
  threads.clear();
  return outcomes;
}

Exchanges make_udp_exchanges(Rank size, const std::optional<transport::WanSpec>& wan) {
  std::vector<transport::UdpPort> ports;
  transport::UdpJob job;
  job.key = transport::JobKey::random();
  job.options.copies = wan ? 2 : 1;
  job.wan = wan;
  job.wan_seed = 5;
  for (Rank rank = 0; rank < size; ++rank) {
    ports.push_back(transport::UdpPort::bind("127.0.0.1", 0));
    job.addresses.push_back({"127.0.0.1", ports.back().port()});
  }
  Exchanges exchanges;
  for (transport::UdpPort& port : ports) {
    job.rank = static_cast<Rank>(exchanges.size());
    exchanges.push_back(std::make_unique<transport::UdpExchange>(std::move(port), job));
  }
  return exchanges;
}

Backend udp_backend(std::string name, const std::optional<transport::WanSpec>& wan) {
  return {std::move(name), [wan](Rank size, const RankBody& body) {
            return run_threads(make_udp_exchanges(size, wan), body);
          }};
}

std::vector<std::exception_ptr> run_over_simulation(Rank size, const RankBody& body) {
  transport::SimulatedJobConfig config;
  config.network.size = size;
  config.network.wan = transport::parse_wan_spec(
      "loss=15%,rtt=70ms,jitter=5ms,burst=3,reorder=2%,duplicate=2%,corrupt=1%");
  return transport::run_simulated(config, body).errors;
}

}  // namespace

std::vector<Backend> all_backends() {
  return {
      {"threads",
       [](Rank size, const RankBody& body) {
         return run_threads(transport::make_threads_exchanges(size), body);
       }},
      udp_backend("udp", std::nullopt),
      udp_backend("udp_lossy", transport::parse_wan_spec("loss=15%,rtt=2ms,burst=2,reorder=1%,duplicate=1%")),
      {"simulated", run_over_simulation},
  };
}

}  // namespace lbsp::test
