#include "tools/launch/request/survival_options.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <system_error>

#include "tools/command_line/whole_number.hpp"
#include "tools/launch/request/positive_duration.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::request {
namespace {

/// A process is there within a tenth of a second, on a busy host within seconds.
constexpr transport::Duration longest_wait_for_newcomers = std::chrono::seconds{10};

void set_on_failure(RunOptions& options, const std::string& text) {
  if (text != "abort" && text != "shrink" && text != "respawn")
    throw UsageError(fmt::format("--on-failure {}: use abort, shrink or respawn", text));
  options.exchange.outlives_ranks = text != "abort";
  options.exchange.newcomer_wait = text == "respawn" ? longest_wait_for_newcomers : transport::Duration{0};
}

/// Ranks may be in another folder than their launcher.
std::string whole_path(const std::string& text, const char* option) {
  if (text.empty()) throw UsageError(fmt::format("{} needs the name of a folder: give one", option));
  std::error_code error;
  const auto whole = std::filesystem::absolute(text, error);
  if (error)
    throw UsageError(
        fmt::format("{} {}: the current folder is not there any more: go to one that is", option, text));
  return whole.lexically_normal().string();
}

}  // namespace

void add_survival_options(command_line::CommandLine& line, RunOptions& options) {
  line.add(
      "--on-failure", [&](const auto& text) { set_on_failure(options, text); }, "WHAT",
      "when a rank is lost: abort (default): end the job; shrink: the others go on without it, if its program can; "
      "respawn: a new process takes its place, on the same host or in a spare slot of another");
  line.add(
      "--survive",
      [&](const auto& text) {
        options.survive = command_line::whole_number(text, "--survive", 1, job::most_survived);
      },
      "F",
      "with --on-failure shrink or respawn: so many hosts may be lost at once, and a program that keeps its ranks' states on "
      "other hosts still has them all; default 1");
  line.need("--survive", "--on-failure");
  line.add(
      "--checkpoint", [&](const auto& text) { options.checkpoint = whole_path(text, "--checkpoint"); }, "DIR",
      "keep the states of a program that keeps any in this folder of each host too, so that the job can be started "
      "again from there; the folder is made where there is none, in one that is there");
  line.add(
      "--restart", [&](const auto& text) { options.restart = whole_path(text, "--restart"); }, "DIR",
      "begin with the newest states that are whole in this folder, on as many ranks as saved them or fewer");
  line.add(
      "--mtbf", [&](const auto& text) { options.host_mtbf = positive_duration(text, "--mtbf"); }, "T",
      "the mean time between failures of a host, for a program that plans how often it keeps its ranks' states "
      "(Keep::planned, --keep auto); default 1h");
}

void check_survival(const RunOptions& options) {
  if (options.backend == job::Backend::mpi && !(options.checkpoint.empty() && options.restart.empty()))
    throw UsageError(
        "--checkpoint and --restart with --backend mpi: its ranks are not told: use --backend udp");
  if (options.host_mtbf && !options.exchange.outlives_ranks && options.checkpoint.empty())
    throw UsageError("--mtbf where no states are kept: use --on-failure shrink or respawn, or --checkpoint");
  if (!options.exchange.outlives_ranks && options.survive != 1)
    throw UsageError(fmt::format(
        "--survive {} with --on-failure abort: a lost host ends the job: use --on-failure shrink or respawn",
        options.survive));
  if (!options.exchange.outlives_ranks) return;
  const char* const what = options.respawns() ? "respawn" : "shrink";
  if (options.backend != job::Backend::udp) {
    throw UsageError(
        fmt::format("--on-failure {} with --backend {}: it ends with any of its ranks: use --backend udp",
                    what, job::name_of(options.backend)));
  }
  if (options.respawns() && options.port != 0) {
    throw UsageError(
        "--on-failure respawn with --port: a new process cannot have the port of a lost one: leave one of them out");
  }
  if (options.sharing == Sharing::on) {
    throw UsageError(fmt::format(
        "--on-failure {} with --shared-memory on: who is lost leaves shared memory as it was: leave one of "
        "them out",
        what));
  }
  if (!options.trace_file.empty()) {
    throw UsageError(
        fmt::format("--on-failure {} with --trace: a trace has one world only: leave one of them out", what));
  }
}

}  // namespace lbsp::launch::request
