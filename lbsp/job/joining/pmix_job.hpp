#pragma once

#include <functional>
#include <memory>

#include "lbsp/job/joining/pmix_client.hpp"
#include "lbsp/job/joining/start_up.hpp"
#include "lbsp/job/member/member.hpp"
#include "lbsp/world.hpp"

namespace lbsp::job::joining {

/// The transports of a rank that srun, mpirun or the like has started: shared memory between successive ranks of one
/// host, UDP to others, at a rate that they find. Rank 0 says of how many ranks the job is to be; no exchanges: this
/// one is beyond them. All ranks call it, once. The variable LBSP_ADDRESS names the address at which others reach this
/// host, where it has several. Throws SystemError, or Error if the ranks do not fit together.
Membership join(PmixClient& site, Rank wanted);

/// One rank of such a job, which has no launcher to tell: of all ranks that fail together the one at fault writes one
/// line, or the lowest of those that miss it, which says on which host.
std::unique_ptr<member::Member> make_member(Membership membership, const std::string& host);

/// Takes part in such a job, as run_launched() in a launcher's.
int run_under_pmix(const std::function<void(World&)>& program);

}  // namespace lbsp::job::joining
