#include "tools/probe/probe_command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <memory>
#include <span>
#include <unistd.h>

#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/screen.hpp"
#include "tools/command_line/shell_words.hpp"
#include "tools/command_line/signal_name.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/probe/compute_rates.hpp"
#include "tools/probe/key_file.hpp"
#include "tools/probe/listen.hpp"
#include "tools/probe/measure.hpp"
#include "tools/probe/options.hpp"
#include "tools/probe/report.hpp"
#include "tools/probe/survey.hpp"
#include "tools/probe/worker.hpp"
#include "tools/profile/profile_file.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp::probe {
namespace {

/// The files that were asked for, opened before the measurement costs any time.
class Files {
 public:
  explicit Files(const ProbeOptions& options)
      : json_file_(options.json_file), json_to_output_(options.json_file == "-") {
    if (!options.json_file.empty() && !json_to_output_)
      json_ = std::make_unique<command_line::AtomicFile>(options.json_file);
    if (!options.svg_file.empty()) svg_ = std::make_unique<command_line::AtomicFile>(options.svg_file);
  }

  /// What is measured so far, now and then: the rest may never come.
  void save(const Survey& survey) {
    const auto now = std::chrono::steady_clock::now();
    if (!json_ || now < next_save_) return;
    next_save_ = now + std::chrono::seconds{2};
    put(*json_, profile::to_json(survey.profile()));
    json_ = std::make_unique<command_line::AtomicFile>(json_file_);
  }

  /// The files first: standard output may have been closed meanwhile, and what was measured is worth more.
  void write(const profile::Profile& profile) {
    const std::string json = profile::to_json(profile);
    try {
      if (json_) put(*json_, json);
      if (svg_) put(*svg_, profile_as_svg(profile));
    } catch (...) {
      print(profile, json);
      throw;
    }
    print(profile, json);
  }

 private:
  void print(const profile::Profile& profile, const std::string& json) const {
    // The JSON has standard output for itself.
    fmt::print(json_to_output_ ? stderr : stdout, "{}", profile_as_text(profile));
    if (json_to_output_) fmt::print("{}", json);
    command_line::flush_output();
  }

  static void put(command_line::AtomicFile& file, const std::string& text) {
    file.write(text);
    file.commit();
  }

  std::string json_file_;
  bool json_to_output_;
  std::chrono::steady_clock::time_point next_save_;
  std::unique_ptr<command_line::AtomicFile> json_;
  std::unique_ptr<command_line::AtomicFile> svg_;
};

std::string local_name(const std::string& other) {
  char name[256] = "";
  const bool known = ::gethostname(name, sizeof name - 1) == 0 && name[0] != '\0';
  return known && name != other ? name : "here";
}

int measure_one(const ProbeOptions& options) {
  Files files(options);
  const auto key = read_key(options.key_file);
  profile::Profile profile;
  profile.measured_at = time_now();
  profile.hosts = {{local_name(options.host), std::nullopt}, {options.host, std::nullopt}};
  if (options.compute) profile.hosts[0].compute = rates_of_this_host();
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  const auto progress = [&](double part) {
    if (!terminal) return;
    const std::string line = fmt::format("{:3.0f} % measured of {}", part * 100, options.host);
    fmt::print(stderr, "\r\x1b[K{}", command_line::fitted(line, command_line::screen_columns(STDERR_FILENO)));
  };
  // The two ends' faults must differ, though both may be given the same seed.
  const Impairment impairment{options.wan, ~options.seed};
  const auto result = measure_pair({options.host, options.port}, key, options.plan, impairment, progress);
  if (terminal) fmt::print(stderr, "\r\x1b[K");
  profile.pairs = result.pairs;
  if (options.compute) profile.hosts[1].compute = result.other_rates;
  for (const std::string& note : result.notes)
    fmt::print(stderr, "lbsp: {}: {}\n", options.host, note);
  if (result.limited_by_sender > 0)
    fmt::print(stderr, "lbsp: {}: {}\n", options.host, note_of_limited(result.limited_by_sender));
  if (profile.pairs.empty())
    throw Error(fmt::format("{}: too little arrived to measure: try other --packet-sizes", options.host));
  files.write(profile);
  const auto back = [](const auto& pair) { return pair.from == 1; };
  if (std::ranges::all_of(profile.pairs, back) || std::ranges::none_of(profile.pairs, back))
    throw Error(
        fmt::format("{}: only one direction could be measured: try other --packet-sizes", options.host));
  return 0;
}

/// With what says how the hosts are reached.
std::string command_to_resume(const ProbeOptions& options) {
  std::string command = "lbsp probe";
  if (!options.hosts_file.empty())
    command += fmt::format(" --hosts {}", command_line::quote_word(options.hosts_file));
  if (!options.launch_agent.empty()) {
    std::vector<std::string> agent;
    std::ranges::transform(options.launch_agent, std::back_inserter(agent), command_line::quote_word);
    command +=
        fmt::format(" --launch-agent {}", command_line::quote_word(fmt::format("{}", fmt::join(agent, " "))));
  }
  if (!options.remote_lbsp.empty())
    command += fmt::format(" --remote-lbsp {}", command_line::quote_word(options.remote_lbsp));
  const bool kept = !options.json_file.empty() && options.json_file != "-";
  return command +
         fmt::format(" --resume {}", kept ? command_line::quote_word(options.json_file) : "FILE.json");
}

std::string what_is_missing(const ProbeOptions& options, std::size_t missing) {
  return fmt::format("{} {} not measured: measure {} with {}", counted(missing, "pair"),
                     missing == 1 ? "is" : "are", missing == 1 ? "it" : "them", command_to_resume(options));
}

int measure_all(const ProbeOptions& options) {
  auto plan = plan_survey(options);
  Files files(options);
  Survey survey(options, std::move(plan));
  survey.on_pair([&](const Survey& now) { files.save(now); });
  survey.run();
  const int signal = survey.interrupted_by();
  const bool none = survey.profile().pairs.empty();
  if (none && signal == 0) throw Error("no pair could be measured: see the lines above");
  if (!none) files.write(survey.profile());
  if (survey.missing() == 0) return 0;
  const std::string rest = what_is_missing(options, survey.missing());
  if (signal == 0) throw Error(rest);
  const std::string name = command_line::signal_name(signal);
  print_error(none ? fmt::format("ended by {}, before any pair was measured", name)
                   : fmt::format("ended by {}: {}", name, rest));
  return 128 + signal;
}

}  // namespace

int run_probe(const std::vector<std::string>& arguments) {
  const auto options = parse_probe_options(arguments);
  if (!options) return 0;
  if (options->worker) return run_worker();
  if (options->listen) return listen(*options);
  return options->port != 0 ? measure_one(*options) : measure_all(*options);
}

}  // namespace lbsp::probe
