#include "transport/sizes/question_order.hpp"

#include <algorithm>

#include "transport/paths/datagram_sizes.hpp"

namespace lbsp::transport {
namespace {

void put_the_most_useful_first(std::vector<std::size_t>& sizes) {
  if (sizes.size() > 2 && sizes[0] == sizes[1]) std::swap(sizes[1], sizes[2]);
  const auto by_use = [](std::size_t bytes) { return bytes <= usual_longest_datagram_bytes ? bytes : 0; };
  const auto best = std::ranges::max_element(sizes, {}, by_use);
  if (best != sizes.end()) std::rotate(sizes.begin(), best, best + 1);
}

}  // namespace

std::vector<std::pair<Rank, std::size_t>> in_order_of_use(PeerQuestions questions, std::size_t window) {
  std::vector<std::pair<Rank, std::size_t>> ordered;
  std::size_t most = 0;
  std::size_t bytes = 0;
  for (const auto& [rank, sizes] : questions) {
    most = std::max(most, sizes.size());
    for (const std::size_t size : sizes) {
      bytes += size;
      ordered.emplace_back(rank, size);
    }
  }
  if (bytes <= window) return ordered;
  ordered.clear();
  for (auto& [rank, sizes] : questions)
    put_the_most_useful_first(sizes);
  for (std::size_t i = 0; i < most; ++i) {
    for (const auto& [rank, sizes] : questions) {
      if (i < sizes.size()) ordered.emplace_back(rank, sizes[i]);
    }
  }
  return ordered;
}

}  // namespace lbsp::transport
