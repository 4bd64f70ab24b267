#include "tools/check/worker_protocol.hpp"

#include <nlohmann/json.hpp>

#include "lbsp/job/key_text.hpp"
#include "tools/launch/hosts/worker_line.hpp"
#include "transport/error.hpp"

namespace lbsp::check {
namespace {

using launch::hosts::read_worker_line;
using launch::hosts::worker_line;
using nlohmann::json;

constexpr int worker_version = 1;

std::string text_of(const transport::JobKey& key) {
  std::string text;
  text.reserve(2 * key.bytes.size());
  job::append_hex(key, text);
  return text;
}

json to_json(const Order& order) {
  if (std::holds_alternative<TellTime>(order)) return {{"order", "time"}};
  if (std::holds_alternative<TellHeard>(order)) return {{"order", "heard"}};
  json hosts = json::array();
  for (const auto& host : std::get<KnockAt>(order).hosts)
    hosts.push_back({host.host, host.port});
  return {{"order", "knock"}, {"hosts", std::move(hosts)}};
}

json to_json(const Answer& answer) {
  if (const auto* const time = std::get_if<Time>(&answer)) return {{"time", time->nanoseconds}};
  if (std::holds_alternative<Knocked>(answer)) return {{"knocked", true}};
  json all = json::array();
  for (const Heard& heard : std::get<AllHeard>(answer))
    all.push_back({heard.host, heard.arrived, heard.answered, heard.refused});
  return {{"heard", std::move(all)}};
}

}  // namespace

std::string to_line(const Setup& setup) {
  return worker_line({{"version", worker_version},
                      {"key", text_of(setup.key)},
                      {"bind_address", setup.bind_address},
                      {"port", setup.port},
                      {"program", setup.program},
                      {"own", setup.own},
                      {"hosts", setup.hosts}});
}

Setup read_setup(std::string_view line) {
  return read_worker_line(line, [](const json& in) {
    if (in.at("version") != worker_version)
      throw Error("another version of lbsp: use the same lbsp everywhere");
    return Setup{.key = job::key_from_hex(in.at("key").get<std::string>()),
                 .bind_address = in.at("bind_address").get<std::string>(),
                 .port = in.at("port").get<std::uint16_t>(),
                 .program = in.at("program").get<std::string>(),
                 .own = in.at("own").get<int>(),
                 .hosts = in.at("hosts").get<int>()};
  });
}

std::string to_line(const Order& order) {
  return worker_line(to_json(order));
}

Order read_order(std::string_view line) {
  return read_worker_line(line, [](const json& in) -> Order {
    const auto what = in.at("order").get<std::string>();
    if (what == "time") return TellTime{};
    if (what == "heard") return TellHeard{};
    KnockAt knock;
    for (const json& host : in.at("hosts"))
      knock.hosts.push_back({host.at(0).get<std::string>(), host.at(1).get<std::uint16_t>()});
    return knock;
  });
}

std::string to_line(const Ready& ready) {
  return worker_line({{"port", ready.port},
                      {"port_problem", ready.port_problem},
                      {"buffer_bytes", ready.buffer_bytes},
                      {"program_problem", ready.program_problem}});
}

Ready read_ready(std::string_view line) {
  return read_worker_line(line, [](const json& in) {
    return Ready{.port = in.at("port").get<std::uint16_t>(),
                 .port_problem = in.at("port_problem").get<std::string>(),
                 .buffer_bytes = in.at("buffer_bytes").get<int>(),
                 .program_problem = in.at("program_problem").get<std::string>()};
  });
}

std::string to_line(const Answer& answer) {
  return worker_line(to_json(answer));
}

Answer read_answer(std::string_view line) {
  return read_worker_line(line, [](const json& in) -> Answer {
    if (in.contains("time")) return Time{in.at("time").get<std::int64_t>()};
    if (in.contains("knocked")) return Knocked{};
    AllHeard all;
    for (const json& heard : in.at("heard"))
      all.push_back({heard.at(0).get<int>(), heard.at(1).get<std::vector<std::uint16_t>>(),
                     heard.at(2).get<std::vector<std::uint16_t>>(), heard.at(3).get<int>()});
    return all;
  });
}

}  // namespace lbsp::check
