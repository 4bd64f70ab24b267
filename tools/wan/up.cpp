#include "tools/wan/up.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/command_line/own_path.hpp"
#include "tools/command_line/shell_words.hpp"
#include "tools/profile/profile_file.hpp"
#include "tools/wan/bed/down.hpp"
#include "tools/wan/network/matrix_file.hpp"
#include "tools/wan/network/replay.hpp"
#include "tools/wan/router/router_process.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"

namespace lbsp::wan {

using bed::BedFolder;
using bed::BedLock;
using bed::BedRecord;
using network::PairSpecs;
using router::BedPlan;

namespace {

BedPlan plan_of(const UpOptions& options) {
  const int given =
      (options.wan ? 1 : 0) + (options.matrix_file.empty() ? 0 : 1) + (options.profile_file.empty() ? 0 : 1);
  if (given > 1) throw UsageError("--wan, --matrix and --profile say the same: give one of them");
  if (!options.matrix_file.empty()) {
    return {.specs = network::read_matrix_file(options.matrix_file),
            .network = "matrix " + options.matrix_file,
            .seed = options.seed};
  }
  if (!options.profile_file.empty()) {
    const auto profile = profile::read_profile(options.profile_file);
    BedPlan plan{.specs = network::specs_of(profile),
                 .network = "profile " + options.profile_file,
                 .seed = options.seed};
    for (const auto& host : profile.hosts)
      plan.represented.push_back(host.name);
    return plan;
  }
  if (!options.hosts) throw UsageError("how many hosts? write lbsp wan up -n N --wan SPEC");
  const auto spec = options.wan.value_or(transport::WanSpec{});
  return {.specs = PairSpecs(*options.hosts, spec), .network = to_string(spec), .seed = options.seed};
}

BedPlan checked_plan(const UpOptions& options) {
  BedPlan plan = plan_of(options);
  plan.tells = options.tells;
  plan.offloads = options.offloads;
  if (options.hosts && *options.hosts != plan.specs.hosts()) {
    throw UsageError(fmt::format("-n {} with the {}, which is for {}: leave -n out", *options.hosts,
                                 plan.network, counted(plan.specs.hosts(), "host")));
  }
  return plan;
}

/// Holds back the signals by which users end a command, so that none leaves half a bed behind. They strike when this
/// ends.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : numbers)
      sigaddset(&set, number);
    ::sigprocmask(SIG_BLOCK, &set, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

  /// Whether one has come that will end the process: under nohup, SIGHUP does not.
  bool one_waits() const {
    sigset_t waiting;
    ::sigpending(&waiting);
    return std::ranges::any_of(numbers, [&](int number) {
      struct sigaction action {};
      ::sigaction(number, nullptr, &action);
      return sigismember(&waiting, number) == 1 && action.sa_handler != SIG_IGN;
    });
  }

 private:
  static constexpr std::array numbers = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

  sigset_t before_{};
};

/// Under the lock. Whatever it throws, nothing is left.
BedRecord make_in(const BedFolder& folder, const BedPlan& plan) {
  if (folder.exists()) {
    throw UsageError(fmt::format("the bed {} is up already: end it with {}, or give another --name",
                                 folder.name(), bed::down_command(folder.name())));
  }
  if (::mkdir(folder.path().c_str(), 0700) != 0) {
    throw SystemError(
        fmt::format("{}: {}: lbsp wan keeps its beds there", folder.path().string(), std::strerror(errno)));
  }
  try {
    return router::start_router(folder, plan);
  } catch (...) {
    folder.remove();
    throw;
  }
}

}  // namespace

BedRecord make_bed(const UpOptions& options) {
  const BedFolder folder(options.name);
  const BedPlan plan = checked_plan(options);
  std::optional<HeldSignals> held;
  BedRecord bed = [&] {
    const BedLock lock;
    held.emplace();
    return make_in(folder, plan);
  }();
  if (held->one_waits()) bed::end_bed(folder);
  return bed;
}

std::string launch_agent(const BedFolder& folder) {
  const std::string command = command_line::quote_word(command_line::own_path()) + " wan exec --shell";
  return folder.name() == "wan" ? command : fmt::format("{} --name {}", command, folder.name());
}

}  // namespace lbsp::wan
