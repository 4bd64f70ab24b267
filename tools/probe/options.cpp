#include "tools/probe/options.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <sstream>

#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/command_line/named_value.hpp"
#include "tools/command_line/shell_words.hpp"
#include "tools/command_line/whole_number.hpp"
#include "transport/error.hpp"
#include "transport/probe/datagram.hpp"
#include "transport/quantity.hpp"

namespace lbsp::probe {
namespace {

using command_line::CommandLine;
using command_line::whole_number;

constexpr const char* footer =
    R"(For every packet size it measures the loss each way, runs of losses, the loss of second copies, the round trip and the
bandwidth. It also measures how fast the hosts compute. The far side runs with --listen, or is started by ssh (HOST
without PORT). --hosts measures every pair of a hosts file.

Example: on one host  lbsp probe --listen 4000 --key-file probe.key
         on another   lbsp probe there.example.org:4000 --key-file probe.key --json net.json)";

std::vector<std::uint32_t> parse_sizes(const std::string& text) {
  std::vector<std::uint32_t> sizes;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    const auto bytes = command_line::named_value("--packet-sizes", word, transport::parse_size);
    if (bytes < transport::probe::least_packet || bytes > transport::probe::most_packet) {
      throw UsageError(
          fmt::format("--packet-sizes {}: {} is not from {} to {} bytes of UDP payload: leave it out", text,
                      word, transport::probe::least_packet, transport::probe::most_packet));
    }
    sizes.push_back(static_cast<std::uint32_t>(bytes));
  }
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.empty() || sizes.size() > transport::probe::most_sizes) {
    throw UsageError(fmt::format("--packet-sizes '{}': give 1 to {} sizes, such as 64,1400,8KiB", text,
                                 transport::probe::most_sizes));
  }
  return sizes;
}

void set_host(ProbeOptions& options, const std::string& text) {
  options.host = text;
  const auto colon = text.rfind(':');
  const bool bracketed = text.starts_with('[');
  const bool literal = !bracketed && colon != text.find(':');  // an IPv6 address by itself
  if (colon == std::string::npos || literal || text.back() == ']') {
    if (bracketed && text.back() == ']') options.host = text.substr(1, text.size() - 2);
  } else {
    options.port = whole_number<std::uint16_t>(std::string_view(text).substr(colon + 1), "port", 1, 65535);
    options.host = text.substr(0, colon);
    if (bracketed && options.host.ends_with(']'))
      options.host = options.host.substr(1, options.host.size() - 2);
  }
  if (options.host.empty() || options.host.starts_with('-') || options.host.ends_with('@'))
    throw UsageError(fmt::format("'{}' is no host: give HOST:PORT, or [USER@]HOST for ssh", text));
}

transport::Duration positive(const std::string& text, const char* option) {
  const auto value = command_line::named_value(option, text, transport::parse_duration);
  if (value <= transport::Duration::zero() || value > std::chrono::hours{24})
    throw UsageError(fmt::format("{} {}: choose more than 0 and at most 24h", option, text));
  return value;
}

void add_where(CommandLine& line, ProbeOptions& options) {
  line.add(
      "host", [&](const auto& text) { set_host(options, text); }, "HOST",
      "HOST:PORT of a far side that listens, or [USER@]HOST to start one there by ssh");
  line.add(
      "--listen",
      [&](const auto& text) { options.listen = whole_number<std::uint16_t>(text, "--listen", 1, 65535); },
      "PORT", "be the far side, on this UDP port, for one client after another");
  line.add_flag("--once", options.once, "with --listen: end after one client");
  line.add("--hosts", options.hosts_file, "FILE",
           "measure every pair of lines HOST [user=NAME] [address=ADDRESS]");
  line.add(
      "--sample", [&](const auto& text) { options.sample = whole_number(text, "--sample", 1, 1'000'000); },
      "N", "with --hosts: measure only N pairs, chosen at random");
  line.add("--pairs", options.pairs, "LIST", "with --hosts: measure only these pairs, HOST/HOST,HOST/HOST");
  line.add("--resume", options.resume_file, "FILE.json",
           "with --hosts: measure what this profile lacks, or --pairs again; written there, or to --json");
  line.add(
      "--parallel",
      [&](const auto& text) { options.parallel = whole_number(text, "--parallel", 1, 1'000'000); }, "N",
      "with --hosts: pairs at a time; default: as many as share no host, no uplink and no busy machine");
  line.add("--key-file", options.key_file, "FILE",
           "the key that both sides hold; --listen makes the file if there is none; - is standard input");
  line.add(
      "--launch-agent", [&](const auto& text) { options.launch_agent = command_line::split_words(text); },
      "CMD", "replaces ssh: lbsp runs CMD HOST LBSP agent");
  line.add("--remote-lbsp", options.remote_lbsp, "PATH",
           "the path of lbsp on the hosts; default: the same as here");
  line.add(
      "--start-timeout", [&](const auto& text) { options.start_timeout = positive(text, "--start-timeout"); },
      "T", "how long to wait until all hosts have answered; default 30s");
  line.add_flag("--worker", options.worker, "started by another lbsp probe");
  line.hide("--worker");
}

void add_measured(CommandLine& line, ProbeOptions& options) {
  line.add(
      "--packet-sizes",
      [&](const auto& text) {
        options.plan.sizes = parse_sizes(text);
        options.plan.sizes_are_fixed = true;
      },
      "LIST",
      "bytes of UDP payload; default: of 64,512,1400,8KiB,25KiB,64000 what arrives whole, and near it the largest "
      "that does");
  line.add(
      "--count",
      [&](const auto& text) {
        options.plan.count = whole_number<std::uint32_t>(text, "--count", 10, 100'000);
        options.plan.count_is_fixed = true;
      },
      "N", "datagrams of each size and direction; default 300, fewer of sizes that would take long");
  line.add(
      "--max-rate",
      [&](const auto& text) {
        options.plan.most = command_line::named_value("--max-rate", text, transport::parse_rate);
      },
      "R", "never send faster; default 1Gbit");
  line.add(
      "--time-limit",
      [&](const auto& text) {
        options.plan.time_limit = positive(text, "--time-limit");
        options.plan.time_limit_is_fixed = true;
      },
      "T",
      "the most time for one pair; default 60s, and on slow paths what the loss takes besides, up to 5min");
  line.add_flag(
      "--no-compute", [&] { options.compute = false; }, "do not measure how fast the hosts compute");
}

void add_pretended(CommandLine& line, ProbeOptions& options) {
  line.add(
      "--wan", [&](const auto& text) { options.wan = transport::parse_pretended_wan_spec(text); }, "SPEC",
      "pretend such a network for what this side sends; with --hosts, for what all hosts send");
  line.add(
      "--seed",
      [&](const auto& text) {
        options.seed =
            whole_number<std::uint64_t>(text, "--seed", 0, std::numeric_limits<std::uint64_t>::max());
      },
      "S", "seed of the faults of --wan and of --sample; default 1");
}

void add_written(CommandLine& line, ProbeOptions& options) {
  line.add("--json", options.json_file, "FILE",
           "write the profile for lbsp tune and lbsp run; - is standard output");
  line.add("--svg", options.svg_file, "FILE",
           "draw loss, round trip and bandwidth against packet size; needs gnuplot");
}

void require_hosts_file(bool given, const char* option) {
  if (given) throw UsageError(fmt::format("{} without --hosts: leave it out", option));
}

void check(const ProbeOptions& options) {
  if (options.worker) return;
  const int modes =
      (options.listen ? 1 : 0) + (options.host.empty() ? 0 : 1) + (options.hosts_file.empty() ? 0 : 1);
  if (modes == 0)
    throw UsageError(
        "nothing to probe: give HOST[:PORT], --hosts FILE or --listen PORT, as lbsp probe --help has it");
  if (modes > 1) throw UsageError("more than one of HOST, --hosts and --listen: give one of them");
  if ((options.listen || options.port != 0) && options.key_file.empty()) {
    throw UsageError(options.listen
                         ? "--listen without a key: give --key-file FILE, which is made if it is not there"
                         : "HOST:PORT without a key: give --key-file FILE, a copy of the one of --listen");
  }
  if (!options.listen && options.port == 0 && !options.key_file.empty())
    throw UsageError("--key-file without HOST:PORT or --listen: leave it out, ssh carries a new key");
  if (options.once && !options.listen) throw UsageError("--once without --listen: leave it out");
  if (options.hosts_file.empty()) {
    require_hosts_file(options.sample.has_value(), "--sample");
    require_hosts_file(!options.pairs.empty(), "--pairs");
    require_hosts_file(!options.resume_file.empty(), "--resume");
    require_hosts_file(options.parallel.has_value(), "--parallel");
  }
  if (options.sample && (!options.pairs.empty() || !options.resume_file.empty()))
    throw UsageError("--sample with --pairs or --resume: leave it out, they say which pairs");
  if (!options.svg_file.empty() && command_line::is_same_file(options.json_file, options.svg_file))
    throw UsageError(fmt::format("--json and --svg both write {}: give two names", options.json_file));
  if (options.plan.most.value < 1000) throw UsageError("--max-rate below 8kbit: choose a higher one");
}

}  // namespace

std::optional<ProbeOptions> parse_probe_options(const std::vector<std::string>& arguments) {
  ProbeOptions options;
  options.plan.sizes_are_fixed = false;
  CommandLine line("lbsp probe", "Measures the network between hosts.", footer);
  add_where(line, options);
  add_measured(line, options);
  add_pretended(line, options);
  add_written(line, options);
  if (!line.parse(arguments)) return std::nullopt;
  check(options);
  if (options.json_file.empty()) options.json_file = options.resume_file;
  return options;
}

}  // namespace lbsp::probe
