#include "tools/probe/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <sstream>

#include "tools/programs/command_line.hpp"
#include "tools/run/shell_words.hpp"
#include "transport/error.hpp"
#include "transport/probe/datagram.hpp"
#include "transport/quantity.hpp"

namespace lbsp::probe_command {
namespace {

constexpr const char* footer =
    R"(Measures loss each way, runs of losses, the loss of second copies, round-trip time and bandwidth against packet size, and what the hosts compute.
One host is the far side, with --listen, or is reached by ssh (no PORT); --hosts measures every pair of a hosts file.

Example: on one host  lbsp probe --listen 4000 --key-file probe.key
         on another   lbsp probe there.example.org:4000 --key-file probe.key --json net.json)";

std::uint64_t parse_whole(std::string_view text, const char* option, std::uint64_t least,
                          std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    throw UsageError(fmt::format("{} {}: choose a whole number from {} to {}", option, text, least, most));
  return value;
}

std::vector<std::uint32_t> parse_sizes(const std::string& text) {
  std::vector<std::uint32_t> sizes;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    const auto bytes = transport::parse_size(word);
    if (bytes < probe::least_packet || bytes > probe::most_packet) {
      throw UsageError(
          fmt::format("--packet-sizes {}: {} is not from {} to {} bytes of UDP payload: leave it out", text,
                      word, probe::least_packet, probe::most_packet));
    }
    sizes.push_back(static_cast<std::uint32_t>(bytes));
  }
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  if (sizes.empty() || sizes.size() > probe::most_sizes) {
    throw UsageError(fmt::format("--packet-sizes '{}': give 1 to {} sizes, such as 64,1400,8KiB", text,
                                 probe::most_sizes));
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
    options.port =
        static_cast<std::uint16_t>(parse_whole(std::string_view(text).substr(colon + 1), "port", 1, 65535));
    options.host = text.substr(0, colon);
    if (bracketed && options.host.ends_with(']'))
      options.host = options.host.substr(1, options.host.size() - 2);
  }
  if (options.host.empty() || options.host.starts_with('-') || options.host.ends_with('@'))
    throw UsageError(fmt::format("'{}' is no host: give HOST:PORT, or [USER@]HOST for ssh", text));
}

transport::Duration positive(const std::string& text, const char* option) {
  const auto value = transport::parse_duration(text);
  if (value <= transport::Duration::zero() || value > std::chrono::hours{24})
    throw UsageError(fmt::format("{} {}: choose more than 0 and at most 24h", option, text));
  return value;
}

/// Adds an option of which every text goes to `set`, which throws UsageError.
void add(CLI::App& app, const char* name, const std::function<void(const std::string&)>& set,
         const char* help, const char* type) {
  app.add_option_function<std::string>(name, set, help)->type_name(type);
}

void add_where(CLI::App& app, ProbeOptions& options) {
  add(
      app, "host", [&](const auto& text) { set_host(options, text); },
      "HOST:PORT where one listens, or [USER@]HOST to start it there by ssh", "HOST");
  add(
      app, "--listen",
      [&](const auto& text) {
        options.listen = static_cast<std::uint16_t>(parse_whole(text, "--listen", 1, 65535));
      },
      "be the far side on this UDP port, for one client after the other", "PORT");
  app.add_flag("--once", options.once, "with --listen: end after one client");
  app.add_option("--hosts", options.hosts_file,
                 "measure every pair of lines HOST [user=NAME] [address=ADDRESS]")
      ->type_name("FILE");
  add(
      app, "--sample",
      [&](const auto& text) {
        options.sample = static_cast<int>(parse_whole(text, "--sample", 1, 1'000'000));
      },
      "with --hosts: only so many pairs, at random", "N");
  app.add_option("--key-file", options.key_file,
                 "the key that both sides hold; made by --listen if there is none; - is standard input")
      ->type_name("FILE");
  add(
      app, "--launch-agent", [&](const auto& text) { options.launch_agent = launch::split_words(text); },
      "instead of ssh: run as CMD HOST LBSP agent", "CMD");
  app.add_option("--remote-lbsp", options.remote_lbsp, "this command's path on the hosts; default: as here")
      ->type_name("PATH");
  add(
      app, "--start-timeout",
      [&](const auto& text) { options.start_timeout = positive(text, "--start-timeout"); },
      "for all hosts to be there; default 30s", "T");
  app.add_flag("--worker", options.worker)->group("");
}

void add_what(CLI::App& app, ProbeOptions& options) {
  add(
      app, "--packet-sizes", [&](const auto& text) { options.plan.sizes = parse_sizes(text); },
      "bytes of UDP payload; default 64,512,1400,8KiB,25KiB,64000", "LIST");
  add(
      app, "--count",
      [&](const auto& text) {
        options.plan.count = static_cast<std::uint32_t>(parse_whole(text, "--count", 10, 100'000));
        options.plan.count_is_fixed = true;
      },
      "datagrams of each size and direction; default 300, and fewer of what would take long", "N");
  add(
      app, "--max-rate", [&](const auto& text) { options.plan.most = transport::parse_rate(text); },
      "never send faster; default 1Gbit", "R");
  add(
      app, "--time-limit",
      [&](const auto& text) { options.plan.time_limit = positive(text, "--time-limit"); },
      "for one pair; default 60s", "T");
  app.add_flag(
      "--no-compute", [&](auto) { options.compute = false; }, "do not measure what the hosts compute");
  add(
      app, "--wan", [&](const auto& text) { options.wan = transport::parse_wan_spec(text); },
      "a bad network to rehearse, in what this side sends; with --hosts, in what all send", "SPEC");
  add(
      app, "--seed",
      [&](const auto& text) {
        options.seed = parse_whole(text, "--seed", 0, std::numeric_limits<std::uint64_t>::max());
      },
      "of the faults of --wan and of --sample; default 1", "S");
  app.add_option("--json", options.json_file, "the profile for lbsp tune and run; - is standard output")
      ->type_name("FILE");
  app.add_option("--svg", options.svg_file,
                 "loss, round-trip time and bandwidth against packet size, as a plot")
      ->type_name("FILE");
}

void check(const ProbeOptions& options) {
  if (options.worker) return;
  const int modes =
      (options.listen ? 1 : 0) + (options.host.empty() ? 0 : 1) + (options.hosts_file.empty() ? 0 : 1);
  if (modes != 1)
    throw UsageError(
        "lbsp probe needs one of --listen PORT, HOST[:PORT] and --hosts FILE: see lbsp probe --help");
  if ((options.listen || options.port != 0) && options.key_file.empty()) {
    throw UsageError(options.listen
                         ? "--listen without a key: give --key-file FILE, which is made if it is not there"
                         : "HOST:PORT without a key: give --key-file FILE, a copy of the one of --listen");
  }
  if (!options.listen && options.port == 0 && !options.key_file.empty())
    throw UsageError("--key-file without HOST:PORT or --listen: leave it out, ssh carries a new key");
  if (options.once && !options.listen) throw UsageError("--once without --listen: leave it out");
  if (options.sample && options.hosts_file.empty())
    throw UsageError("--sample without --hosts: leave it out");
  if (options.plan.most.value < 1000) throw UsageError("--max-rate below 8kbit: choose a higher one");
}

}  // namespace

std::optional<ProbeOptions> parse_probe_options(const std::vector<std::string>& arguments) {
  ProbeOptions options;
  CLI::App app("Measures the network between hosts.", "lbsp probe");
  app.footer(footer);
  add_where(app, options);
  add_what(app, options);
  std::vector<const char*> words = {"lbsp probe"};
  for (const std::string& argument : arguments)
    words.push_back(argument.c_str());
  if (const auto help = programs::parse_command_line(app, static_cast<int>(words.size()), words.data())) {
    fmt::print("{}", *help);
    return std::nullopt;
  }
  check(options);
  return options;
}

}  // namespace lbsp::probe_command
