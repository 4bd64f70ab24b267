#include "lbsp/trace/figures.hpp"

#include <cstddef>

namespace lbsp::trace {
namespace {

/// Both are by rank.
void add(std::vector<BytesTo>& sums, const std::vector<BytesTo>& next) {
  if (next.empty()) return;
  std::vector<BytesTo> out;
  out.reserve(sums.size() + next.size());
  std::size_t place = 0;
  for (const BytesTo& each : next) {
    while (place < sums.size() && sums[place].rank < each.rank)
      out.push_back(sums[place++]);
    out.push_back(each);
    if (place < sums.size() && sums[place].rank == each.rank) out.back().bytes += sums[place++].bytes;
  }
  out.insert(out.end(), sums.begin() + static_cast<std::ptrdiff_t>(place), sums.end());
  out.shrink_to_fit();
  sums = std::move(out);
}

}  // namespace

Figures& Figures::operator+=(const Figures& next) {
  without_processor += next.without_processor;
  after_messages += next.after_messages;
  network_thread += next.network_thread;
  network = next.network;
  add(to, next.to);
  return *this;
}

}  // namespace lbsp::trace
