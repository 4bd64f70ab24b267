#include "tests/tools/command.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/support/sanitized.hpp"

namespace lbsp::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void redirect(const std::string& path, int flags, int descriptor) {
  const int file = ::open(path.c_str(), flags, 0600);
  ::dup2(file, descriptor);
  ::close(file);
}

}  // namespace

std::vector<char*> arguments_of(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const auto& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::string reason_in(const Outcome& outcome) {
  std::istringstream lines(outcome.errors);
  std::string reason;
  bool in_report = false;
  for (std::string line; std::getline(lines, line);) {
    const bool heading = line.starts_with("lbsp: ") && line.ends_with(", NOT FINISHED");
    in_report = heading || (in_report && line.starts_with("  "));
    if (!in_report) reason += line + "\n";
  }
  return reason;
}

Command::Command(const std::vector<std::string>& words, const CommandSettings& settings) {
  folder_.write("input", settings.input);
  const std::vector<char*> arguments = arguments_of(words);
  pid_ = ::fork();
  if (pid_ != 0) return;
  ::setpgid(0, 0);
  redirect(folder_.path() / "input", O_RDONLY, STDIN_FILENO);
  redirect(folder_.path() / "output", O_WRONLY | O_CREAT | O_APPEND, STDOUT_FILENO);
  redirect(folder_.path() / "errors", O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO);
  for (const auto& [name, value] : settings.environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  if (!settings.directory.empty() && ::chdir(settings.directory.c_str()) != 0) ::_exit(126);
  ::execvp(arguments[0], arguments.data());
  ::_exit(126);
}

Command::~Command() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Command::signal(int number) const {
  ::kill(pid_, number);
}

Outcome Command::wait(std::chrono::seconds patience) {
  Outcome outcome;
  int status = 0;
  if (!wait_until([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }, patience)) {
    outcome.timed_out = true;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, &status, 0);
  }
  pid_ = -1;
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.output = folder_.read("output");
  outcome.errors = folder_.read("errors");
  return outcome;
}

std::vector<std::vector<std::string>> all_carriers() {
  return {{"--backend", "udp"}, {"--backend", "threads"}, {"--shared-memory", "on"}};
}

std::string built(const std::string& name) {
  return std::string(LBSP_BIN) + "/" + name;
}

std::vector<std::string> lbsp_run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {built("lbsp"), "run"});
  return arguments;
}

Outcome run(const std::vector<std::string>& arguments, const CommandSettings& settings) {
  return Command(lbsp_run(arguments), settings).wait();
}

bool wait_until(const std::function<bool()>& reached, std::chrono::seconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience * patience_factor;
  while (!reached()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

std::vector<int> wait_for_pids(const TemporaryFolder& folder, int ranks) {
  std::vector<int> pids;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string name = folder.path() / std::to_string(rank);
    if (!wait_until([&] { return fs::exists(name); }, 40s)) break;
    pids.push_back(std::stoi(read_file(name)));
  }
  return pids;
}

int child_of(int parent, const std::string& name) {
  std::error_code ignored;
  for (const auto& process : fs::directory_iterator("/proc", ignored)) {
    const std::string status = read_file(process.path() / "stat");
    const auto name_end = status.rfind(')');
    if (name_end == std::string::npos || status.find("(" + name + ")") == std::string::npos) continue;
    if (std::stoi(status.substr(name_end + 4)) == parent) return std::stoi(status);
  }
  return 0;
}

std::chrono::milliseconds processor_time(int pid) {
  clockid_t clock = 0;
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return {};
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::seconds{time.tv_sec} +
                                                               std::chrono::nanoseconds{time.tv_nsec});
}

bool disappears(int pid) {
  return wait_until(
      [&] {
        const std::string status = read_file("/proc/" + std::to_string(pid) + "/stat");
        const auto name_end = status.rfind(')');
        return status.empty() || (name_end != std::string::npos && status.substr(name_end + 2, 1) == "Z");
      },
      20s);
}

}  // namespace lbsp::test
