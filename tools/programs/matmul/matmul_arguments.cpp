#include "tools/programs/matmul/matmul_arguments.hpp"

#include <fmt/format.h>

#include "tools/programs/common_options.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::programs::matmul {
namespace {

constexpr auto matmul_about =
    "Multiplies two matrices on a square number of ranks; each rank has a block of each matrix. Prints one\n"
    "line: sizes, time, speed, and the product's relative error against a single-process one.\n";
constexpr auto matmul_examples =
    "Examples:\n"
    "  lbsp run -n 4 -- matmul --size 1024\n"
    "  lbsp run -n 9 -- matmul --size 4096 --memory 32MiB\n"
    "  lbsp run -n 9 -- matmul --precision single --a A.npy --b B.npy --out C.npy\n";

std::uint64_t parse_memory(const std::string& text) {
  try {
    return transport::parse_size(text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("matmul: --memory: {}: see matmul --help", error.what()));
  }
}

}  // namespace

std::optional<std::string> parse_matmul(int count, const char* const* words, MatmulArguments& parsed) {
  command_line::CommandLine line("matmul", matmul_about, matmul_examples);
  know_lbsp_run(line);
  line.add_whole("--size", parsed.size, {1, largest_side}, "N: multiply two random N x N matrices");
  line.add_whole("--seed", parsed.seed,
                 "seed of the random matrices, which are the same on any number of ranks");
  std::string precision = "double";
  line.add_choice("--precision", precision, {"single", "double"}, "precision of the elements");
  std::string algorithm;
  line.add_choice(
      "--algorithm", algorithm, {"direct", "fox", "summa"},
      "direct: one superstep; fox: broadcast, multiply, roll; summa: panel by panel [direct, or summa if "
      "--memory needs it]");
  std::string memory;
  line.add("--memory", memory, "SIZE", "the most that a rank's messages may hold at a time, such as 64MiB");
  line.add("--a", parsed.a, "FILE", "the left matrix, a .npy file");
  line.add("--b", parsed.b, "FILE", "the right matrix, a .npy file");
  for (const char* file : {"--a", "--b"})
    line.exclude(file, {"--size", "--seed"});
  line.need("--a", "--b");
  line.need("--b", "--a");
  line.add("--out", parsed.out, "FILE", "write the product to this .npy file");
  add_keep(line, parsed.keep);
  add_verify(line, parsed.verify,
             "compare with a single-process product; the default up to the work of N = 4096");
  auto help = line.parse_silently(count, words);
  parsed.single_precision = precision == "single";
  if (algorithm == "direct") parsed.limits.algorithm = algorithms::ProductAlgorithm::direct;
  if (algorithm == "fox") parsed.limits.algorithm = algorithms::ProductAlgorithm::fox;
  if (algorithm == "summa") parsed.limits.algorithm = algorithms::ProductAlgorithm::summa;
  if (!memory.empty()) parsed.limits.memory_bytes = parse_memory(memory);
  return help;
}

}  // namespace lbsp::programs::matmul
