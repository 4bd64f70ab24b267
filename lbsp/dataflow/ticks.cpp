#include "lbsp/dataflow/ticks.hpp"

#include <algorithm>

namespace lbsp::dataflow {
namespace {

constexpr std::uint64_t million = 1'000'000;
constexpr auto longest = static_cast<std::uint64_t>(longest_ticks);
/// 2.5 hours for one unit.
constexpr auto highest_rate = static_cast<std::uint64_t>(std::numeric_limits<Ticks>::max());

std::uint64_t bounded_product(std::uint64_t left, std::uint64_t right, std::uint64_t most) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(left, right, &product) ? most : std::min(product, most);
}

}  // namespace

Ticks scaled(Ticks per_million, std::uint64_t units) {
  const auto rate = static_cast<std::uint64_t>(std::max<Ticks>(per_million, 0));
  // r·(a·10⁶ + b) / 10⁶ with r = c·10⁶ + d: r·a + c·b + d·b/10⁶
  const std::uint64_t whole = bounded_product(rate, units / million, longest);
  const std::uint64_t part = bounded_product(rate / million, units % million, longest);
  return static_cast<Ticks>(std::min(whole + part + rate % million * (units % million) / million, longest));
}

Ticks per_million(Ticks time, std::uint64_t units) {
  const auto spent = static_cast<std::uint64_t>(std::clamp<Ticks>(time, 0, longest_ticks));
  const std::uint64_t count = std::max<std::uint64_t>(units, 1);
  const std::uint64_t whole = bounded_product(spent / count, million, highest_rate);
  const std::uint64_t part = bounded_product(spent % count, million, highest_rate) / count;
  return static_cast<Ticks>(std::min(whole + part, highest_rate));
}

}  // namespace lbsp::dataflow
