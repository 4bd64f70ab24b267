#include "tools/probe/pair_schedule.hpp"

#include <algorithm>

#include "transport/impairment/random.hpp"

namespace lbsp::probe {

std::vector<Pair> tournament(int hosts) {
  std::vector<Pair> pairs;
  const int seats = hosts + hosts % 2;  // an odd one out rests
  for (int round = 0; round < seats - 1; ++round) {
    // The last seat stays, the others move on by one each round; opposite seats play.
    for (int i = 0; i < seats / 2; ++i) {
      const int left = (round + i) % (seats - 1);
      const int right = i == 0 ? seats - 1 : (round + seats - 1 - i) % (seats - 1);
      if (std::max(left, right) < hosts) pairs.emplace_back(std::min(left, right), std::max(left, right));
    }
  }
  return pairs;
}

std::vector<Pair> sample_pairs(int hosts, int count, std::uint64_t seed) {
  auto pairs = tournament(hosts);
  transport::Random random(seed);
  while (pairs.size() > static_cast<std::size_t>(count))
    pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(random.below(pairs.size())));
  return pairs;
}

}  // namespace lbsp::probe
