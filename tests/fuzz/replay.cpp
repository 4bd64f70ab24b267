// Runs the fuzz targets without libFuzzer: each input of a target's corpus, and copies of it that are changed at
// random, the same in every run. Any compiler builds it, so that every build of the tests tries all targets.
//   fuzz_replay TARGET FOLDER COPIES
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

// One for each target: its LLVMFuzzerTestOneInput(), which the build gives its name.
#define LBSP_FUZZ_TARGET(name) extern "C" int lbsp_fuzz_##name(const std::uint8_t* data, std::size_t size);
LBSP_FUZZ_TARGETS
#undef LBSP_FUZZ_TARGET

namespace {

using Input = std::vector<std::uint8_t>;
using Run = int (*)(const std::uint8_t* data, std::size_t size);

struct Target {
  const char* name;
  Run run;
};

#define LBSP_FUZZ_TARGET(name) {#name, lbsp_fuzz_##name},
constexpr Target targets[] = {LBSP_FUZZ_TARGETS};
#undef LBSP_FUZZ_TARGET

std::vector<Input> inputs_in(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Input> inputs;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return inputs;
}

/// One to four changes: a bit is turned, a byte is another, the end is cut off, or another input's end follows.
Input changed(Input input, const std::vector<Input>& all, std::mt19937_64& random) {
  for (std::uint64_t change = 0; change < 1 + random() % 4; ++change) {
    const std::size_t at = input.empty() ? 0 : static_cast<std::size_t>(random() % input.size());
    const Input& other = all[static_cast<std::size_t>(random() % all.size())];
    switch (random() % 4) {
      case 0:
        if (!input.empty()) input[at] = static_cast<std::uint8_t>(input[at] ^ (1U << (random() % 8)));
        break;
      case 1:
        if (!input.empty()) input[at] = static_cast<std::uint8_t>(random());
        break;
      case 2:
        input.resize(at);
        break;
      default:
        input.resize(at);
        input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(std::min(at, other.size())),
                     other.end());
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  const auto* const target =
      argc == 4 ? std::ranges::find_if(
                      targets, [&](const Target& each) { return std::strcmp(each.name, argv[1]) == 0; })
                : std::end(targets);
  if (target == std::end(targets)) {
    std::fprintf(stderr,
                 "lbsp: no such target: give a target, the folder of its inputs and a number of copies\n");
    return 2;
  }
  const std::vector<Input> inputs = inputs_in(argv[2]);
  if (inputs.empty()) {
    std::fprintf(stderr, "lbsp: no inputs in %s: a target needs one at least\n", argv[2]);
    return 1;
  }
  std::mt19937_64 random(1);
  const long copies = std::strtol(argv[3], nullptr, 10);
  for (const Input& input : inputs) {
    target->run(input.data(), input.size());
    for (long copy = 0; copy < copies; ++copy) {
      const Input other = changed(input, inputs, random);
      target->run(other.data(), other.size());
    }
  }
  std::printf("%s: %zu inputs, %ld changed copies of each, none breaks it\n", target->name, inputs.size(),
              copies);
}
