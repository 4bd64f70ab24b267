// What is said until the job runs.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lbsp/job/key_text.hpp"
#include "lbsp/job/message_json.hpp"
#include "lbsp/job/messages.hpp"
#include "transport/error.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::job {
namespace {

using nlohmann::json;

json terminal_to_json(const Terminal& terminal) {
  return {terminal.input, terminal.output, terminal.rows, terminal.columns};
}

Terminal terminal_from_json(const json& in) {
  return {.input = in.at(0).get<bool>(),
          .output = in.at(1).get<bool>(),
          .rows = whole<std::uint16_t>(in.at(2)),
          .columns = whole<std::uint16_t>(in.at(3))};
}

json shared_to_json(const std::optional<SharedMemory>& shared) {
  if (!shared) return nullptr;
  return {shared->first_rank, shared->ranks, shared->message_bytes};
}

std::optional<SharedMemory> shared_from_json(const json& in) {
  if (in.is_null()) return std::nullopt;
  return SharedMemory{.first_rank = whole<Rank>(in.at(0), 0, transport::max_ranks - 1),
                      .ranks = whole<Rank>(in.at(1), 1, transport::max_ranks),
                      .message_bytes = whole<std::uint64_t>(in.at(2))};
}

json port_to_json(const std::optional<HostPort>& port) {
  if (!port) return nullptr;
  return {port->first_rank, port->ranks, port->bind_address, port->port};
}

std::optional<HostPort> port_from_json(const json& in) {
  if (in.is_null()) return std::nullopt;
  return HostPort{.first_rank = whole<Rank>(in.at(0), 0, transport::max_ranks - 1),
                  .ranks = whole<Rank>(in.at(1), 1, transport::max_ranks),
                  .bind_address = in.at(2).get<std::string>(),
                  .port = whole<std::uint16_t>(in.at(3), 1, 65535)};
}

/// What belongs to a host's ranks belongs to the one that hears of it.
template <class OfRanks>
void require_rank(const std::optional<OfRanks>& group, Rank rank) {
  if (group && (rank < group->first_rank || rank - group->first_rank >= group->ranks))
    throw Error("a rank that is not on its host: use the same lbsp everywhere");
}

json options_to_json(const transport::ExchangeOptions& options) {
  return {{"redundancy", static_cast<int>(options.redundancy)},
          {"copies", options.copies},
          {"longer_copies", options.longer_copies},
          {"repair_segments", options.repair_segments.value_or(-1)},
          {"protected_tail", options.protected_tail},
          {"recovery", static_cast<int>(options.recovery)},
          {"rate", options.rate.value},
          {"find_rate", options.find_rate},
          {"datagram_bytes", options.datagram_bytes},
          {"find_datagram", options.find_datagram},
          {"max_message_bytes", options.max_message_bytes},
          {"peer_timeout", options.peer_timeout.count()},
          {"outlives_ranks", options.outlives_ranks},
          {"newcomer_wait", options.newcomer_wait.count()}};
}

transport::ExchangeOptions options_from_json(const json& in) {
  transport::ExchangeOptions options;
  options.redundancy = one_of(in.at("redundancy"), transport::Redundancy::coded);
  options.copies = whole<int>(in.at("copies"));
  options.longer_copies = whole<int>(in.at("longer_copies"));
  if (const int repair = whole<int>(in.at("repair_segments")); repair >= 0) options.repair_segments = repair;
  options.protected_tail = whole<std::uint32_t>(in.at("protected_tail"));
  options.recovery = one_of(in.at("recovery"), transport::Recovery::whole_round);
  options.rate.value = in.at("rate").get<double>();
  options.find_rate = in.at("find_rate").get<bool>();
  options.datagram_bytes = whole<std::size_t>(in.at("datagram_bytes"));
  options.find_datagram = in.at("find_datagram").get<bool>();
  options.max_message_bytes = whole<std::uint64_t>(in.at("max_message_bytes"));
  options.peer_timeout = duration(in.at("peer_timeout"));
  options.outlives_ranks = in.at("outlives_ranks").get<bool>();
  options.newcomer_wait = duration(in.at("newcomer_wait"));
  return options;
}

json path_to_json(const std::optional<transport::PathForecast>& path) {
  if (!path) return nullptr;
  return {path->loss,
          path->loss_after_loss,
          path->loss_sample,
          path->round_trip.count(),
          path->round_trip_variation.count(),
          path->bandwidth.value};
}

std::optional<transport::PathForecast> path_from_json(const json& in) {
  if (in.is_null()) return std::nullopt;
  return transport::PathForecast{.loss = in.at(0).get<double>(),
                                 .loss_after_loss = in.at(1).get<double>(),
                                 .loss_sample = in.at(2).get<double>(),
                                 .round_trip = duration(in.at(3)),
                                 .round_trip_variation = duration(in.at(4)),
                                 .bandwidth = {in.at(5).get<double>()}};
}

}  // namespace

const char* name_of(Backend backend) {
  switch (backend) {
    case Backend::threads:
      return "threads";
    case Backend::mpi:
      return "mpi";
    case Backend::shared_memory:
      return "shared-memory";
    case Backend::udp:
      break;
  }
  return "udp";
}

std::string to_payload(const Terminal& message) {
  const MemoryEnd memory_end;
  return dump(terminal_to_json(message));
}

template <>
Terminal from_payload<Terminal>(std::string_view payload) {
  return reading(payload, [](const json& in) { return terminal_from_json(in); });
}

std::string to_payload(const Spawn& message) {
  const MemoryEnd memory_end;
  json arguments = json::array();
  for (const std::string& argument : message.arguments)
    arguments.push_back(bytes_of(argument));
  return dump({{"version", protocol_version},
               {"first_rank", message.first_rank},
               {"ranks", message.ranks},
               {"program", bytes_of(message.program)},
               {"arguments", arguments},
               {"directory", bytes_of(message.directory)},
               {"blas_threads", message.blas_threads},
               {"ranks_on_host", message.ranks_on_host},
               {"input", message.input},
               {"whole_lines", message.whole_lines},
               {"terminal", message.terminal ? terminal_to_json(*message.terminal) : json(nullptr)},
               {"shared", shared_to_json(message.shared)},
               {"port", port_to_json(message.port)}});
}

template <>
Spawn from_payload<Spawn>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    require_version(in);
    Spawn message;
    message.first_rank = whole<Rank>(in.at("first_rank"), 0, transport::max_ranks - 1);
    message.ranks = whole<int>(in.at("ranks"), 1, transport::max_ranks);
    message.program = text_from(in.at("program"));
    for (const json& argument : in.at("arguments"))
      message.arguments.push_back(text_from(argument));
    message.directory = text_from(in.at("directory"));
    message.blas_threads = in.at("blas_threads").get<std::string>();
    message.ranks_on_host = whole<int>(in.at("ranks_on_host"), 1, transport::max_ranks);
    message.input = in.at("input").get<bool>();
    message.whole_lines = in.at("whole_lines").get<bool>();
    if (!in.at("terminal").is_null()) message.terminal = terminal_from_json(in.at("terminal"));
    message.shared = shared_from_json(in.at("shared"));
    message.port = port_from_json(in.at("port"));
    require_rank(message.shared, message.first_rank);
    require_rank(message.port, message.first_rank);
    return message;
  });
}

std::string to_payload(const Welcome& message) {
  const MemoryEnd memory_end;
  json out = {{"version", protocol_version},
              {"rank", message.rank},
              {"size", message.size},
              {"backend", static_cast<int>(message.backend)},
              {"bind_address", message.bind_address},
              {"options", options_to_json(message.options)},
              {"paths", json::array()},
              {"wan", nullptr},
              {"wan_seed", message.wan_seed},
              {"progress", message.progress},
              {"trace", message.trace},
              {"trace_packets", message.trace_packets},
              {"start_timeout", message.start_timeout.count()},
              {"shared", shared_to_json(message.shared)},
              {"ranks_on_host", message.ranks_on_host},
              {"survive", message.survive},
              {"checkpoint", bytes_of(message.checkpoint)},
              {"restart", bytes_of(message.restart)},
              {"host_mtbf", message.host_mtbf.count()},
              {"newcomer_on", message.newcomer_on ? json(*message.newcomer_on) : json(nullptr)},
              {"newcomer", message.newcomer},
              {"claimed", nullptr}};
  if (message.claimed) out["claimed"] = {message.claimed->address, message.claimed->of};
  for (const auto& path : message.paths)
    out["paths"].push_back(path_to_json(path));
  if (message.wan) out["wan"] = transport::to_string(*message.wan);
  std::string payload = dump(out);
  payload.reserve(payload.size() + 1 + 2 * message.key.bytes.size());
  payload += '\n';
  append_hex(message.key, payload);
  return payload;
}

template <>
Welcome from_payload<Welcome>(std::string_view payload) {
  const std::size_t end = std::min(payload.find('\n'), payload.size());
  return reading(payload.substr(0, end), [&](const json& in) {
    require_version(in);
    Welcome message;
    message.rank = whole<Rank>(in.at("rank"), 0, transport::max_ranks - 1);
    message.size = whole<Rank>(in.at("size"), 1, transport::max_ranks);
    if (message.rank >= message.size)
      throw Error(fmt::format("a welcome for rank {} of {}: use the same lbsp everywhere", message.rank,
                              message.size));
    message.backend = one_of(in.at("backend"), Backend::mpi);
    message.bind_address = in.at("bind_address").get<std::string>();
    message.options = options_from_json(in.at("options"));
    for (const json& path : in.at("paths"))
      message.paths.push_back(path_from_json(path));
    if (!in.at("wan").is_null()) message.wan = transport::parse_wan_spec(in.at("wan").get<std::string>());
    message.wan_seed = whole<std::uint64_t>(in.at("wan_seed"));
    message.key = key_from_hex(payload.substr(std::min(end + 1, payload.size())));
    message.progress = in.at("progress").get<bool>();
    message.trace = in.at("trace").get<bool>();
    message.trace_packets = whole<std::uint64_t>(in.at("trace_packets"), 0, most_trace_packets);
    message.start_timeout = duration(in.at("start_timeout"));
    message.shared = shared_from_json(in.at("shared"));
    message.ranks_on_host = whole<int>(in.at("ranks_on_host"), 1, transport::max_ranks);
    message.survive = whole<int>(in.at("survive"), 1, most_survived);
    message.checkpoint = text_from(in.at("checkpoint"));
    message.restart = text_from(in.at("restart"));
    message.host_mtbf = duration(in.at("host_mtbf"));
    if (message.host_mtbf <= transport::Duration{0})
      throw Error("a mean time between failures of 0: use the same lbsp everywhere");
    if (!in.at("newcomer_on").is_null()) message.newcomer_on = whole<std::uint16_t>(in.at("newcomer_on"));
    message.newcomer = whole<std::uint32_t>(in.at("newcomer"));
    if (const json& claimed = in.at("claimed"); !claimed.is_null())
      message.claimed =
          ClaimedAddress{.address = claimed.at(0).get<std::string>(), .of = claimed.at(1).get<std::string>()};
    require_rank(message.shared, message.rank);
    return message;
  });
}

}  // namespace lbsp::job
