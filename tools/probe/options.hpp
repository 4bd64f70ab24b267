#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transport/impairment/wan_spec.hpp"
#include "transport/probe/client.hpp"
#include "transport/units.hpp"

namespace lbsp::probe {

/// What the user asked of `lbsp probe`.
struct ProbeOptions {
  std::optional<std::uint16_t> listen;  ///< be the far side, on this port
  bool once = false;                    ///< … for one client
  std::string host;                     ///< the other host; may have a user
  std::uint16_t port = 0;               ///< where it listens; 0: it is started there by ssh
  std::string hosts_file;               ///< measure all pairs
  std::optional<int> sample;            ///< … or so many
  std::string pairs;                    ///< … or these, HOST/HOST,…
  std::string resume_file;              ///< … or those that this profile lacks
  std::optional<int> parallel;          ///< pairs at a time; none: as many as do not disturb each other
  bool worker = false;                  ///< started by another lbsp probe

  transport::probe::MeasurementPlan plan;
  bool compute = true;
  std::string key_file;
  std::optional<transport::WanSpec> wan;
  std::uint64_t seed = 1;
  std::string json_file;
  std::string svg_file;
  std::vector<std::string> launch_agent;
  std::string remote_lbsp;
  transport::Duration start_timeout = std::chrono::seconds{30};
};

/// Reads what follows `lbsp probe`. Nothing means that the user asked for help, which has been printed.
/// Throws UsageError.
std::optional<ProbeOptions> parse_probe_options(const std::vector<std::string>& arguments);

}  // namespace lbsp::probe
