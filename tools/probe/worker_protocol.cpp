#include "tools/probe/worker_protocol.hpp"

#include <nlohmann/json.hpp>

#include "tools/launch/hosts/worker_line.hpp"
#include "tools/probe/key_file.hpp"
#include "tools/profile/profile_file.hpp"
#include "transport/error.hpp"

namespace lbsp::probe {
namespace {

using launch::hosts::read_worker_line;
using launch::hosts::worker_line;
using nlohmann::json;

constexpr int worker_version = 3;

json to_json(const std::optional<profile::ComputeRates>& rates) {
  if (!rates) return nullptr;
  return {rates->dgemm_flops, rates->sort_keys, rates->fft_flops, rates->stencil_points};
}

std::optional<profile::ComputeRates> rates_from(const json& in) {
  if (in.is_null()) return std::nullopt;
  return profile::ComputeRates{in.at(0).get<double>(), in.at(1).get<double>(), in.at(2).get<double>(),
                               in.at(3).get<double>()};
}

/// The two hosts of a pair as a profile of their own.
profile::Profile pair_profile(const std::vector<profile::PairProfile>& pairs) {
  return {{}, {{"0", std::nullopt}, {"1", std::nullopt}}, pairs};
}

}  // namespace

std::string to_line(const Setup& setup) {
  return worker_line({{"version", worker_version},
                      {"key", key_as_text(setup.key)},
                      {"bind_address", setup.bind_address},
                      {"compute", setup.compute},
                      {"sizes", setup.plan.sizes},
                      {"count", setup.plan.count},
                      {"count_is_fixed", setup.plan.count_is_fixed},
                      {"most", setup.plan.most.value},
                      {"time_limit", setup.plan.time_limit.count()},
                      {"time_limit_is_fixed", setup.plan.time_limit_is_fixed},
                      {"sizes_are_fixed", setup.plan.sizes_are_fixed},
                      {"wan", setup.wan},
                      {"seed", setup.seed}});
}

Setup read_setup(std::string_view line) {
  return read_worker_line(line, [](const json& in) {
    if (in.at("version") != worker_version)
      throw Error("another version of lbsp: use the same lbsp everywhere");
    Setup setup;
    setup.key = key_from_text(in.at("key").get<std::string>(), "the key from lbsp probe");
    setup.bind_address = in.at("bind_address").get<std::string>();
    setup.compute = in.at("compute").get<bool>();
    setup.plan.sizes = in.at("sizes").get<std::vector<std::uint32_t>>();
    setup.plan.count = in.at("count").get<std::uint32_t>();
    setup.plan.count_is_fixed = in.at("count_is_fixed").get<bool>();
    setup.plan.most.value = in.at("most").get<double>();
    setup.plan.time_limit = transport::Duration{in.at("time_limit").get<transport::Duration::rep>()};
    setup.plan.time_limit_is_fixed = in.at("time_limit_is_fixed").get<bool>();
    setup.plan.sizes_are_fixed = in.at("sizes_are_fixed").get<bool>();
    setup.wan = in.at("wan").get<std::string>();
    setup.seed = in.at("seed").get<std::uint64_t>();
    return setup;
  });
}

std::string to_line(const Order& order) {
  return worker_line({{"host", order.responder.host}, {"port", order.responder.port}, {"seed", order.seed}});
}

Order read_order(std::string_view line) {
  return read_worker_line(line, [](const json& in) {
    return Order{{in.at("host").get<std::string>(), in.at("port").get<std::uint16_t>()},
                 in.at("seed").get<std::uint64_t>()};
  });
}

std::string to_line(const Ready& ready) {
  return worker_line({{"port", ready.port},
                      {"compute", to_json(ready.compute)},
                      {"machine", ready.machine},
                      {"processors", ready.processors},
                      {"slowdown", ready.slowdown}});
}

Ready read_ready(std::string_view line) {
  return read_worker_line(line, [](const json& in) {
    return Ready{in.at("port").get<std::uint16_t>(), rates_from(in.at("compute")),
                 in.at("machine").get<std::string>(), in.at("processors").get<int>(),
                 in.at("slowdown").get<double>()};
  });
}

std::string to_line(const Done& done) {
  json out{{"problem", done.problem},
           {"out_of_time", done.out_of_time},
           {"notes", done.result.notes},
           {"limited_by_sender", done.result.limited_by_sender}};
  if (done.problem.empty()) out["pairs"] = profile::to_json(pair_profile(done.result.pairs));
  return worker_line(out);
}

Done read_done(std::string_view line) {
  return read_worker_line(line, [](const json& in) {
    Done done;
    done.problem = in.at("problem").get<std::string>();
    done.out_of_time = in.at("out_of_time").get<bool>();
    done.result.notes = in.at("notes").get<std::vector<std::string>>();
    done.result.limited_by_sender = in.at("limited_by_sender").get<int>();
    if (done.problem.empty())
      done.result.pairs = profile::from_json(in.at("pairs").get<std::string>(), "a worker's figures").pairs;
    return done;
  });
}

}  // namespace lbsp::probe
