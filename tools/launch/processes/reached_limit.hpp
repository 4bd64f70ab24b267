#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lbsp::launch::processes {

/// The limits that the processes of this host have from their parent (ulimit); none: no limit.
struct ProcessLimits {
  std::optional<std::uint64_t> signalled_seconds;  ///< of a processor, after which a process gets SIGXCPU …
  std::optional<std::uint64_t> killed_seconds;     ///< … and SIGKILL
  std::optional<std::uint64_t> stack_bytes;
  std::optional<std::uint64_t> file_bytes;  ///< of a file that it writes
};

/// This process's, which its children have too.
ProcessLimits own_limits();

/// The limit that explains why a process was killed by this signal after it had used `seconds` of a processor, and what
/// to do about it; empty if there is none.
std::string reached_limit(int signal, double seconds, const ProcessLimits& limits);

/// The same for a child of this process that has just ended so. The system counts what all children have used together:
/// what has come to that since the last call was this child's.
std::string limit_reached_by_child(int signal);

}  // namespace lbsp::launch::processes
