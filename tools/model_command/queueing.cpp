#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include "model/queueing/prediction.hpp"
#include "tools/calibration/recorded_placement.hpp"
#include "tools/calibration/trace_list.hpp"
#include "tools/model_command/answer.hpp"
#include "tools/model_command/model_command.hpp"
#include "transport/error.hpp"

namespace lbsp::model_command {
namespace {

using model::queueing::Host;
using model::queueing::MessageLaw;
using model::queueing::Placement;
using model::queueing::Reading;
using model::queueing::SendLaw;

constexpr const char* queueing_footer =
    R"(The network is solved exactly. Without --placement the answer is the equal number of processes on each host, up to
twice its cores, for which the program is fastest: beyond it more processes do not pay. With --runs the program and the
constants are those of these runs; the hosts are then theirs by name, h9 before h10. docs/predictors.md has the formulas.

Example: lbsp model queueing --runs one.trace,two.trace,three.trace --hosts 8,8
Example: lbsp model queueing --hosts 8,8,12:1.05 --placement 4,4,4 --cpu 2400 --net 1.3 --compute-share 85% --message-law power --message 2e6,0.5 --sends 900,4000 --byte-seconds 8e-9 --json -)";

constexpr double most_processes = 1024;  // what is computed grows with their square times the hosts
constexpr double most_cores = 65536;
constexpr std::size_t most_hosts = 256;

struct QueueingOptions {
  std::vector<Host> hosts;
  std::vector<int> placement;
  std::optional<double> cpu;
  std::optional<double> net;
  std::optional<double> compute_share;
  MessageLaw::Form form = MessageLaw::Form::power;
  std::optional<std::pair<double, double>> message;
  std::optional<std::pair<double, double>> sends;
  double startup = 0;
  double delay = 0;
  std::optional<double> byte_seconds;
  int shared_cores = 0;
  std::string runs;
  std::optional<Reading> reading;
  std::string json;
};

std::vector<std::string> parts(const std::string& text, char between) {
  std::vector<std::string> out(1);
  for (const char c : text)
    c == between ? out.emplace_back() : (out.back() += c, out.back());
  return out;
}

int read_whole_up_to(const std::string& text, const char* option, double least, double most) {
  const double value = read_number(text, option, least);
  if (value != static_cast<int>(std::min(value, most)))
    throw UsageError(fmt::format("{} {}: give a whole number from {} to {}", option, text, least, most));
  return static_cast<int>(value);
}

std::vector<Host> read_hosts(const std::string& text, const char* option) {
  std::vector<Host> out;
  for (const std::string& host : parts(text, ',')) {
    const auto fields = parts(host, ':');
    if (fields.size() > 2)
      throw UsageError(fmt::format("{} {}: a host is CORES or CORES:SPEED, such as 12:1.05", option, text));
    out.push_back({read_whole_up_to(fields[0], option, 1, most_cores),
                   fields.size() == 2 ? read_positive(fields[1], option) : 1});
  }
  if (out.size() > most_hosts)
    throw UsageError(fmt::format("{}: give {} hosts or fewer", option, most_hosts));
  return out;
}

std::vector<int> read_placement(const std::string& text, const char* option) {
  std::vector<int> out;
  for (const std::string& processes : parts(text, ','))
    out.push_back(read_whole_up_to(processes, option, 0, most_processes));
  if (std::accumulate(out.begin(), out.end(), 0.0) > most_processes)
    throw UsageError(fmt::format("{} {}: give {} processes or fewer in all", option, text, most_processes));
  return out;
}

std::pair<double, double> read_pair(const std::string& text, const char* option) {
  const auto numbers = parts(text, ',');
  if (numbers.size() != 2)
    throw UsageError(fmt::format("{} {}: give two numbers, such as 2e6,0.5", option, text));
  return {read_any_number(numbers[0], option), read_any_number(numbers[1], option)};
}

MessageLaw::Form read_form(const std::string& text, const char* option) {
  if (text == "power") return MessageLaw::Form::power;
  if (text == "hyperbola") return MessageLaw::Form::hyperbola;
  throw UsageError(fmt::format("{} {}: use power or hyperbola", option, text));
}

int read_cores(const std::string& text, const char* option) {
  return read_whole_up_to(text, option, 1, most_cores);
}

Reading read_reading(const std::string& text, const char* option) {
  if (text == "ld") return Reading::load_dependent;
  if (text == "fixed") return Reading::fixed;
  if (text == "supersteps") return Reading::supersteps;
  throw UsageError(fmt::format("{} {}: use ld, fixed or supersteps", option, text));
}

void add_options(command_line::CommandLine& line, QueueingOptions& options) {
  add(line, "--hosts", options.hosts, read_hosts, "LIST", "hosts, each as CORES or CORES:SPEED: 8,8,12:1.05");
  add(line, "--placement", options.placement, read_placement, "LIST", "processes of each host: 4,4,4");
  add(line, "--cpu", options.cpu, read_positive, "K", "K_cpu: seconds of the program on one core of speed 1");
  add(line, "--net", options.net, read_positive, "K", "K_net: what messages take, against what was probed");
  add(line, "--compute-share", options.compute_share, read_fraction, "V",
      "V_comp: the part of its time that a process computes, on one host: 85%");
  add(line, "--message-law", options.form, read_form, "NAME",
      "mean bytes of a message on n processes: power (A n^-B; default) or hyperbola (A/n + B)");
  add(line, "--message", options.message, read_pair, "A,B", "of that law");
  add(line, "--sends", options.sends, read_pair, "C,D", "messages of a process on n processes: C ln n + D");
  add(line, "--startup", options.startup, read_plain_seconds, "T", "t_s: to start a message; default 0");
  add(line, "--byte-seconds", options.byte_seconds, read_plain_seconds, "T",
      "t_w: of a byte of a message: 8e-9");
  add(line, "--reading", options.reading, read_reading, "NAME",
      "a host's cores as servers for the jobs there (ld; default), as one fast server (fixed), or without queues, by the "
      "slowest host of each superstep (supersteps; default with --runs)");
  add(line, "--delay", options.delay, read_plain_seconds, "T",
      "before a message arrives, while others are sent: 10ms; default 0");
  add(line, "--shared-cores", options.shared_cores, read_cores, "C",
      "the hosts are virtual ones on one machine of so many cores");
  line.add("--runs", options.runs, "LIST",
           "calibrate from these traces of one program: a.trace,b.trace,c.trace");
  for (const char* known : {"--cpu", "--net", "--compute-share", "--message-law", "--message", "--sends",
                            "--startup", "--byte-seconds", "--delay"})
    line.exclude("--runs", {known});
  add_json(line, options.json);
}

/// What is asked of which program.
struct Question {
  Reading reading;
  std::vector<Host> hosts;
  model::queueing::Workload workload;
  model::queueing::Constants constants;
  std::optional<calibration::QueueingCalibration> calibrated;

  Placement placed(const QueueingOptions& options, std::vector<int> processes = {}) const {
    return {hosts, std::move(processes), options.shared_cores};
  }
};

Question told(const QueueingOptions& options) {
  if (options.hosts.empty()) refuse_missing("--hosts");
  const model::queueing::Constants constants{given(options.cpu, "--cpu"), given(options.net, "--net")};
  const auto [a, b] = given(options.message, "--message");
  const auto [c, d] = given(options.sends, "--sends");
  return {options.reading.value_or(Reading::load_dependent),
          options.hosts,
          {given(options.compute_share, "--compute-share"),
           {options.form, a, b},
           {c, d},
           options.startup,
           given(options.byte_seconds, "--byte-seconds"),
           options.delay},
          constants,
          {}};
}

/// Of runs of lbsp, whose ranks do not queue.
Question recorded(const QueueingOptions& options) {
  std::vector<calibration::RecordedPlacement> runs;
  for (const trace_file::Trace& trace : calibration::read_traces(options.runs, "--runs"))
    runs.push_back(calibration::recorded_placement(trace));
  Question out;
  out.reading = options.reading.value_or(Reading::supersteps);
  out.hosts = options.hosts;
  if (out.hosts.empty() && options.shared_cores > 0)
    out.hosts.assign(calibration::hosts_in(runs).size(), {options.shared_cores});
  if (out.hosts.empty()) refuse_missing("--hosts");
  out.calibrated = calibration::calibrate(runs, out.placed(options), out.reading);
  out.workload = out.calibrated->workload;
  out.constants = out.calibrated->found.constants;
  return out;
}

/// As many processes on each host as are tried, within the most that are computed.
int most_each(const Question& question) {
  int most = 1;
  for (const Host& host : question.hosts)
    most = std::max(most, 2 * host.cores);
  return std::min(most, static_cast<int>(most_processes) / static_cast<int>(question.hosts.size()));
}

std::string calibration_text(const Question& question) {
  const auto& workload = question.workload;
  std::string text = fmt::format(
      "K_cpu       {:.6g} s\nK_net       {:.6g}\nmessages    {:.6g} {} {:.6g}\nsupersteps  {:.6g} ln n + {:.6g}\n"
      "computing   {:.3g} % of the time on one host\n",
      question.constants.cpu, question.constants.net, workload.messages.a,
      workload.messages.form == MessageLaw::Form::power ? "n^-" : "/ n +", workload.messages.b,
      workload.sends.c, workload.sends.d, 100 * workload.compute_share);
  for (std::size_t i = 0; i < question.calibrated->runs.size(); ++i)
    text += fmt::format("run         {}: {:.6g} s, error {:+.1f} %\n",
                        fmt::join(question.calibrated->runs[i].placement.processes, ","),
                        question.calibrated->runs[i].seconds, 100 * question.calibrated->errors[i]);
  return text;
}

Json calibration_json(const Question& question) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < question.calibrated->runs.size(); ++i)
    runs.push_back({{"placement", question.calibrated->runs[i].placement.processes},
                    {"seconds", question.calibrated->runs[i].seconds},
                    {"error", question.calibrated->errors[i]}});
  const auto& workload = question.workload;
  return {{"cpu", question.constants.cpu},
          {"net", question.constants.net},
          {"compute_share", workload.compute_share},
          {"message_law", workload.messages.form == MessageLaw::Form::power ? "power" : "hyperbola"},
          {"message", {workload.messages.a, workload.messages.b}},
          {"sends", {workload.sends.c, workload.sends.d}},
          {"byte_seconds", workload.byte_seconds},
          {"delay", workload.delay_seconds},
          {"runs", runs}};
}

std::string prediction_text(const model::queueing::Prediction& got, const std::vector<int>& placement) {
  std::string text =
      fmt::format("seconds     {:.6g}\nresponse    {:.6g} s of a cycle\n", got.seconds, got.response);
  for (std::size_t host = 0; host < placement.size(); ++host)
    text += fmt::format("host {:<6} {} processes, cores busy {:.1f} %, network {:.1f} %\n", host,
                        placement[host], 100 * got.utilisation[host], 100 * got.network_utilisation[host]);
  return text;
}

/// The times by processes on each host, of which the best is to be taken.
std::string choice_text(const std::vector<double>& seconds, int best) {
  std::string text;
  for (std::size_t each = 1; each <= seconds.size(); ++each)
    text += fmt::format(
        "{:<3} on each  {:.6g} s{}\n", each, seconds[each - 1],
        static_cast<int>(each) == best ? ", the best: more processes on each host do not pay" : "");
  return text;
}

}  // namespace

void run_queueing(const Words& words) {
  QueueingOptions options;
  command_line::CommandLine line(
      "lbsp model queueing",
      "The time of a program that passes messages, by a closed network of its hosts' processors and interfaces.",
      queueing_footer);
  add_options(line, options);
  if (!line.parse(words)) return;
  const Question question = options.runs.empty() ? told(options) : recorded(options);
  std::string text = question.calibrated ? calibration_text(question) : "";
  Json json = question.calibrated ? calibration_json(question) : Json::object();
  std::vector<int> placement = options.placement;
  if (placement.empty()) {
    const std::vector<double> seconds =
        model::queueing::seconds_by_processes_each(question.placed(options), question.workload,
                                                   question.constants, most_each(question), question.reading);
    const int best = static_cast<int>(std::ranges::min_element(seconds) - seconds.begin()) + 1;
    placement.assign(question.hosts.size(), best);
    text += choice_text(seconds, best);
    json["by_processes_each"] = seconds;
  }
  const model::queueing::Prediction got = model::queueing::predict(
      question.placed(options, placement), question.workload, question.constants, question.reading);
  const auto part = question.calibrated ? question.calibrated->nine_of_ten_part : std::nullopt;
  json.update({{"seconds", number(got.seconds)},
               {"interval", interval_json(got.seconds, part)},
               {"response", number(got.response)},
               {"utilisation", got.utilisation},
               {"network_utilisation", got.network_utilisation},
               {"placement", placement},
               {"least_seconds", number(got.least_seconds)}});
  answer(options.json,
         text + prediction_text(got, placement) + interval_text("nine of ten ", got.seconds, part), json);
}

}  // namespace lbsp::model_command
