#include "lbsp/collectives/kinds.hpp"

#include <array>
#include <cstddef>

#include "lbsp/superstep/agreement/check_value.hpp"

namespace lbsp::collectives {
namespace {

template <std::size_t N>
using Checks = std::array<std::uint32_t, N>;

/// Remembered before main, so that a rank can name also what only another calls.
template <class... Names>
Checks<sizeof...(Names)> remember_all(Names... names) {
  return {superstep::remember(std::string(names))...};
}

// In the order of the enumerations.
const auto broadcasts = remember_all("broadcast direct", "broadcast binomial_tree", "broadcast van_de_geijn",
                                     "broadcast two_phase");
const auto all_gathers =
    remember_all("all_gather direct", "all_gather ring", "all_gather recursive_doubling", "all_gather bruck");
const auto reduces = remember_all("reduce direct", "reduce binomial_tree", "reduce two_phase");
const auto all_reduces =
    remember_all("all_reduce direct", "all_reduce recursive_doubling", "all_reduce two_phase");
const auto scans = remember_all("scan direct", "scan recursive_doubling");
const auto simple_ones = remember_all("gather", "scatter", "all_to_all");

template <class Table, class Variant>
std::uint32_t look_up(const Table& table, Variant how) {
  return table.at(static_cast<std::size_t>(how));
}

}  // namespace

std::uint32_t kind_of(Broadcast how) {
  return look_up(broadcasts, how);
}

std::uint32_t kind_of(AllGather how) {
  return look_up(all_gathers, how);
}

std::uint32_t kind_of(Reduce how) {
  return look_up(reduces, how);
}

std::uint32_t kind_of(AllReduce how) {
  return look_up(all_reduces, how);
}

std::uint32_t kind_of(Scan how) {
  return look_up(scans, how);
}

std::uint32_t kind_of(Simple which) {
  return look_up(simple_ones, which);
}

}  // namespace lbsp::collectives
