#pragma once

#include <memory>
#include <string>

#include "lbsp/plan/model_planner.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Jobs in virtual time whose redundancy is planned.
namespace lbsp::plan {

/// A job whose rate is told, or found where it is 0.
inline transport::SimulationConfig planned_job(Rank size, const transport::WanSpec& wan,
                                               double told_megabits = 0) {
  transport::SimulationConfig config;
  config.size = size;
  config.wan = wan;
  config.options.rate = transport::megabits_per_second(told_megabits > 0 ? told_megabits : 100);
  config.options.find_rate = told_megabits == 0;
  config.planner = [](Rank) {
    return std::make_unique<ModelPlanner>(
        transport::ExchangeOptions{.redundancy = transport::Redundancy::automatic});
  };
  if (transport::cipher_available(transport::Cipher::aes256_gcm))
    config.cipher = transport::Cipher::aes256_gcm;
  return config;
}
inline transport::SimulationConfig planned_job(Rank size, const std::string& wan, double told_megabits = 0) {
  return planned_job(size, transport::parse_wan_spec(wan), told_megabits);
}

inline void run_until(transport::SharedTime& time, transport::Instant bound) {
  time.run_until([] { return false; }, bound);
}

}  // namespace lbsp::plan
