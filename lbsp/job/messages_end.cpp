// What is said of what was done, and how it ended.
#include <nlohmann/json.hpp>
#include <utility>

#include "lbsp/job/message_json.hpp"
#include "lbsp/job/messages.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::job {
namespace {

using nlohmann::json;

json figures_to_json(const SuperstepFigures& figures) {
  json out = json::array({figures.compute.count(), figures.communicate.count(), figures.h,
                          figures.forecast.duration.count(), figures.forecast.earlier.count(),
                          figures.forecast.later.count(), figures.forecast.most_copies});
  for (const auto counter : transport::all_counters)
    out.push_back(figures.traffic.*counter);
  return out;
}

SuperstepFigures figures_from_json(const json& in) {
  SuperstepFigures figures{.compute = Seconds{in.at(0).get<double>()},
                           .communicate = Seconds{in.at(1).get<double>()},
                           .h = whole<std::uint64_t>(in.at(2)),
                           .traffic = {},
                           .forecast = {.duration = duration(in.at(3)),
                                        .earlier = duration(in.at(4)),
                                        .later = duration(in.at(5)),
                                        .most_copies = whole<int>(in.at(6))}};
  std::size_t place = 7;
  for (const auto counter : transport::all_counters)
    figures.traffic.*counter = whole<std::uint64_t>(in.at(place++));
  return figures;
}

json traced_to_json(const trace::Figures& figures) {
  json to = json::array();
  for (const trace::BytesTo& each : figures.to) {
    to.push_back(each.rank);
    to.push_back(each.bytes);
  }
  const trace::Network& network = figures.network;
  return json::array({figures.without_processor.count(), figures.after_messages.count(), network.loss,
                      network.round_trip.count(), network.rate.value, network.bandwidth.value, to,
                      figures.network_thread.count()});
}

trace::Figures traced_from_json(const json& in) {
  trace::Figures figures{.without_processor = duration(in.at(0)),
                         .after_messages = duration(in.at(1)),
                         .network_thread = duration(in.at(7)),
                         .network = {.loss = in.at(2).get<double>(),
                                     .round_trip = duration(in.at(3)),
                                     .rate = {in.at(4).get<double>()},
                                     .bandwidth = {in.at(5).get<double>()}},
                         .to = {}};
  const json& to = in.at(6);
  for (std::size_t place = 0; place < to.size(); place += 2)
    figures.to.push_back(
        {whole<Rank>(to.at(place), 0, transport::max_ranks - 1), whole<std::uint64_t>(to.at(place + 1))});
  return figures;
}

/// What is no number has no place in a report: JSON has none for NaN and the infinite.
Notes notes_from_json(const json& in) {
  Notes notes;
  for (const auto& [group, figures] : in.get<std::map<std::string, std::map<std::string, json>>>()) {
    for (const auto& [name, value] : figures)
      if (value.is_number()) notes[group][name] = value.get<double>();
  }
  return notes;
}

}  // namespace

std::string to_payload(const Failure& message) {
  const MemoryEnd memory_end;
  return dump({{"message", message.message},
               {"consequence", message.consequence},
               {"lost", message.lost ? json(*message.lost) : json(nullptr)},
               {"excluded", message.excluded}});
}

template <>
Failure from_payload<Failure>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    Failure message{in.at("message").get<std::string>(), in.at("consequence").get<bool>()};
    if (!in.at("lost").is_null()) message.lost = whole<Rank>(in.at("lost"), 0, transport::max_ranks - 1);
    message.excluded = in.at("excluded").get<bool>();
    return message;
  });
}

std::string to_payload(const Progress& message) {
  const MemoryEnd memory_end;
  return dump({message.supersteps, message.waiting, message.epoch, message.before_world, message.awaited});
}

template <>
Progress from_payload<Progress>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    return Progress{whole<std::uint64_t>(in.at(0)), in.at(1).get<bool>(), whole<std::uint32_t>(in.at(2)),
                    whole<std::uint64_t>(in.at(3)), ranks_from(in.at(4))};
  });
}

std::string to_payload(const RankReport& message) {
  const MemoryEnd memory_end;
  json out = {{"supersteps", message.supersteps},
              {"epoch", message.epoch},
              {"before_world", message.before_world},
              {"total", message.total.count()},
              {"start", message.start.count()},
              {"end", message.end.count()},
              {"totals", figures_to_json(message.totals)},
              {"loss", message.network.loss},
              {"loss_sample", message.network.loss_sample},
              {"round_trip_time", message.network.round_trip_time.count()},
              {"bandwidth", message.network.bandwidth.value},
              {"rate", message.network.rate.value},
              {"shortest_datagram", message.network.shortest_datagram},
              {"longest_datagram", message.network.longest_datagram},
              {"verified", nullptr},
              {"waiting", message.waiting.count()}};
  if (message.verified) out["verified"] = *message.verified;
  if (!message.awaited.empty()) out["awaited"] = message.awaited;
  if (message.traced_end) out["traced_end"] = traced_to_json(*message.traced_end);
  if (message.network_thread) out["network_thread"] = message.network_thread->count();
  if (!message.notes.empty()) out["notes"] = message.notes;
  for (const transport::PathCounts& path : message.paths)
    out["paths"].push_back({path.peer, path.datagrams, path.lost});
  return dump(out);
}

template <>
RankReport from_payload<RankReport>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    RankReport message;
    message.supersteps = whole<std::uint64_t>(in.at("supersteps"));
    message.epoch = whole<std::uint32_t>(in.at("epoch"));
    message.before_world = whole<std::uint64_t>(in.at("before_world"));
    message.total = Seconds{in.at("total").get<double>()};
    message.start = Seconds{in.at("start").get<double>()};
    message.end = Seconds{in.at("end").get<double>()};
    message.totals = figures_from_json(in.at("totals"));
    message.network.loss = in.at("loss").get<double>();
    message.network.loss_sample = whole<std::uint64_t>(in.at("loss_sample"));
    message.network.round_trip_time = duration(in.at("round_trip_time"));
    message.network.bandwidth.value = in.at("bandwidth").get<double>();
    message.network.rate.value = in.at("rate").get<double>();
    message.network.shortest_datagram = whole<std::size_t>(in.at("shortest_datagram"));
    message.network.longest_datagram = whole<std::size_t>(in.at("longest_datagram"));
    if (!in.at("verified").is_null()) message.verified = in.at("verified").get<bool>();
    message.waiting = Seconds{in.at("waiting").get<double>()};
    message.awaited = ranks_from(in.value("awaited", json::array()));
    message.notes = notes_from_json(in.value("notes", json::object()));
    if (in.contains("traced_end")) message.traced_end = traced_from_json(in.at("traced_end"));
    if (in.contains("network_thread")) message.network_thread = duration(in.at("network_thread"));
    for (const json& path : in.value("paths", json::array()))
      message.paths.push_back({whole<Rank>(path.at(0), 0, transport::max_ranks - 1),
                               whole<std::uint64_t>(path.at(1)), whole<std::uint64_t>(path.at(2))});
    return message;
  });
}

std::string to_payload(const Exited& message) {
  const MemoryEnd memory_end;
  return dump({{"code", message.code},
               {"signal", message.signal},
               {"problem", message.problem},
               {"limit", message.limit}});
}

template <>
Exited from_payload<Exited>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    return Exited{whole<int>(in.at("code")), whole<int>(in.at("signal")), in.at("problem").get<std::string>(),
                  in.value("limit", std::string())};
  });
}

}  // namespace lbsp::job
