#pragma once

namespace lbsp::job::joining {

/// How many ranks of this process's job were on its host when the job began, these among them, by whoever has started
/// it: by what was set, or by mpirun's word; 1, where nobody says so.
int ranks_on_host();
void set_ranks_on_host(int ranks);

}  // namespace lbsp::job::joining
