// What is said of ranks that are lost, and of the worlds that follow.
#include <nlohmann/json.hpp>

#include "lbsp/job/message_json.hpp"
#include "lbsp/job/messages.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::job {

using nlohmann::json;

std::string to_payload(const LossNotice& message) {
  const MemoryEnd memory_end;
  return dump({{"rank", message.slot},
               {"epoch", message.epoch},
               {"ended", message.ended},
               {"nobody_comes", message.nobody_comes},
               {"somebody_asks", message.somebody_asks}});
}

template <>
LossNotice from_payload<LossNotice>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    return LossNotice{.slot = whole<Rank>(in.at("rank"), 0, transport::max_ranks - 1),
                      .epoch = whole<std::uint32_t>(in.at("epoch")),
                      .ended = in.at("ended").get<bool>(),
                      .nobody_comes = in.at("nobody_comes").get<bool>(),
                      .somebody_asks = in.at("somebody_asks").get<bool>()};
  });
}

std::string to_payload(const Changed& message) {
  const MemoryEnd memory_end;
  return dump({{"epoch", message.epoch},
               {"members", message.members},
               {"lost", message.lost},
               {"boundary", message.boundary},
               {"silence", message.silence.count()},
               {"agreement", message.agreement.count()},
               {"seated", message.seated},
               {"newcomers", message.newcomers}});
}

std::string to_payload(const LeftWorld& message) {
  const MemoryEnd memory_end;
  json out = {{"epoch", message.epoch}, {"supersteps", message.supersteps}, {"keeps_all", message.keeps_all}};
  if (message.reached) out["reached"] = *message.reached;
  if (message.state) out["state"] = *message.state;
  return dump(out);
}

std::string to_payload(const Resumed& message) {
  const MemoryEnd memory_end;
  return dump({{"epoch", message.epoch},
               {"after", message.after.count()},
               {"waited", message.waited ? json(message.waited->count()) : json(nullptr)}});
}

std::string to_payload(const Missed& message) {
  const MemoryEnd memory_end;
  return dump({{"epoch", message.epoch},
               {"ranks", message.ranks},
               {"refused", message.refusal.to},
               {"error", message.refusal.error}});
}

template <>
Changed from_payload<Changed>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    Changed message{.epoch = whole<std::uint32_t>(in.at("epoch")),
                    .members = ranks_from(in.at("members")),
                    .lost = ranks_from(in.at("lost")),
                    .boundary = whole<std::uint64_t>(in.at("boundary")),
                    .silence = duration(in.at("silence")),
                    .agreement = duration(in.at("agreement")),
                    .seated = ranks_from(in.at("seated"))};
    for (const json& number : in.at("newcomers"))
      message.newcomers.push_back(whole<std::uint32_t>(number));
    if (message.newcomers.size() != message.seated.size())
      throw Error("not one newcomer for each that is seated: use the same lbsp everywhere");
    return message;
  });
}

template <>
LeftWorld from_payload<LeftWorld>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    LeftWorld message{whole<std::uint32_t>(in.at("epoch")), whole<std::uint64_t>(in.at("supersteps")),
                      in.at("keeps_all").get<bool>()};
    if (in.contains("reached")) message.reached = whole<std::uint64_t>(in.at("reached"));
    if (in.contains("state")) message.state = whole<std::uint64_t>(in.at("state"));
    return message;
  });
}

template <>
Resumed from_payload<Resumed>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    Resumed message{whole<std::uint32_t>(in.at("epoch")), duration(in.at("after"))};
    if (!in.at("waited").is_null()) message.waited = duration(in.at("waited"));
    return message;
  });
}

template <>
Missed from_payload<Missed>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    return Missed{.epoch = whole<std::uint32_t>(in.at("epoch")),
                  .ranks = ranks_from(in.at("ranks")),
                  .refusal = {.to = ranks_from(in.at("refused")), .error = whole<int>(in.at("error"))}};
  });
}

}  // namespace lbsp::job
