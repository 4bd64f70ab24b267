#include "tools/launch/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "tools/command_line/screen.hpp"

namespace lbsp::launch {
namespace {

constexpr std::chrono::milliseconds interval{500};

}  // namespace

void ProgressLine::start() {
  if (!command_line::is_screen(STDERR_FILENO)) return;
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
                                    ranks.empty() ? "" : ", waiting for " + name_ranks(ranks)));
}

}  // namespace lbsp::launch
