#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "model/queueing/prediction.hpp"
#include "tools/model_command/answer.hpp"
#include "tools/model_command/model_command.hpp"
#include "transport/error.hpp"

namespace lbsp::model_command {
namespace {

using model::queueing::Host;
using model::queueing::MessageLaw;
using model::queueing::Reading;
using model::queueing::SendLaw;

constexpr const char* footer =
    R"(The network is solved exactly. Without --placement the answer is the equal number of processes on each host, up to
twice its cores, for which the program is fastest: beyond it more processes do not pay. docs/predictors.md has the
formulas, and says how the constants are calibrated.

Example: lbsp model queueing --hosts 8,8,12:1.05 --placement 4,4,4 --cpu 2400 --net 1.3 --compute-share 85% --message-law power --message 2e6,0.5 --sends 900,4000 --byte-seconds 8e-9 --json -)";

constexpr double most_processes = 1024;  // what is computed grows with their square times the hosts
constexpr double most_cores = 65536;
constexpr std::size_t most_hosts = 256;

struct Options {
  std::vector<Host> hosts;
  std::vector<int> placement;
  std::optional<double> cpu;
  std::optional<double> net;
  std::optional<double> compute_share;
  MessageLaw::Form form = MessageLaw::Form::power;
  std::optional<std::pair<double, double>> message;
  std::optional<std::pair<double, double>> sends;
  double startup = 0;
  std::optional<double> byte_seconds;
  Reading reading = Reading::load_dependent;
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

Reading read_reading(const std::string& text, const char* option) {
  if (text == "ld") return Reading::load_dependent;
  if (text == "fixed") return Reading::fixed;
  throw UsageError(fmt::format("{} {}: use ld or fixed", option, text));
}

void add_options(command_line::CommandLine& line, Options& options) {
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
      "a host's cores as servers for the jobs there (ld; default), or as one fast server (fixed)");
  add_json(line, options.json);
}

model::queueing::Workload workload_of(const Options& options) {
  const auto [a, b] = given(options.message, "--message");
  const auto [c, d] = given(options.sends, "--sends");
  return {given(options.compute_share, "--compute-share"),
          {options.form, a, b},
          {c, d},
          options.startup,
          given(options.byte_seconds, "--byte-seconds")};
}

/// As many processes on each host as pay, within the most that are computed.
std::vector<int> best_placement(const Options& options, const model::queueing::Workload& workload,
                                const model::queueing::Constants& constants) {
  int most = 1;
  for (const Host& host : options.hosts)
    most = std::max(most, 2 * host.cores);
  most = std::min(most, static_cast<int>(most_processes) / static_cast<int>(options.hosts.size()));
  const int each =
      model::queueing::best_processes_each(options.hosts, workload, constants, most, options.reading);
  return std::vector<int>(options.hosts.size(), each);
}

}  // namespace

void run_queueing(const Words& words) {
  Options options;
  command_line::CommandLine line(
      "lbsp model queueing",
      "The time of a program that passes messages, by a closed network of its hosts' processors and interfaces.",
      footer);
  add_options(line, options);
  if (!line.parse(words)) return;
  if (options.hosts.empty()) refuse_missing("--hosts");
  const model::queueing::Constants constants{given(options.cpu, "--cpu"), given(options.net, "--net")};
  const model::queueing::Workload workload = workload_of(options);
  const std::vector<int> placement =
      options.placement.empty() ? best_placement(options, workload, constants) : options.placement;
  const model::queueing::Prediction got =
      model::queueing::predict({options.hosts, placement}, workload, constants, options.reading);
  std::string text =
      fmt::format("seconds     {:.6g}\nresponse    {:.6g} s of a cycle\n", got.seconds, got.response);
  for (std::size_t host = 0; host < placement.size(); ++host)
    text += fmt::format("host {:<6} {} processes, cores busy {:.1f} %, network {:.1f} %\n", host,
                        placement[host], 100 * got.utilisation[host], 100 * got.network_utilisation[host]);
  answer(options.json, text,
         {{"seconds", number(got.seconds)},
          {"response", number(got.response)},
          {"utilisation", got.utilisation},
          {"network_utilisation", got.network_utilisation},
          {"placement", placement},
          {"least_seconds", number(got.least_seconds)}});
}

}  // namespace lbsp::model_command
