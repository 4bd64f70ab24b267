#include "tools/probe/worker.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <unistd.h>

#include "tools/probe/compute_rates.hpp"
#include "tools/probe/worker_protocol.hpp"
#include "transport/error.hpp"
#include "transport/probe/driver.hpp"
#include "transport/probe/responder.hpp"

namespace lbsp::probe {
namespace {

void tell(const std::string& line) {
  std::cout << line << std::flush;
}

std::optional<transport::WanSpec> wan_of(const Setup& setup) {
  if (setup.wan.empty()) return std::nullopt;
  return transport::parse_wan_spec(setup.wan);
}

/// Which kernel this is: virtual hosts and containers of a machine share its processors.
std::string machine() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

int processors() {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

Done measure(const Setup& setup, const Order& order) {
  Done done;
  try {
    done.result =
        measure_pair(order.responder, setup.key, setup.plan, {wan_of(setup), order.seed}, [](double) {});
    const auto there = [](const auto& pair) { return pair.from == 0; };
    const auto back = [](const auto& pair) { return pair.from == 1; };
    if (std::ranges::none_of(done.result.pairs, there) || std::ranges::none_of(done.result.pairs, back))
      done.problem = fmt::format("{} gets too little through to be measured: try other --packet-sizes",
                                 to_string(order.responder));
  } catch (const OutOfTime& error) {
    done.problem = error.what();
    done.out_of_time = true;
  } catch (const Error& error) {
    done.problem = error.what();
  }
  return done;
}

/// Runs a driver on a thread for as long as this lives.
class Background {
 public:
  explicit Background(transport::probe::Driver& driver) : driver_(driver), thread_([this] { run(); }) {}
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background() {
    driver_.stop();
    thread_.join();
  }

 private:
  void run() {
    try {
      driver_.run();
    } catch (const std::exception& error) {
      fmt::print(stderr, "lbsp: {}\n", error.what());
      std::_Exit(1);  // there is nothing to measure with any more
    }
  }

  transport::probe::Driver& driver_;
  std::thread thread_;
};

}  // namespace

int run_worker() {
  if (::isatty(STDIN_FILENO) != 0)
    throw UsageError("--worker speaks to another lbsp probe: use --hosts FILE, or HOST");
  std::string line;
  if (!std::getline(std::cin, line)) return 1;
  const Setup setup = read_setup(line);
  auto port = open_port(setup.bind_address, 0);
  Ready ready{port.port(), std::nullopt, machine(), processors()};
  if (setup.compute) {
    const MeasuredRates measured = measure_compute_rates();
    ready.compute = measured.rates;
    ready.slowdown = measured.slowdown;
  }
  transport::probe::Responder responder({.key = setup.key, .most = setup.plan.most});
  transport::probe::Driver driver(std::move(port), responder, wan_of(setup), setup.seed);
  const Background background(driver);
  tell(to_line(ready));
  while (std::getline(std::cin, line))
    tell(to_line(measure(setup, read_order(line))));
  return 0;
}

}  // namespace lbsp::probe
