#include "model/queueing/network.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/mathematics/require.hpp"

namespace lbsp::model::queueing {
namespace {

/// By the number of jobs. Only ratios within one count, so each is scaled to a largest weight of 1: the true ones
/// under- and overflow at some tens of jobs.
using Weights = std::vector<double>;

void scale(Weights& weights) {
  const double largest = *std::ranges::max_element(weights);
  for (double& weight : weights)
    weight /= largest;
}

/// g(j) = g(j - 1) D / min(j, servers), where the largest D/servers of all stations is 1.
Weights weights_of(const Station& station, double slowest, int jobs) {
  Weights out{1};
  const double demand = station.demand / slowest;
  for (int j = 1; j <= jobs; ++j) {
    out.push_back(out.back() * demand / std::min(j, station.servers));
    // Up to as many jobs as servers they grow like an exponential series, beyond what a double holds.
    if (out.back() > 1e200) scale(out);
  }
  scale(out);
  return out;
}

Weights convolution(const Weights& a, const Weights& b) {
  Weights out(a.size());
  for (std::size_t n = 0; n < out.size(); ++n)
    for (std::size_t j = 0; j <= n; ++j)
      out[n] += a[j] * b[n - j];
  scale(out);
  return out;
}

/// The mean of j with the weights a(j)·b(n - j).
double mean_jobs(const Weights& a, const Weights& b) {
  const std::size_t n = a.size() - 1;
  double sum = 0;
  double total = 0;
  for (std::size_t j = 0; j <= n; ++j) {
    const double weight = a[j] * b[n - j];
    sum += static_cast<double>(j) * weight;
    total += weight;
  }
  return sum / total;
}

double require_stations(std::span<const Station> stations, int jobs) {
  mathematics::require_count(jobs, "jobs");
  double slowest = 0;
  for (const Station& station : stations) {
    mathematics::require_count(station.servers, "servers");
    mathematics::require_not_negative(station.demand, "a demand");
    slowest = std::max(slowest, station.demand / station.servers);
  }
  if (slowest == 0) throw std::invalid_argument("no station with work: give a demand of more than 0");
  return slowest;
}

}  // namespace

Solution solve(std::span<const Station> stations, int jobs) {
  const double slowest = require_stations(stations, jobs);
  const std::size_t count = stations.size();
  std::vector<Weights> own;
  for (const Station& station : stations)
    own.push_back(weights_of(station, slowest, jobs));

  // after[i]: of all stations from i on; before: of those below i. Together they are the network without station i.
  Weights nobody(static_cast<std::size_t>(jobs) + 1, 0);
  nobody[0] = 1;
  std::vector<Weights> after(count + 1, nobody);
  for (std::size_t i = count; i-- > 0;)
    after[i] = convolution(after[i + 1], own[i]);

  Solution out;
  const Weights& all = after[0];
  out.throughput = all[all.size() - 2] / all.back() / slowest;
  out.response = jobs / out.throughput;
  Weights before = nobody;
  for (std::size_t i = 0; i < count; ++i) {
    out.utilisation.push_back(out.throughput * stations[i].demand / stations[i].servers);
    out.jobs.push_back(mean_jobs(own[i], convolution(before, after[i + 1])));
    before = convolution(before, own[i]);
  }
  return out;
}

}  // namespace lbsp::model::queueing
