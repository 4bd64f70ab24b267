#include "tools/programs/sort/sort_input.hpp"

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <span>
#include <string>
#include <utility>

#include "algorithms/hashed_matrix.hpp"
#include "lbsp/collectives/broadcast.hpp"
#include "lbsp/collectives/gather.hpp"
#include "lbsp/partition.hpp"
#include "tools/programs/memory.hpp"
#include "tools/programs/npy.hpp"
#include "transport/error.hpp"
#include "transport/splitmix.hpp"

namespace lbsp::programs::sort {
namespace {

namespace fs = std::filesystem;

/// A rank has its keys, the half it makes of them, and the messages that go and come.
constexpr double copies_while_sorting = 4;

/// Rank 0 has the file's keys and the messages in which they go.
constexpr double copies_while_dealing = 2;

bool is_npy(const std::string& path) {
  return path.ends_with(".npy");
}

KeyType type_in(const std::string& path) {
  if (!is_npy(path)) {
    throw UsageError(
        fmt::format("{} is taken for raw keys, as it is not named .npy: give their --type, one of {}", path,
                    key_type_names()));
  }
  const std::string descr = npy_descr(path);
  for (const KeyType type : all_key_types) {
    if (descr == descr_of(type)) return type;
  }
  throw UsageError(
      fmt::format("cannot sort the keys of {}: they are none of {}: convert them with numpy's astype", path,
                  key_type_names()));
}

template <class K>
std::vector<K> read_raw(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    throw UsageError(fmt::format("cannot read {}: it is no regular file: give a file of keys", path));
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error || bytes % sizeof(K) != 0) {
    throw UsageError(
        fmt::format("cannot read {}: its {} bytes are no whole number of {}-byte keys: give the --type "
                    "they were written in",
                    path, bytes, sizeof(K)));
  }
  std::vector<K> keys(bytes / sizeof(K));
  std::ifstream stream(path, std::ios::binary);
  stream.read(reinterpret_cast<char*>(keys.data()), static_cast<std::streamsize>(bytes));
  if (!stream) throw UsageError(fmt::format("cannot read {}: it cannot be opened: make it readable", path));
  return keys;
}

template <class K>
std::vector<K> read_keys(const std::string& path) {
  std::error_code ignored;
  const auto bytes = fs::file_size(path, ignored);
  if (!ignored) require_memory(copies_while_dealing * static_cast<double>(bytes), "dealing out " + path);
  return is_npy(path) ? read_npy<K>(path, 1).values : read_raw<K>(path);
}

/// Floating-point keys are uniform in [-1, 1), integers over all they can be.
template <class K>
std::vector<K> random_keys(std::uint64_t seed, Range range) {
  const algorithms::HashedMatrix floats(seed, 0);
  const std::uint64_t start = transport::splitmix(seed);
  std::vector<K> keys(range.count);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if constexpr (std::is_floating_point_v<K>) {
      keys[i] = floats.at<K>(0, range.begin + i);
    } else {
      keys[i] = static_cast<K>(transport::splitmix(start + range.begin + i) >> (64 - 8 * sizeof(K)));
    }
  }
  return keys;
}

void require_memory_to_sort(std::size_t keys, std::size_t key_bytes, const World& world) {
  require_memory_of_part(static_cast<double>(keys), copies_while_sorting * static_cast<double>(key_bytes),
                         world, fmt::format("{} keys", keys));
}

}  // namespace

KeyType key_type_of(World& world, const SortArguments& arguments) {
  if (arguments.type) return *arguments.type;
  if (arguments.in.empty()) return KeyType::float64;
  std::array<KeyType, 1> type{};
  if (world.rank() == 0) type[0] = type_in(arguments.in);
  broadcast(world, type);
  return type[0];
}

template <class K>
SortInput<K> make_sort_input(World& world, const SortArguments& arguments) {
  SortInput<K> input;
  input.keys = arguments.size;
  if (arguments.in.empty()) {
    require_memory_to_sort(input.keys, sizeof(K), world);
    input.own = random_keys<K>(arguments.seed, part_of(input.keys, world.size(), world.rank()));
    return input;
  }
  if (world.rank() == 0) input.whole = read_keys<K>(arguments.in);
  std::array<std::size_t, 1> keys{input.whole.size()};
  broadcast(world, keys);
  input.keys = keys[0];
  require_memory_to_sort(input.keys, sizeof(K), world);
  input.own = scatter(world, input.whole);
  return input;
}

template <class K>
std::vector<K> all_random_keys(const SortArguments& arguments) {
  return random_keys<K>(arguments.seed, {0, arguments.size});
}

template SortInput<std::int32_t> make_sort_input(World&, const SortArguments&);
template SortInput<std::int64_t> make_sort_input(World&, const SortArguments&);
template SortInput<std::uint64_t> make_sort_input(World&, const SortArguments&);
template SortInput<float> make_sort_input(World&, const SortArguments&);
template SortInput<double> make_sort_input(World&, const SortArguments&);

template std::vector<std::int32_t> all_random_keys(const SortArguments&);
template std::vector<std::int64_t> all_random_keys(const SortArguments&);
template std::vector<std::uint64_t> all_random_keys(const SortArguments&);
template std::vector<float> all_random_keys(const SortArguments&);
template std::vector<double> all_random_keys(const SortArguments&);

}  // namespace lbsp::programs::sort
