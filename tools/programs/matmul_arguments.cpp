#include "tools/programs/matmul_arguments.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/programs/command_line.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::programs {
namespace {

constexpr auto about =
    "Multiplies two matrices on a square number of ranks, each of which has a block of each. Prints one "
    "line: sizes, time, speed, and how far the product is from a single-process "
    "one.\n";
constexpr auto examples =
    "Examples:\n"
    "  lbsp run -n 4 -- matmul --size 1024\n"
    "  lbsp run -n 9 -- matmul --size 4096 --memory 32MiB\n"
    "  lbsp run -n 9 -- matmul --precision single --a A.npy --b B.npy --out C.npy\n";

constexpr std::size_t largest_size = 1'000'000;

std::uint64_t parse_memory(const std::string& text) {
  try {
    return transport::parse_size(text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("matmul: --memory: {}: see matmul --help", error.what()));
  }
}

}  // namespace

std::optional<std::string> parse_matmul(int count, const char* const* arguments, MatmulArguments& parsed) {
  CLI::App app(about, "matmul");
  app.footer(examples);
  auto* size = app.add_option("--size", parsed.size, "N: multiply two random N x N matrices")
                   ->check(CLI::Range(std::size_t{1}, largest_size))
                   ->capture_default_str();
  auto* seed =
      app.add_option("--seed", parsed.seed, "of the random matrices; the same on any number of ranks")
          ->check(CLI::NonNegativeNumber)
          ->capture_default_str();
  std::string precision = "double";
  app.add_option("--precision", precision, "of the elements")
      ->check(CLI::IsMember({"single", "double"}))
      ->capture_default_str();
  std::string algorithm;
  app.add_option(
         "--algorithm", algorithm,
         "direct: one superstep; fox: broadcast, multiply, roll; summa: panel by panel [direct, or summa "
         "where --memory asks for it]")
      ->check(CLI::IsMember({"direct", "fox", "summa"}));
  std::string memory;
  app.add_option("--memory", memory,
                 "SIZE: the most that a rank's messages may hold at a time, such as 64MiB");
  auto* a = app.add_option("--a", parsed.a, "the left matrix, a .npy file")->excludes(size, seed);
  auto* b = app.add_option("--b", parsed.b, "the right matrix, a .npy file")->excludes(size, seed)->needs(a);
  a->needs(b);
  app.add_option("--out", parsed.out, "write the product to this .npy file");
  bool verify = false;
  bool no_verify = false;
  app.add_flag("--verify", verify,
               "compare with a single-process product; done up to the work of N = 4096 if not told");
  app.add_flag("--no-verify", no_verify, "do not compare")->excludes("--verify");
  auto help = parse_command_line(app, count, arguments);
  parsed.single_precision = precision == "single";
  if (algorithm == "direct") parsed.limits.algorithm = algorithms::ProductAlgorithm::direct;
  if (algorithm == "fox") parsed.limits.algorithm = algorithms::ProductAlgorithm::fox;
  if (algorithm == "summa") parsed.limits.algorithm = algorithms::ProductAlgorithm::summa;
  if (!memory.empty()) parsed.limits.memory_bytes = parse_memory(memory);
  if (verify || no_verify) parsed.verify = verify;
  return help;
}

}  // namespace lbsp::programs
