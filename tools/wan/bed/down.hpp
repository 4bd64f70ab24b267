#pragma once

#include "tools/wan/bed/bed.hpp"

namespace lbsp::wan::bed {

/// Ends all that runs on the bed's hosts (SIGTERM, five seconds later SIGKILL), the router, and with it the
/// hosts, and removes the bed's files; also if the router has been killed or the bed never became complete.
/// Throws UsageError if there is no such bed, SystemError if something cannot be ended.
void end_bed(const BedFolder& folder);

}  // namespace lbsp::wan::bed
