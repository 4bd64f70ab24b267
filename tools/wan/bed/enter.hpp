#pragma once

#include <string>
#include <vector>

#include "tools/wan/bed/bed.hpp"

namespace lbsp::wan::bed {

/// Becomes the command on a host of the bed: in its network namespace, under its host name, with the bed's
/// hosts in /etc/hosts; all else is this machine's. Returns only if it cannot, by throwing UsageError or
/// SystemError; or 127 if there is no such command, which it says itself.
int exec_on(const BedFolder& folder, const BedRecord& bed, const BedHost& host,
            const std::vector<std::string>& command);

/// Runs the command on all hosts at once and waits. Returns the first host's exit code that is not 0; 128 + N
/// stands for an end by signal N.
int exec_on_all(const BedFolder& folder, const BedRecord& bed, const std::vector<std::string>& command);

/// Moves the calling thread into the host's network. Throws UsageError if the bed's router is dead, which
/// takes the hosts with it.
void enter_host(const BedRecord& bed, const BedHost& host);

}  // namespace lbsp::wan::bed
