#pragma once

#include <string>

namespace lbsp {

/// What this host lets lbsp do, each in a few words for `lbsp --version`; found out by trying it.

/// Whether the kernel cuts up, or puts together, several datagrams in one call.
std::string udp_offload();
/// Whether ranks of one host can have memory in common.
bool can_share_memory();
/// Whether the library is here by which srun, mpirun and others start programs.
std::string pmix_ability();
/// Whether `lbsp wan` can make virtual hosts.
std::string bed_ability();

}  // namespace lbsp
