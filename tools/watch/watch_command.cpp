#include "tools/watch/watch_command.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <poll.h>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

#include "tools/command_line/command_line.hpp"
#include "tools/command_line/json_nesting.hpp"
#include "tools/command_line/screen.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/model_command/answer.hpp"
#include "tools/watch/job_socket.hpp"
#include "tools/watch/view.hpp"
#include "transport/error.hpp"

namespace lbsp::watch {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds between_answers{500};
/// A launcher that is stopped, or very busy, answers later or never.
constexpr milliseconds patience{5000};
constexpr std::size_t most_answer_bytes = std::size_t{64} << 20;

constexpr const char* footer =
    R"(JOB is the process id of its lbsp run; it may be left out if there is only one. On a terminal the view is renewed
twice a second until the job ends; else, and where TERM is unset or dumb, it is printed once.

Example: lbsp watch
Example: lbsp watch 4711 --json -)";

struct Options {
  std::string job;
  bool once = false;
  std::string json;
};

/// What the job says, to the end of the connection; none: it has ended meanwhile.
std::optional<std::string> read_answer(int connection) {
  std::string text;
  const auto until = Clock::now() + patience;
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
    pollfd readable{connection, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&readable, 1, static_cast<int>(left.count())) == 0)
      throw UsageError(
          fmt::format("the job has not answered within {} s: see whether its lbsp run is stopped",
                      patience.count() / 1000));
    char piece[65536];
    const auto count = ::read(connection, piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(piece, static_cast<std::size_t>(count));
    if (text.size() > most_answer_bytes)
      throw UsageError("the job's answer does not end: it is no job of lbsp");
  }
  if (text.empty()) return std::nullopt;
  return text;
}

/// None: there is no such job any more.
std::optional<std::string> ask(pid_t job) {
  const auto connection = connect_to_job(job);
  if (!connection) return std::nullopt;
  struct Closed {
    int descriptor;
    ~Closed() { ::close(descriptor); }
  } const closed{*connection};
  return read_answer(*connection);
}

pid_t job_of(const std::string& word) {
  if (!word.empty()) {
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), pid);
    if (error != std::errc{} || end != word.data() + word.size() || pid <= 0)
      throw UsageError(fmt::format("{} is no job: give the process id of its lbsp run", word));
    return pid;
  }
  const std::vector<pid_t> found = jobs();
  if (found.empty()) throw UsageError("no job of yours runs on this machine: start one by lbsp run");
  if (found.size() > 1)
    throw UsageError(fmt::format("{} jobs run here: give one of {}", found.size(), fmt::join(found, ", ")));
  return found.front();
}

/// The last line ends too, and leaves the cursor below it.
Room room_of_terminal() {
  winsize window{};
  Room out;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0) return out;
  if (window.ws_row > 1) out.lines = window.ws_row - 1U;
  out.columns = command_line::screen_columns(STDOUT_FILENO);
  return out;
}

std::string first_answer(pid_t job) {
  auto answer = ask(job);
  if (!answer)
    throw UsageError(
        fmt::format("no job {} of yours runs here, or its ranks are not all there yet: lbsp watch "
                    "alone tells which do; those over MPI cannot be watched",
                    job));
  return *answer;
}

/// As view_of() takes it, which refuses what is no answer.
model_command::Json parsed(const std::string& answer) {
  if (command_line::nests_too_deep(answer)) return model_command::Json::value_t::discarded;
  return model_command::Json::parse(answer, nullptr, false);
}

void show_until_it_ends(pid_t job, std::string answer) {
  for (;;) {
    // From the top, over what was there; then nothing below.
    std::string screen = "\033[H";
    for (const char c : view_of(parsed(answer), room_of_terminal()))
      screen += c == '\n' ? std::string("\033[K\n") : std::string(1, c);
    command_line::write_output(screen + "\033[J");
    std::this_thread::sleep_for(between_answers);
    auto next = ask(job);
    if (!next) break;
    answer = std::move(*next);
  }
  command_line::write_output("The job has ended.\n");
}

}  // namespace

int run_watch(const std::vector<std::string>& words) {
  Options options;
  command_line::CommandLine line("lbsp watch", "What the ranks of a running job do, and whom they wait for.",
                                 footer);
  line.add("JOB", options.job, "PID", "the process id of its lbsp run");
  line.add_flag("--once", options.once, "print one view, also on a terminal");
  line.add("--json", options.json, "FILE", "write one answer as JSON to FILE; -: to standard output");
  if (!line.parse(words)) return 0;
  const pid_t job = job_of(options.job);
  const std::string answer = first_answer(job);
  if (options.json.empty() && !options.once && command_line::is_screen(STDOUT_FILENO)) {
    show_until_it_ends(job, answer);
  } else {
    const auto json = parsed(answer);
    model_command::answer(options.json, view_of(json), json);
  }
  return 0;
}

}  // namespace lbsp::watch
