// A program for tests and measurements whose ranks have parts of their own, which other hosts keep: keeping_probe STEPS
// FOLDER EVERY [BYTES] [longest|mortal|DEADLY]. It saves its state, with so many bytes more, before each EVERY-th step.
// Its answer does not depend on how many ranks are left. With `longest`, each rank also says how long it was, at most,
// from one superstep's end to the next one's. Whatever process is rank 1 crashes in the step DEADLY, or with `mortal`
// in each world's ninth step.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lbsp/job/run.hpp"
#include "lbsp/partition.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/steps.hpp"
#include "tests/tools/programs/probe_marks.hpp"
#include "transport/splitmix.hpp"

namespace {

using lbsp::World;

constexpr std::size_t cells = 60;

struct Arguments {
  std::uint64_t steps = 0;
  std::string folder;
  std::uint64_t every = 10;
  std::size_t bytes = 0;
  bool longest = false;
  bool mortal = false;
  std::optional<std::uint64_t> deadly = {};
};

/// The cells that this rank has, by number.
struct State {
  std::map<std::uint64_t, std::uint64_t> part;
  std::vector<std::byte> more;

  template <class All>
  void fields(All& all) {
    all(part, more);
  }
};

/// All cells, wherever they are.
std::vector<std::uint64_t> gathered(World& world, const lbsp::Queue<std::uint64_t>& queue,
                                    const State& state) {
  for (const auto& [cell, value] : state.part) {
    for (lbsp::Rank to = 0; to < world.size(); ++to)
      queue.send(to, cell, value);
  }
  world.sync();
  std::vector<std::uint64_t> all(cells);
  for (const auto message : queue)
    all[message.tag()] = message.values()[0];
  return all;
}

void run(World& world, const Arguments& arguments, lbsp::test::Gaps& gaps) {
  const lbsp::Queue<std::uint64_t> queue(world);
  State state;
  const lbsp::Range mine = lbsp::part_of(cells, world.size(), world.rank());
  for (std::size_t cell = mine.begin; cell < mine.end(); ++cell)
    state.part[cell] = cell;
  state.more.resize(arguments.bytes);

  lbsp::Steps steps(world, state, arguments.steps, lbsp::Keep{.every = arguments.every});
  if (!world.change() && steps.first() > 0 && world.rank() == 0)
    std::printf("goes on with step %llu\n", static_cast<unsigned long long>(steps.first()));
  for (const auto& lost : steps.inherited())
    state.part.insert(lost.state.part.begin(), lost.state.part.end());
  for (const std::uint64_t step : steps) {
    if (step == lbsp::test::under_way && !world.change())
      lbsp::test::write_own_pid(arguments.folder, world.rank());
    const auto deadly = arguments.mortal ? steps.first() + 8 : arguments.deadly;
    if (step == deadly && world.rank() == 1) std::abort();
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
    const auto all = gathered(world, queue, state);
    for (auto& [cell, value] : state.part)
      value = lbsp::transport::splitmix(all[(cell + 1) % cells] + 3 * value);
    gaps.superstep_ended();
  }

  std::uint64_t answer = 0;
  for (const std::uint64_t value : gathered(world, queue, state))
    answer = lbsp::transport::splitmix(answer + value);
  lbsp::test::print_answer(world, answer);
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return 2;
  Arguments arguments{
      .steps = std::stoull(words[1]),
      .folder = words[2],
      .every = std::string_view(words[3]) == "auto" ? lbsp::Keep::planned : std::stoull(words[3])};
  if (count > 4) arguments.bytes = std::stoull(words[4]);
  const std::string_view deed = count > 5 ? words[5] : "";
  arguments.longest = deed == "longest";
  arguments.mortal = deed == "mortal";
  if (count > 5 && !arguments.longest && !arguments.mortal) arguments.deadly = std::stoull(words[5]);
  lbsp::test::Gaps gaps;
  const int code = lbsp::run([&](World& world) { run(world, arguments, gaps); });
  if (arguments.longest) std::printf("longest %.4f\n", gaps.longest());
  return code;
}
