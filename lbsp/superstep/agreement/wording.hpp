#pragma once

#include <string>

#include "lbsp/superstep/messages/layout.hpp"

namespace lbsp::superstep {

/// How errors about ranks that disagree name what the program called. There is one for each interface in
/// which programs are written.
struct Wording {
  const char* sync;             ///< "called sync()"
  const char* end;              ///< "ended the program"
  const char* nothing_further;  ///< this rank's log is shorter than the other's
  const char* register_alike;   ///< what to do about different registrations
  const char* call_alike;       ///< what to do about different collectives
  const char* run_alike;        ///< what to do about different graphs of tasks
  const char* sync_alike;       ///< what to do where one ends and another syncs
  /// The call behind an entry that is not a collective's.
  std::string (*describe)(const LogEntry& entry);
};

/// Of the C++ interface.
extern const Wording cxx_wording;

/// The call behind any entry.
std::string describe(const LogEntry& entry, const Wording& wording);

}  // namespace lbsp::superstep
