#include "tools/launch/doors/attach_command.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "tools/command_line/command_line.hpp"
#include "tools/launch/doors/handed_files.hpp"
#include "tools/launch/doors/kept_files.hpp"
#include "tools/watch/job_socket.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp::launch::doors {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_looks_at_job{100};
/// One that is stopped answers later or never.
constexpr std::chrono::milliseconds patience_with_keeper{5'000};
/// From the death of an `lbsp run` until its job is kept, and more.
constexpr std::chrono::milliseconds being_kept{1'000};

constexpr const char* attach_footer =
    R"(JOB is the process id that its lbsp run had; it may be left out if there is only one. ^C ends the job, as at lbsp run.
Only jobs with --on-failure shrink or respawn go on after their lbsp run.

Example: lbsp attach 4711)";

volatile std::sig_atomic_t signal_for_the_job = 0;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// By what /proc/locks says: the lbsp that has locked the file with this number by flock(). 0: nobody, or it is not
/// of this container. Files of several file systems may have one number.
pid_t lock_holder(const std::string& locks, ino_t file) {
  std::istringstream lines(locks);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, kind, manner, access, process, place;
    words >> number >> kind >> manner >> access >> process >> place;
    if (kind != "FLOCK" || !place.ends_with(fmt::format(":{}", file))) continue;
    if (text_of(fmt::format("/proc/{}/comm", process)) == "lbsp\n") return process_id_in(process);
  }
  return 0;
}

/// Other signals that it gets are the job's.
std::string already_shown(pid_t by) {
  if (by == 0)
    return "another lbsp attach shows this job: end that one first, by kill -KILL, as other signals end the job";
  return fmt::format(
      "another lbsp attach shows this job, process {}: end that one first, by kill -KILL {}, as other signals end the "
      "job",
      by, by);
}

/// Those that are kept, for a moment if there are none: their `lbsp run` may have died just now.
std::vector<pid_t> await_jobs(pid_t wanted) {
  const auto is_another = [&](pid_t job) { return wanted != 0 && job != wanted; };
  for (const auto end = steady_clock::now() + being_kept;;) {
    std::vector<pid_t> found = ended_jobs();
    std::ranges::copy(watch::jobs(watch::Place::kept), std::back_inserter(found));
    std::erase_if(found, is_another);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (!found.empty() || steady_clock::now() >= end) return found;
    std::this_thread::sleep_for(between_looks_at_job);
  }
}

pid_t job_of(const std::string& word) {
  const pid_t wanted = process_id_in(word);
  if (!word.empty() && wanted == 0)
    throw UsageError(fmt::format("{} is no job: give the process id that its lbsp run had", word));
  const std::vector<pid_t> found = await_jobs(wanted);
  if (found.size() > 1)
    throw UsageError(fmt::format("{} jobs have lost their lbsp run: give one of {}", found.size(),
                                 fmt::join(found, ", ")));
  if (!found.empty()) return found.front();
  if (wanted == 0)
    throw UsageError(
        "no job of yours has lost its lbsp run on this machine: lbsp watch finds those that have one");
  throw UsageError(fmt::format(
      "no job {} of yours has lost its lbsp run on this machine: lbsp watch finds those that have one",
      wanted));
}

/// One of the job's files, as far as it has been shown.
class Shown {
 public:
  Shown(const std::string& path, int to) : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)), to_(to) {
    if (file_ < 0) throw SystemError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;
  ~Shown() { ::close(file_); }

  /// False: another attach shows it.
  bool is_ours() const { return ::flock(file_, LOCK_EX | LOCK_NB) == 0; }
  /// One that was killed has shown what is a hole now. The rest of the hole's last block reads as zeros.
  void skip_what_was_shown() {
    const off_t end = ::lseek(file_, 0, SEEK_END);
    const off_t data = ::lseek(file_, 0, SEEK_DATA);
    char block[block_bytes];
    const ssize_t count = data < 0 ? 0 : ::pread(file_, block, sizeof block, data);
    const char* const first =
        std::find_if(block, block + std::max<ssize_t>(count, 0), [](char c) { return c != 0; });
    shown_ = ::lseek(file_, data < 0 ? end : data + (first - block), SEEK_SET);
  }
  /// Of that other one; 0: not known.
  pid_t whose() const {
    struct stat status {};
    if (::fstat(file_, &status) != 0) return 0;
    return lock_holder(text_of("/proc/locks"), status.st_ino);
  }

  void show_more() {
    char piece[65536];
    for (ssize_t count = 0; (count = ::read(file_, piece, sizeof piece)) > 0;) {
      write_all({piece, static_cast<std::size_t>(count)});
      tail_.append(piece, static_cast<std::size_t>(count));
      if (tail_.size() > longest_tail) tail_.erase(0, tail_.size() - longest_tail);
      shown_ += count;
    }
    // Makes room for more, where the file system can.
    ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, shown_);
  }

  /// The end of what was shown.
  const std::string& tail() const { return tail_; }

 private:
  static constexpr std::size_t longest_tail = 8192;
  static constexpr std::size_t block_bytes = 4096;

  void write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(to_, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR)
        throw SystemError(fmt::format("cannot write what the job wrote: {}: the job goes on: attach again",
                                      std::strerror(errno)));
      if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  int file_;
  int to_;
  off_t shown_ = 0;
  std::string tail_;
};

/// Returns the end of what the job wrote on standard error. `handed`: by the process that keeps the job; none: it has
/// ended.
std::string show_to_the_end(const KeptFiles& files, const HandedFiles* handed) {
  Shown output(files.output, STDOUT_FILENO);
  if (!output.is_ours()) throw UsageError(already_shown(output.whose()));
  Shown errors(files.errors, STDERR_FILENO);
  output.skip_what_was_shown();
  errors.skip_what_was_shown();
  for (bool lives = true; lives;) {
    // Asked before the files are read: what it has written then is all.
    lives = handed != nullptr && handed->keeper_lives();
    output.show_more();
    errors.show_more();
    const int signal = std::exchange(signal_for_the_job, 0);
    if (signal != 0 && lives && handed->keeper() > 0) ::kill(handed->keeper(), signal);
    if (lives) std::this_thread::sleep_for(between_looks_at_job);
  }
  return errors.tail();
}

int show(const KeptFiles& files, const HandedFiles* handed) {
  const std::string shown = show_to_the_end(files, handed);
  const std::optional<KeptEnd> end = kept_end(files.code);
  if (end) remove_files(files);
  if (!end)
    throw UsageError("the process that kept the job was killed, and the job with it: see what killed it");
  if (!end->loss.empty()) print_error(end->loss);
  // A full disk may not have taken it.
  if (!end->last.empty() && shown.find(end->last) == std::string::npos) print_error(end->last);
  return end->code;
}

}  // namespace

int run_attach(const std::vector<std::string>& words) {
  std::string word;
  command_line::CommandLine line(
      "lbsp attach", "Shows what a job writes whose lbsp run has died, to its end.", attach_footer);
  line.add("JOB", word, "PID", "the process id that its lbsp run had");
  if (!line.parse(words)) return 0;
  const auto take_signals = [] {
    for (const int number : {SIGINT, SIGTERM})
      std::signal(number, [](int signal) { signal_for_the_job = signal; });
  };
  remove_left_folders();
  // A job may end, and be kept in its folder, while it is asked for its files.
  for (;;) {
    const pid_t job = job_of(word);
    if (const auto connection = watch::connect_to_job(job, watch::Place::kept)) {
      if (!HandedFiles::come(*connection, patience_with_keeper))
        throw UsageError(fmt::format(
            "the process that keeps job {} has not answered within {} s: see whether it is stopped", job,
            patience_with_keeper / std::chrono::seconds{1}));
      const HandedFiles handed(*connection);
      const auto files = handed.files();
      if (!files) {
        std::this_thread::sleep_for(between_looks_at_job);
        continue;
      }
      take_signals();
      return show(*files, &handed);
    }
    const KeptFiles files(job);
    if (!std::filesystem::exists(files.code)) continue;
    take_signals();
    return show(files, nullptr);
  }
}

}  // namespace lbsp::launch::doors
