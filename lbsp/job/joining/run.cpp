#include "lbsp/job/run.hpp"

#include <atomic>
#include <exception>

#include "lbsp/job/channel.hpp"
#include "lbsp/job/joining/launched_job.hpp"
#include "lbsp/job/joining/mpi_job.hpp"
#include "lbsp/job/joining/pmix_job.hpp"
#include "lbsp/job/joining/standard_streams.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/threads/threads_exchange.hpp"
#include "transport/thrown.hpp"

namespace lbsp {
namespace {

void run_alone(const std::function<void(World&)>& program) {
  const auto exchanges = transport::make_threads_exchanges(1);
  World world(*exchanges.front());
  program(world);
  world.finish();
}

}  // namespace

int run(const std::function<void(World&)>& program) {
  static std::atomic<bool> launched = false;
  job::joining::open_standard_descriptors();
  try {
    if (launched)
      throw UsageError("lbsp::run was called a second time: call it once, with the whole program");
    if (const auto mark = job::joining::inherited_mark()) {
      launched = true;
      return job::joining::run_under_mpi(*mark, program);
    }
    if (const auto socket = job::Channel::inherited()) {
      launched = true;
      job::Channel channel(*socket);
      return job::joining::run_launched(channel, program);
    }
    if (job::joining::PmixClient::is_inherited()) {
      launched = true;
      return job::joining::run_under_pmix(program);
    }
    run_alone(program);
    return 0;
  } catch (...) {
    print_error(describe_thrown(std::current_exception()));
    return 1;
  }
}

}  // namespace lbsp
