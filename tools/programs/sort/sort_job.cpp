#include "tools/programs/sort/sort_job.hpp"

#include <fmt/format.h>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/bitonic_sort.hpp"
#include "algorithms/sort_verification.hpp"
#include "lbsp/collectives/gather.hpp"
#include "lbsp/collectives/reduce.hpp"
#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/short_number.hpp"
#include "tools/programs/memory.hpp"
#include "tools/programs/npy.hpp"
#include "tools/programs/slowest.hpp"
#include "tools/programs/sort/sort_input.hpp"

namespace lbsp::programs::sort {
namespace {

template <class K>
using Keys = std::vector<K>;

std::string summarise(const World& world, std::size_t keys, KeyType type, const SortArguments& arguments,
                      Seconds time) {
  const bool descending = arguments.order == algorithms::SortOrder::descending;
  return fmt::format("bitonic_sort: N={} P={} {}{} {} s, {} Mkey/s", keys, world.size(), name_of(type),
                     descending ? " descending" : "", command_line::short_number(time.count()),
                     command_line::short_number(static_cast<double>(keys) / time.count() / 1e6));
}

/// What is wrong with the keys, in the eyes of all ranks; empty if nothing.
template <class K>
std::string check_together(World& world, const algorithms::KeySum& own_before, const Keys<K>& own,
                           algorithms::SortOrder order) {
  const auto before = all_reduce(world, own_before, std::plus{});
  const auto check = algorithms::check_sorted<K>(world, own, order);
  if (!check.sorted) return "the keys are not in order";
  if (check.sum != before) return "the sorted keys are not those of the input";
  return {};
}

template <class K>
void verify(World& world, std::string wrong, const Keys<K>& sorted, Keys<K> all, algorithms::SortOrder order,
            Outcome& outcome) {
  algorithms::sort_alone<K>(all, order);
  if (wrong.empty() && !algorithms::same_bits<K>(sorted, all))
    wrong = "the keys differ from a single-process sort's";
  world.set_verified(wrong.empty());
  outcome.summary += wrong.empty() ? ", verified" : ", not verified";
  if (!wrong.empty()) outcome.refutation = wrong + ": report it, with the input";
}

template <class K>
Outcome sort_keys(World& world, const SortArguments& arguments, KeyType type) {
  // A place that cannot be written is found before the work, not after it.
  std::optional<command_line::AtomicFile> out;
  if (world.rank() == 0 && !arguments.out.empty()) out.emplace(arguments.out);

  SortInput<K> input = make_sort_input<K>(world, arguments);
  const bool verifies = arguments.verifies(input.keys);
  const bool collects = verifies || !arguments.out.empty();
  if (world.rank() == 0 && collects) {
    // The messages in which they come, and the whole; the same again to sort them alone.
    require_memory((verifies ? 4. : 2.) * static_cast<double>(input.keys * sizeof(K)),
                   fmt::format("all {} keys on rank 0, to write or verify them,", input.keys));
  }
  const auto sum = algorithms::sum_of<K>(input.own);
  const Seconds begin = world.time();
  const Keys<K> own = algorithms::bitonic_sort(world, std::move(input.own), arguments.order, arguments.keep);
  const Seconds time = slowest(world, world.time() - begin);

  const std::string wrong = verifies ? check_together(world, sum, own, arguments.order) : std::string{};
  const Keys<K> sorted = collects ? gather(world, own) : Keys<K>{};
  Outcome outcome;
  if (world.rank() != 0) return outcome;

  outcome.summary = summarise(world, input.keys, type, arguments, time);
  if (verifies) {
    Keys<K> all = arguments.in.empty() ? all_random_keys<K>(arguments) : std::move(input.whole);
    verify(world, wrong, sorted, std::move(all), arguments.order, outcome);
  }
  if (out && outcome.refutation.empty()) {
    write_npy<K>(*out, {sorted.size()}, sorted);
    out->commit();
  }
  return outcome;
}

}  // namespace

Outcome sort_job(World& world, const SortArguments& arguments) {
  algorithms::bitonic_schedule(world.rank(), world.size());  // refused before any file is looked at
  const KeyType type = key_type_of(world, arguments);
  return with_key_type(type, [&]<class K>() { return sort_keys<K>(world, arguments, type); });
}

}  // namespace lbsp::programs::sort
