#include "tools/launch/request/network_options.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "tools/command_line/named_value.hpp"
#include "tools/command_line/whole_number.hpp"
#include "tools/launch/request/mpi_library.hpp"
#include "tools/launch/request/positive_duration.hpp"
#include "transport/error.hpp"
#include "transport/impairment/wan_spec.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch::request {
namespace {

using command_line::CommandLine;
using command_line::named_value;
using command_line::whole_number;

void set_backend(RunOptions& options, const std::string& text) {
  options.backend_given = true;
  if (text == "udp") {
    options.backend = job::Backend::udp;
  } else if (text == "threads") {
    options.backend = job::Backend::threads;
  } else if (text == "mpi") {
    static_cast<void>(mpi_library());  // or say at once that there is none
    options.backend = job::Backend::mpi;
  } else {
    throw UsageError(fmt::format("--backend {}: use udp, mpi or threads", text));
  }
}

void set_sharing(RunOptions& options, const std::string& text) {
  static const std::pair<const char*, Sharing> all[] = {
      {"auto", Sharing::automatic}, {"on", Sharing::on}, {"off", Sharing::off}};
  const auto found = std::ranges::find(all, text, &std::pair<const char*, Sharing>::first);
  if (found == std::end(all)) throw UsageError(fmt::format("--shared-memory {}: use auto, on or off", text));
  options.sharing = found->second;
}

void set_recovery(RunOptions& options, const std::string& text) {
  using transport::Recovery;
  static const std::pair<const char*, Recovery> all[] = {
      {"receiver", Recovery::receiver}, {"rounds", Recovery::rounds}, {"whole-round", Recovery::whole_round}};
  const auto found = std::ranges::find(all, text, &std::pair<const char*, Recovery>::first);
  if (found == std::end(all)) {
    throw UsageError(fmt::format("--recovery {}: use receiver, rounds or whole-round", text));
  }
  options.exchange.recovery = found->second;
}

/// A rank that waits for its turn on a busy processor is silent for some tens of milliseconds.
constexpr transport::Duration least_peer_timeout = std::chrono::milliseconds{100};

void add_redundancy_options(CommandLine& line, RedundancyWords& words) {
  line.add(
      "--copies", words.copies, "K[,L]",
      "how often every segment is sent, 1 to 16 (L: in messages of several segments), or auto (default): chosen "
      "by the model");
  line.add("--redundancy", words.redundancy, "KIND",
           "protection against loss: auto (default), copies, coded (redundant segments), or none");
  line.add("--repair", words.repair, "R",
           "always send R coded segments, 0 to 128, after each block of a message of several segments");
  line.add("--tail", words.tail, "N",
           "with --repair or --copies: protect only the last N segments of messages of several segments");
}

void add_carrier_options(CommandLine& line, RunOptions& options) {
  line.add(
      "--backend", [&](const auto& text) { set_backend(options, text); }, "NAME",
      "udp (default, but see --shared-memory); mpi: Open MPI, started by mpirun; threads: all ranks in one process");
  line.add(
      "--shared-memory", [&](const auto& text) { set_sharing(options, text); }, "WHEN",
      "whether ranks of one host exchange through memory: on; off; auto (default): unless an option here asks for "
      "datagrams");
  line.add(
      "--wan", [&](const auto& text) { options.wan = transport::parse_pretended_wan_spec(text); }, "SPEC",
      "pretend such a network: loss=10%,rtt=70ms,rate=100Mbit,jitter=5ms,burst=4,reorder=1%,overtake=1%,"
      "duplicate=1%,corrupt=0.1%,queue=256KiB,mtu=1280,ecn=30KiB");
  line.add(
      "--seed",
      [&](const auto& text) {
        options.wan_seed =
            whole_number<std::uint64_t>(text, "--seed", 0, std::numeric_limits<std::uint64_t>::max());
      },
      "S", "seed of the random faults of --wan; default 1");
}

void add_recovery_options(CommandLine& line, RunOptions& options) {
  line.add(
      "--recovery", [&](const auto& text) { set_recovery(options, text); }, "NAME",
      "how lost segments are sent again: receiver (default); rounds or whole-round, as in the L-BSP paper");
  line.add(
      "--peer-timeout",
      [&](const auto& text) {
        options.exchange.peer_timeout = named_value("--peer-timeout", text, transport::parse_duration);
        if (options.exchange.peer_timeout < least_peer_timeout)
          throw UsageError(fmt::format("--peer-timeout {}: no rank can be heard so often: choose {} or more",
                                       text, transport::format_duration(least_peer_timeout)));
      },
      "T", "give up a rank that has been silent for so long, 100ms or more; default 15s");
}

void add_path_options(CommandLine& line, RunOptions& options, std::optional<std::string>& rate) {
  line.add(
      "--rate", rate, "R",
      "the most that the ranks of a host send to other hosts per second, or a rank where there is one host; default: "
      "the rate of --wan or --profile; else 1Gbit within one host, and between hosts a rate that is found, beginning "
      "with 100Mbit");
  line.add("--profile", options.profile_file, "FILE",
           "the network as lbsp probe measured it: for the first plans, and for -n auto");
  line.add(
      "--datagram",
      [&](const auto& text) {
        options.exchange.datagram_bytes = named_value("--datagram", text, transport::parse_size);
        if (options.exchange.datagram_bytes < transport::min_datagram_bytes ||
            options.exchange.datagram_bytes > transport::max_datagram_bytes)
          throw UsageError(fmt::format("--datagram {}: choose {} to {} bytes", text,
                                       transport::min_datagram_bytes, transport::max_datagram_bytes));
        options.datagram_given = true;
      },
      "BYTES",
      "the largest UDP payload, 256 to 65507 bytes; default: what each path is found to carry, up to 8972");
  line.add(
      "--max-message",
      [&](const auto& text) {
        options.exchange.max_message_bytes = named_value("--max-message", text, transport::parse_size);
      },
      "SIZE", "the most that one rank sends another in a superstep; default 4GiB");
  line.add(
      "--port",
      [&](const auto& text) { options.port = whole_number<std::uint16_t>(text, "--port", 1, 65535); }, "PORT",
      "the UDP port of every host, shared by its ranks; default: each rank takes a free one");
}

/// Not those that also mean something without datagrams.
bool asks_for_datagrams(const RunOptions& options, const NetworkWords& words) {
  const bool redundancy = words.redundancy.copies || words.redundancy.redundancy || words.redundancy.repair ||
                          words.redundancy.tail;
  const bool recovery = options.exchange.recovery != transport::Recovery::receiver;
  return options.wan || words.rate || redundancy || recovery || options.datagram_given || options.port != 0 ||
         !options.profile_file.empty() || options.trace_packets > 0 ||
         (options.backend_given && options.backend == job::Backend::udp);
}

}  // namespace

void add_network_options(CommandLine& line, RunOptions& options, NetworkWords& words) {
  add_redundancy_options(line, words.redundancy);
  add_carrier_options(line, options);
  add_recovery_options(line, options);
  add_path_options(line, options, words.rate);
}

void settle_network(RunOptions& options, const NetworkWords& words) {
  options.network_given = asks_for_datagrams(options, words);
  set_redundancy(options.exchange, words.redundancy);
  if (words.rate) {
    options.exchange.rate = named_value("--rate", *words.rate, transport::parse_rate);
    options.rate_given = true;
  } else if (options.wan && options.wan->rate) {
    options.exchange.rate = *options.wan->rate;
  }
  transport::validate(options.exchange);
}

}  // namespace lbsp::launch::request
