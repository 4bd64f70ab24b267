#include "tools/launch/doors/join_command.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/command_line/command_line.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/launch/doors/kept_files.hpp"
#include "tools/launch/request/hosts_file.hpp"
#include "tools/watch/job_socket.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::doors {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// The job's own limits end sooner.
constexpr std::chrono::minutes longest_wait_for_answer{10};

constexpr const char* footer_of_join =
    R"(JOB is the process id of its lbsp run. HOST is a name that ssh knows, as in a hosts file; localhost is this machine.
One process is started there. It becomes the job's last rank when all ranks have kept their states next, and the
command ends then. Only programs that can go on with more ranks take any: jacobi, dataflow, and those whose
Keep, or a graph's RunOptions, says grows.

Example: lbsp join 4711 node7)";

class DoorConnection {
 public:
  explicit DoorConnection(int descriptor) : descriptor_(descriptor) {}
  DoorConnection(const DoorConnection&) = delete;
  DoorConnection& operator=(const DoorConnection&) = delete;
  ~DoorConnection() { ::close(descriptor_); }

  void say(const std::string& line) const {
    if (::send(descriptor_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
      throw_ended();
  }

  std::string answer() const {
    const auto end = steady_clock::now() + longest_wait_for_answer;
    std::string text;
    while (text.empty() || text.back() != '\n') {
      const auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now());
      pollfd readable{descriptor_, POLLIN, 0};
      const int ready = left.count() > 0 ? ::poll(&readable, 1, static_cast<int>(left.count())) : 0;
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0)
        throw UsageError(
            fmt::format("the job has not answered within {} minutes: see whether its lbsp run is stopped",
                        longest_wait_for_answer.count()));
      char piece[4096];
      const auto count = ::read(descriptor_, piece, sizeof piece);
      if (count <= 0) throw_ended();
      text.append(piece, static_cast<std::size_t>(count));
    }
    text.pop_back();
    return text;
  }

 private:
  [[noreturn]] static void throw_ended() {
    throw UsageError("the job has ended before the host could join: start one that lasts longer");
  }

  int descriptor_;
};

/// As a line of a hosts file. Throws UsageError if they cannot be in one.
std::string host_line(const std::string& host, const std::string& user, const std::string& address) {
  request::check_host_options({.name = host, .user = user, .address = address});
  std::string line = host;
  if (!user.empty()) line += " user=" + user;
  if (!address.empty()) line += " address=" + address;
  return line + "\n";
}

}  // namespace

int run_join(const std::vector<std::string>& words) {
  std::string job_word;
  std::string host;
  std::string user;
  std::string address;
  command_line::CommandLine line("lbsp join", "A host more for a running job.", footer_of_join);
  line.add("JOB", job_word, "PID", "the process id of its lbsp run");
  line.add("HOST", host, "HOST", "where its new rank is to run");
  line.add("--user", user, "NAME", "to log in as there; default: ssh's own choice");
  line.add("--address", address, "ADDRESS",
           "where its datagrams are to be sent; default: what its name resolves to");
  if (!line.parse(words)) return 0;
  if (host.empty())
    throw UsageError(
        "no host to join a job: write lbsp join PID HOST; lbsp watch tells the jobs that run here");
  const int job = process_id_in(job_word);
  if (job == 0) throw UsageError(fmt::format("{} is no job: give the process id of its lbsp run", job_word));
  const std::string text = host_line(host, user, address);
  const auto descriptor = watch::connect_to_job(job, watch::Place::door);
  if (!descriptor)
    throw UsageError(fmt::format(
        "no job {} of yours runs here that others may join, or its ranks are not all there yet: lbsp watch tells "
        "which do; those over MPI cannot grow",
        job));
  const DoorConnection connection(*descriptor);
  connection.say(text);
  const std::string answer = connection.answer();
  if (!answer.starts_with("joined")) throw UsageError(answer);
  command_line::write_output(answer + "\n");
  return 0;
}

}  // namespace lbsp::launch::doors
