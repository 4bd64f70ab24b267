#include "tools/launch/terminal/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "tools/command_line/screen.hpp"
#include "tools/launch/places/rank_names.hpp"
#include "transport/counted.hpp"

namespace lbsp::launch::terminal {
namespace {

constexpr std::chrono::milliseconds interval{500};
constexpr std::chrono::milliseconds usual_start{2000};

}  // namespace

void ProgressLine::await(const ranks::StartUp& start_up) {
  if (!command_line::is_screen(STDERR_FILENO)) return;
  started_ = std::chrono::steady_clock::now();
  timer_.start(usual_start, [this, &start_up] { show_start(start_up); });
}

void ProgressLine::show_start(const ranks::StartUp& start_up) {
  timer_.start(interval, [this, &start_up] { show_start(start_up); });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
  output_.show_progress(fmt::format("starting, {:.1f} s, {} of {} are there", elapsed.count(),
                                    start_up.there(),
                                    counted(start_up.spawns().size(), "process", "processes")));
}

void ProgressLine::start() {
  if (!command_line::is_screen(STDERR_FILENO)) return;
  output_.clear_progress();
  started_ = std::chrono::steady_clock::now();
  show();
}

void ProgressLine::show() {
  timer_.start(interval, [this] { show(); });
  if (!progress_.known()) return;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> elapsed = now - started_;
  const auto ranks = progress_.waited_for(now);
  output_.show_progress(fmt::format("superstep {}, {:.1f} s{}", progress_.superstep(), elapsed.count(),
                                    ranks.empty() ? "" : ", waiting for " + places::name_ranks(ranks)));
}

}  // namespace lbsp::launch::terminal
