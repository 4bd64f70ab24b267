#include "tools/probe/listen.hpp"

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>

#include "tools/probe/compute_rates.hpp"
#include "tools/probe/key_file.hpp"
#include "tools/probe/measure.hpp"
#include "transport/probe/driver.hpp"
#include "transport/probe/responder.hpp"

namespace lbsp::probe {

int listen(const ProbeOptions& options) {
  const auto key = read_or_make_key(options.key_file);
  auto port = open_port({}, *options.listen);
  std::optional<profile::ComputeRates> rates;
  if (options.compute) rates = rates_of_this_host();
  transport::probe::Responder responder(
      {.key = key, .most = options.plan.most, .rates = as_rates(rates), .sessions = options.once ? 1 : 0});
  transport::probe::Driver driver(std::move(port), responder, options.wan, options.seed);
  boost::asio::signal_set signals(driver.io(), SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (!error) driver.stop();
  });
  fmt::print(stderr, "lbsp: listening on UDP port {}\n", *options.listen);
  driver.run();
  return 0;
}

}  // namespace lbsp::probe
