// What is said of the datagrams of a run, one by one.
#include <nlohmann/json.hpp>

#include "lbsp/job/message_json.hpp"
#include "lbsp/job/messages.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::job {
namespace {

using nlohmann::json;
using transport::PathEvent;

json event_to_json(const PathEvent& event) {
  json out = json::array({static_cast<int>(event.what), event.at.time_since_epoch().count(), event.peer});
  if (event.what == PathEvent::What::measured) {
    out.insert(out.end(), {event.round_trip.count(), event.least.count(), event.rate.value, event.loss});
  } else {
    out.insert(out.end(), {event.kind, event.number, event.bytes, event.acknowledged});
  }
  return out;
}

PathEvent event_from_json(const json& in) {
  PathEvent event{.what = one_of(in.at(0), PathEvent::What::measured),
                  .peer = whole<Rank>(in.at(2), 0, transport::max_ranks - 1),
                  .at = transport::Instant{duration(in.at(1))}};
  if (event.what == PathEvent::What::measured) {
    event.round_trip = duration(in.at(3));
    event.least = duration(in.at(4));
    event.rate = {in.at(5).get<double>()};
    event.loss = in.at(6).get<double>();
  } else {
    event.kind = whole<std::uint8_t>(in.at(3));
    event.number = whole<std::uint64_t>(in.at(4));
    event.bytes = whole<std::uint32_t>(in.at(5));
    event.acknowledged = whole<std::uint64_t>(in.at(6));
  }
  return event;
}

}  // namespace

std::string to_payload(const Packets& message) {
  const MemoryEnd memory_end;
  json events = json::array();
  for (const PathEvent& event : message.events)
    events.push_back(event_to_json(event));
  return dump({{"dropped", message.dropped}, {"events", std::move(events)}});
}

template <>
Packets from_payload<Packets>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    Packets message{.dropped = whole<std::uint64_t>(in.at("dropped")), .events = {}};
    for (const json& event : in.at("events"))
      message.events.push_back(event_from_json(event));
    return message;
  });
}

}  // namespace lbsp::job
