#pragma once

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "lbsp/job/member/tell.hpp"
#include "lbsp/trace/history.hpp"
#include "transport/path_log.hpp"

namespace lbsp::job::member {

/// What a rank tells of its supersteps one by one, and of its datagrams if it has a log of them: once, in as many
/// frames as it takes. One thread at a time may call it.
class ToldSteps {
 public:
  /// From now on, with what a trace has.
  void trace() { traces_ = true; }
  bool traces() const { return traces_; }
  /// And with the log's datagrams, if there is one.
  void trace(std::shared_ptr<const transport::PathLog> log) { log_ = std::move(log); }

  /// Without effect if it has been told before. `ranks`: of the world that began then.
  void tell(const Tell& tell, const History& history, Rank ranks,
            std::chrono::steady_clock::time_point began);
  /// How many of the log's datagrams went to each rank and came from it; none without a log.
  std::vector<transport::PathCounts> path_counts() const;

 private:
  void tell_packets(const Tell& tell, std::chrono::steady_clock::time_point began) const;

  bool told_ = false;
  bool traces_ = false;
  std::shared_ptr<const transport::PathLog> log_;  ///< none: no trace has datagrams
};

}  // namespace lbsp::job::member
