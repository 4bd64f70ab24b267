#include "tools/launch/request/option_combinations.hpp"

#include <fmt/format.h>

#include "tools/launch/request/survival_options.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::request {
void check_combinations(const RunOptions& options) {
  if (options.backend == job::Backend::threads && !options.hosts_file.empty()) {
    throw UsageError("--backend threads with --hosts: threads are of one machine: leave one of them out");
  }
  if (options.backend == job::Backend::threads && options.wan) {
    throw UsageError("--backend threads with --wan: threads send no datagrams: use --backend udp");
  }
  if (options.trace_packets > 0 && options.backend != job::Backend::udp) {
    throw UsageError(
        fmt::format("--trace-packets with --backend {}: it sends no datagrams of lbsp: use --backend udp",
                    job::name_of(options.backend)));
  }
  if (options.sharing == Sharing::on && options.wan) {
    throw UsageError("--shared-memory on with --wan: nothing can be lost in memory: leave one of them out");
  }
  if (options.sharing == Sharing::on && options.backend != job::Backend::udp) {
    throw UsageError(fmt::format(
        "--shared-memory on with --backend {}: it is for processes of lbsp: leave one of them out",
        job::name_of(options.backend)));
  }
  if (options.backend == job::Backend::mpi && options.wan) {
    throw UsageError(
        "--backend mpi with --wan: lbsp cannot spoil what MPI sends: use lbsp wan, which makes hosts with "
        "such a network between them");
  }
  check_survival(options);
}

}  // namespace lbsp::launch::request
