#pragma once

#include <memory>
#include <optional>

#include "transport/shared_memory/board.hpp"
#include "transport/shared_memory/fetches.hpp"
#include "transport/shared_memory/heartbeat.hpp"
#include "transport/shared_memory/inbox.hpp"
#include "transport/shared_memory/job_end.hpp"
#include "transport/shared_memory/message_memory.hpp"
#include "transport/shared_memory/outbox.hpp"
#include "transport/shared_memory/reach.hpp"

namespace lbsp::transport::shared_memory {

/// What the links of one rank stand on. `owner` keeps the board. Without `reach`, nothing can be fetched.
struct Ground {
  Board board;
  std::shared_ptr<MessageMemory> memory;
  std::shared_ptr<const Reach> reach;
  std::shared_ptr<const void> owner;
};

/// One rank's links to the other ranks of its host: messages through cells and rooms that all of them see. Nobody takes
/// a lock, so a rank that dies at any point stops nobody.
///
/// One thread uses the links; only JobEnd::abort() and JobEnd::end() may be called from others.
class Links {
 public:
  /// Begins to show that this rank lives. Throws SystemError.
  Links(Ground ground, LinksConfig config);
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  /// The rank is lost to the others unless it has finished.
  ~Links();

  Rank seats() const { return ground_.board.seats(); }
  /// For how long the thread that shows that this rank lives has had a processor; 0 if there is none.
  Duration thread_time() { return heartbeat_ ? heartbeat_->processor_time() : Duration{0}; }

  Outbox& outbox() { return outbox_; }
  Inbox& inbox() { return inbox_; }
  Fetches& fetches() { return fetches_; }
  const Fetches& fetches() const { return fetches_; }
  const JobEnd& end() const { return end_; }

 private:
  Ground ground_;
  LinksConfig config_;
  JobEnd end_;
  Outbox outbox_;
  Inbox inbox_;
  Fetches fetches_;
  std::optional<Heartbeat> heartbeat_;
};

}  // namespace lbsp::transport::shared_memory
