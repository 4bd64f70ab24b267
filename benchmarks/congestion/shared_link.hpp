#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"
#include "transport/simulated/tcp_flow.hpp"

namespace lbsp::bench {

/// One link with a drop-tail queue, which everybody sends through.
struct LinkSpec {
  struct Change {
    double at_seconds = 0;
    double megabits = 0;
  };

  double megabits = 100;
  double round_trip_ms = 40;
  double queue = 1;  ///< in products of rate and round trip
  double loss = 0;   ///< of the jobs' datagrams, at random, behind the link
  bool polices = false;
  std::vector<Change> changes = {};
  std::uint64_t seed = 1;
};

/// What passed in some time.
struct Passage {
  std::vector<double> megabits =
      {};                 ///< that arrived from each job and flow, in the order in which they were added
  double used = 0;        ///< of what the link can carry
  double drops = 0;       ///< of the datagrams and segments that came to it
  double delay_ms = 0;    ///< in its queue: exceeded for 5 % of the time
  double supersteps = 0;  ///< of the first job
  double wire_per_payload = 0;  ///< of the first job, up to the end of its last superstep
};

/// Jobs of two ranks, of which one sends to the other superstep after superstep, and TCP flows, on one link, in virtual
/// time that begins with 0 s.
class SharedLink {
 public:
  explicit SharedLink(const LinkSpec& spec);

  /// A job whose rate is told, or found if it is 0. Its messages are of 50 products of the link's rate and round trip.
  void add_job(double at_seconds, double told_megabits);
  /// A flow of so many segments; 0: without an end.
  void add_flow(transport::CongestionControl control, double at_seconds, std::uint64_t segments = 0);

  /// Until so many seconds from now.
  Passage run(double seconds);

  double round_trip_seconds() const { return spec_.round_trip_ms / 1000; }
  /// How long the flows that have ended took.
  std::vector<double> finished_seconds() const;

 private:
  struct Sender {
    std::unique_ptr<transport::RunningJob> job = {};
    std::unique_ptr<transport::TcpFlow> flow = {};
    transport::Instant begin;
    std::optional<transport::SimulationConfig> waits = {};  ///< a job that is to begin
  };

  transport::Instant at(double seconds) const;
  double later(double seconds) const;
  double product_bytes() const { return spec_.megabits * 1e6 / 8 * round_trip_seconds(); }
  void start(Sender& sender);
  void run_to(transport::Instant bound);
  static double arrived_bytes(const Sender& sender);
  std::vector<double> arrived_bytes() const;
  void note_wire();

  LinkSpec spec_;
  std::shared_ptr<transport::Bottleneck> link_;
  transport::SharedTime time_;
  std::vector<Sender> senders_;
  double now_seconds_ = 0;
  double wire_bytes_ = 0;     ///< of the first job, when the payload last grew
  double payload_bytes_ = 0;  ///< likewise
};

}  // namespace lbsp::bench
