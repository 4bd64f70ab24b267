#pragma once

#include <cstddef>

#include "transport/core/endpoint.hpp"
#include "transport/lasting/earlier_worlds.hpp"
#include "transport/lasting/process_names.hpp"
#include "transport/lasting/slot_records.hpp"
#include "transport/membership/letter.hpp"
#include "transport/membership/view.hpp"

namespace lbsp::transport {

/// What a process takes along from one epoch of its job to the next: the job's key, where the others are, what the
/// paths to them have shown, and what has been sent. Of that the endpoint of each epoch is made.
class Succession {
 public:
  /// `job` is of the first epoch; its rank is this process's slot. Of later epochs `planner` makes the planner. Throws
  /// UsageError if an agreement cannot have so many ranks.
  Succession(EndpointConfig job, PlannerFactory planner);

  /// Of all epochs, but for the key, which is of this one. Of a job that ends with any of its ranks it is all that its
  /// only endpoint is made of.
  const EndpointConfig& job() const { return job_; }
  const SlotRecords& records() const { return records_; }
  const EarlierWorlds& earlier() const { return earlier_; }

  /// What a new process is told of the others by the letter with which it begins.
  void learn(const Letter& letter);
  /// An epoch ends by this decision: what its endpoint has shown of the paths to others, by slots, as ranks are others
  /// in the next one. There may be so many stations. Returns what is written of the next epoch.
  Letter end_epoch(Epoch epoch, const MemberSet& members, const Decision& value, const Endpoint& endpoint,
                   const ProcessNames& names, std::size_t stations);
  /// The epoch that the letter is of begins.
  void begin_epoch(const Letter& letter) { job_.key = letter.key; }
  /// What the endpoint of this epoch is made of, in which this process has that rank.
  EndpointConfig endpoint_of(Epoch epoch, Rank rank, const ProcessNames& names) const;

 private:
  EndpointConfig job_;
  PlannerFactory planner_;
  SlotRecords records_;  ///< empty where the job ends with any of its ranks
  EarlierWorlds earlier_;
};

}  // namespace lbsp::transport
