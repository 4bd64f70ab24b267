#include "tools/programs/sort/sort_arguments.hpp"

#include "tools/programs/common_options.hpp"

namespace lbsp::programs::sort {
namespace {

constexpr auto sort_about =
    "Sorts keys by Batcher's bitonic merge sort, on 1, 2, 4, 8 … ranks. NaN come last. Prints one line: the\n"
    "number of keys, time, speed, and whether a single-process sort gives the same keys.\n";
constexpr auto sort_examples =
    "Examples:\n"
    "  lbsp run -n 4 -- bitonic_sort --size 1000000\n"
    "  lbsp run -n 8 -- bitonic_sort --in KEYS.npy --out SORTED.npy --descending\n"
    "  lbsp run -n 2 -- bitonic_sort --in KEYS.bin --type uint64 --out SORTED.npy\n";

/// More than any machine's memory holds.
constexpr std::uint64_t most_keys = std::uint64_t{1} << 42;

}  // namespace

std::optional<std::string> parse_sort(int count, const char* const* words, SortArguments& parsed) {
  command_line::CommandLine line("bitonic_sort", sort_about, sort_examples);
  know_lbsp_run(line);
  line.add_whole("--size", parsed.size, {0, most_keys}, "N: sort N random keys");
  line.add_whole("--seed", parsed.seed, "seed of the random keys, which are the same on any number of ranks");
  std::vector<std::string> types;
  for (const KeyType type : all_key_types)
    types.emplace_back(name_of(type));
  std::string type;
  line.add_choice("--type", type, types, "type of the keys [float64, or the type in the .npy file]");
  line.add(
      "--in", parsed.in, "FILE",
      "the keys: a one-dimensional .npy file, or a file with another name that holds little-endian keys of "
      "--type, one after another");
  line.exclude("--in", {"--size", "--seed"});
  line.add("--out", parsed.out, "FILE", "write the sorted keys to this .npy file");
  line.add_flag(
      "--descending", [&] { parsed.order = algorithms::SortOrder::descending; },
      "sort from the greatest to the least");
  add_keep(line, parsed.keep);
  add_verify(line, parsed.verify, "compare with a single-process sort; the default up to 2^24 keys");
  auto help = line.parse_silently(count, words);
  for (const KeyType one : all_key_types) {
    if (type == name_of(one)) parsed.type = one;
  }
  return help;
}

}  // namespace lbsp::programs::sort
