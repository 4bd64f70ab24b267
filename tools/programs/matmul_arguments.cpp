#include "tools/programs/matmul_arguments.hpp"

#include <CLI/CLI.hpp>

#include "tools/programs/command_line.hpp"

namespace lbsp::programs {
namespace {

constexpr auto about =
    "Multiplies two matrices on a square number of ranks, each of which gathers a row of A-blocks and a "
    "column\n"
    "of B-blocks. Prints one line: sizes, time, speed, and how far the product is from a single-process "
    "one.\n";
constexpr auto examples =
    "Examples:\n"
    "  lbsp run -n 4 -- matmul --size 1024\n"
    "  lbsp run -n 9 -- matmul --precision single --a A.npy --b B.npy --out C.npy\n";

constexpr std::size_t largest_size = 1'000'000;

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
  if (verify || no_verify) parsed.verify = verify;
  return help;
}

}  // namespace lbsp::programs
