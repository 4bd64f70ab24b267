#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "benchmarks/model/simulated_supersteps.hpp"
#include "transport/wire/format.hpp"

using namespace lbsp;
using namespace lbsp::bench;
using namespace lbsp::transport;
using namespace std::chrono_literals;

int main(int argc, char** argv) {
  const double budget = argc > 1 ? std::stod(argv[1]) : 1;
  for (const int rtt : {70, 20})
    for (const int n : {2, 4, 16, 64})
      for (const int m : {1, 2, 10, 50, 200})
        for (const int k : {1, 2, 3, 6})
          for (const double p : {0.001, 0.01, 0.05, 0.1, 0.3}) {
            if (n == 64 && m > 10) continue;
            if (n == 16 && m > 50) continue;
            if (rtt == 20 && (k == 3 || n == 64 || p == 0.001)) continue;
            SimulationConfig config;
            config.size = n;
            config.options.copies = k;
            config.options.rate = megabits_per_second(100);
            config.wan.loss = p;
            config.wan.round_trip_time = std::chrono::milliseconds{rtt};
            config.cipher = Cipher::aes256_gcm;
            SimulatedSupersteps job(config, Pattern::all_to_all,
                                    static_cast<std::size_t>(m) * (config.options.datagram_bytes - data_overhead_bytes));
            Effort effort;
            effort.seconds = budget;
            const Measurement measured = measure(job, effort);
            std::printf("%d %d %d %d %g %.6f %.6f %d\n", rtt, n, m, k, p, measured.seconds.value * 1e3,
                        measured.seconds.standard_error * 1e3, measured.supersteps);
            std::fflush(stdout);
          }
}
