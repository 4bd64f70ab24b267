#include "lbsp/bsplib/own_job.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "lbsp/job/joining/mpi_job.hpp"
#include "lbsp/job/joining/pmix_job.hpp"
#include "lbsp/job/joining/standard_streams.hpp"
#include "lbsp/job/messages.hpp"
#include "lbsp/job/output_frames.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/threads/threads_exchange.hpp"
#include "transport/thrown.hpp"

namespace lbsp::bsplib {

using job::FrameKind;

namespace {

void refuse_threads(const job::Welcome& welcome) {
  if (welcome.backend != job::Backend::threads || welcome.size == 1) return;
  throw UsageError(
      "--backend threads: the global variables of a C program would be shared by all its ranks: leave the option "
      "out, as processes of one machine share memory without it");
}

/// One of its processes says so for all: mpirun ends the others when that has ended.
[[noreturn]] void refuse_mpi() {
  const char* const rank = std::getenv("PMIX_RANK");
  if (rank != nullptr && std::string_view(rank) != "0") std::this_thread::sleep_for(std::chrono::seconds{2});
  throw UsageError(
      "--backend mpi: messages of a program of bsp.h do not go over MPI: leave the option out, or start the program by "
      "mpirun without lbsp run");
}

/// Such a program cannot be called again from its beginning: its state is all its memory.
void refuse_survival(const job::Welcome& welcome) {
  if (welcome.options.outlives_ranks)
    throw UsageError(
        "--on-failure shrink and respawn are for programs that can be called again: leave them out for bsp.h");
  if (!welcome.checkpoint.empty() || !welcome.restart.empty())
    throw UsageError(
        "--checkpoint and --restart are for programs that keep their states: leave them out for bsp.h");
}

}  // namespace

void OwnJob::arrive() {
  job::joining::open_standard_descriptors();
  if (std::getenv(job::joining::mark_variable) != nullptr) refuse_mpi();
  if (const auto socket = job::Channel::inherited()) {
    channel_ = std::make_unique<job::Channel>(*socket);
    arrival_ = job::joining::arrive(*channel_, job::joining::SizeKnown::later);
    rank_ = arrival_->welcome.rank;
    size_ = arrival_->welcome.size;
    refuse_threads(arrival_->welcome);
    refuse_survival(arrival_->welcome);
  } else if (job::joining::PmixClient::is_inherited()) {
    site_ = std::make_unique<job::joining::PmixClient>();
    rank_ = site_->rank();
    size_ = site_->size();
  }
}

bool OwnJob::join(Number processes) {
  if (channel_) return enter(processes);
  if (site_) return enter_under_pmix(processes);
  alone_ = std::move(transport::make_threads_exchanges(1).front());
  return true;
}

bool OwnJob::enter(Number processes) {
  const auto called = std::chrono::steady_clock::now();
  if (rank_ == 0) {
    const Number size = std::min<Number>(processes, size_);
    channel_->send({FrameKind::size, 0, fmt::format("{}", size)});
  }
  auto membership = job::joining::enter(*channel_, std::move(*arrival_), job::joining::SizeKnown::later);
  arrival_.reset();
  if (membership.exchanges.empty()) return false;
  member_ = std::make_unique<job::member::Member>(std::move(membership.exchanges.front()),
                                                  job::member::tell_over(*channel_, std::uint16_t{0}));
  if (membership.welcome.trace) member_->account().trace();
  member_->account().trace(std::move(membership.log));
  watch_ = std::make_unique<job::member::Watch>(*channel_, std::vector<job::member::Member*>{member_.get()},
                                                membership.welcome.progress);
  member_->account().joined_in(std::chrono::steady_clock::now() - called);
  return true;
}

bool OwnJob::enter_under_pmix(Number processes) {
  auto membership = job::joining::join(*site_, static_cast<Rank>(std::min<Number>(processes, size_)));
  if (membership.exchanges.empty()) {
    site_->finalize();
    return false;
  }
  member_ = job::joining::make_member(std::move(membership), site_->host());
  return true;
}

void OwnJob::leave() {
  if (member_) member_->leave();
  if (site_) site_->finalize();
}

void OwnJob::world_begins(World& world) {
  if (member_) member_->account().watch(world);
  if (channel_) channel_->send({FrameKind::begun, 0, {}});
}

void OwnJob::world_ends(const World& world, Seconds ran, Seconds ending) {
  if (!member_) return;
  member_->account().left_in(ending);
  // Now, for it may leave by _exit.
  member_->account().report(world, ran);
}

void OwnJob::another_follows(const World& world, Seconds ran) {
  if (member_) member_->leave_world(world, ran);
}

void OwnJob::fail(const std::exception_ptr& thrown, const World* world, Seconds ran) {
  if (member_ && world != nullptr) {
    member_->fail(thrown);
    member_->account().report(*world, ran);
    member_->leave();
  } else if (channel_) {
    const job::Failure failure{describe_thrown(thrown), false};
    channel_->send({FrameKind::failure, 0, to_payload(failure)});
  } else if (const auto mark = job::joining::inherited_mark()) {
    const job::Failure failure{describe_thrown(thrown), false};
    job::FrameLines(*mark).write(stderr, {FrameKind::failure, 0, to_payload(failure)});
  } else {
    print_error(describe_thrown(thrown));
  }
}

}  // namespace lbsp::bsplib
