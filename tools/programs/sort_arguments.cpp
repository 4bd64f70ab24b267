#include "tools/programs/sort_arguments.hpp"

#include <CLI/CLI.hpp>
#include <map>

#include "tools/programs/command_line.hpp"

namespace lbsp::programs {
namespace {

constexpr auto about =
    "Sorts keys by Batcher's bitonic merge sort, on 1, 2, 4, 8 … ranks. NaN come last. Prints one line: how\n"
    "many keys, time, speed, and whether they are what a single-process sort makes of them.\n";
constexpr auto examples =
    "Examples:\n"
    "  lbsp run -n 4 -- bitonic_sort --size 1000000\n"
    "  lbsp run -n 8 -- bitonic_sort --in KEYS.npy --out SORTED.npy --descending\n"
    "  lbsp run -n 2 -- bitonic_sort --in KEYS.bin --type uint64 --out SORTED.npy\n";

/// Beyond it no machine's memory goes.
constexpr std::size_t largest_size = std::size_t{1} << 42;

}  // namespace

std::optional<std::string> parse_sort(int count, const char* const* arguments, SortArguments& parsed) {
  CLI::App app(about, "bitonic_sort");
  app.footer(examples);
  auto* size = app.add_option("--size", parsed.size, "N: sort so many random keys")
                   ->check(CLI::Range(std::size_t{0}, largest_size))
                   ->capture_default_str();
  auto* seed = app.add_option("--seed", parsed.seed, "of the random keys; the same on any number of ranks")
                   ->check(CLI::NonNegativeNumber)
                   ->capture_default_str();
  std::vector<std::string> names;
  for (const KeyType type : all_key_types)
    names.emplace_back(name_of(type));
  std::string type;
  app.add_option("--type", type, "of the keys: float64 unless told, or what the .npy file holds")
      ->check(CLI::IsMember(names));
  app.add_option(
         "--in", parsed.in,
         "the keys: a one-dimensional .npy file; a file of another name holds keys of --type one after "
         "the other, little-endian")
      ->excludes(size, seed);
  app.add_option("--out", parsed.out, "write the sorted keys to this .npy file");
  bool descending = false;
  app.add_flag("--descending", descending, "from the greatest to the least");
  bool verify = false;
  bool no_verify = false;
  app.add_flag("--verify", verify, "compare with a single-process sort; done up to 2^24 keys if not told");
  app.add_flag("--no-verify", no_verify, "do not compare")->excludes("--verify");
  auto help = parse_command_line(app, count, arguments);
  for (const KeyType one : all_key_types) {
    if (type == name_of(one)) parsed.type = one;
  }
  if (descending) parsed.order = algorithms::SortOrder::descending;
  if (verify || no_verify) parsed.verify = verify;
  return help;
}

}  // namespace lbsp::programs
