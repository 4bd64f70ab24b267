#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/wan/bed/bed.hpp"
#include "transport/impairment/wan_spec.hpp"

namespace lbsp::wan {

/// What the user asked of `lbsp wan up`.
struct UpOptions {
  std::string name = "wan";
  std::optional<int> hosts;
  std::optional<transport::WanSpec> wan;
  std::string matrix_file;   ///< or empty
  std::string profile_file;  ///< or empty
  std::uint64_t seed = 1;
  bool tells = true;     ///< senders of packets that are longer than their path carries
  bool offloads = true;  ///< packets pass the hosts' devices in trains, if the kernel has that
};

/// Makes the bed and returns when its hosts can talk. Throws UsageError or SystemError; then nothing of it is
/// left.
bed::BedRecord make_bed(const UpOptions& options);

/// The command that `lbsp run --launch-agent` takes to reach the bed's hosts.
std::string launch_agent(const bed::BedFolder& folder);

}  // namespace lbsp::wan
