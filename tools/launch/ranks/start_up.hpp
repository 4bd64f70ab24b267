#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "tools/launch/network/known_network.hpp"
#include "tools/launch/places/placement.hpp"

namespace lbsp::launch::ranks {

/// A job's processes before its first superstep: what each is told to begin with, and what must be known of
/// all before any can start.
class StartUp {
 public:
  /// `known`, if any, must live as long.
  StartUp(const request::RunOptions& options, const places::Placement& placement,
          const network::KnownNetwork* known);

  /// What starts each process, and what it is to be told first. With threads there is one for all ranks.
  const std::vector<job::Spawn>& spawns() const { return spawns_; }
  /// Like which rank 0 has one, as it is now; none if the user has no terminal.
  std::optional<job::Terminal> terminal() const;
  job::Welcome welcome(const job::Spawn& spawn, bool progress) const;

  void hello(Rank first_rank, const job::Hello& hello);
  bool everyone_joined() const { return missing_ == 0; }
  /// Rank 0's word on how many ranks the job is to be; more than were started are as many as were.
  /// Throws Error if it is no such number.
  void set_size(std::uint64_t size);
  /// Rank 0 has ended in order without a word on it: no rank is wanted.
  void want_nobody();
  /// Whether that process may end in order before the start: its program says late how many ranks it wants.
  bool may_leave(Rank first_rank) const;
  /// How many processes have said hello, of those that are started.
  std::size_t there() const { return spawns_.size() - missing_; }
  /// How many ranks the job has.
  Rank size() const { return size_; }
  /// Everyone is there, and the size known.
  bool complete() const { return missing_ == 0 && !size_missing_; }
  /// Whether that process has said hello.
  bool joined(Rank first_rank) const { return hellos_[static_cast<std::size_t>(first_rank)].has_value(); }

  /// When complete. With the addresses of new processes in the places of lost ones.
  job::Start start() const;
  /// What such a process is told first, in the place of that rank on that host, and where it is.
  job::Welcome welcome_newcomer(Rank rank, std::size_t host, bool progress) const;
  void hello_newcomer(Rank rank, std::size_t host, const job::Hello& hello);
  /// It has got the place.
  void seat_newcomer(Rank rank);
  /// A host more, for ranks that join.
  void add_host(const places::PlacedHost& host) { placement_.hosts.push_back(host); }
  /// It is not needed: the rank is where it was.
  void forget_newcomer(Rank rank) { newcomers_.erase(rank); }
  /// Whether ranks of a host exchange through memory: if there are such hosts, and all their ranks have it.
  bool share_memory() const;
  /// Whether all ranks of the job are on one host.
  bool within_one_host() const;

 private:
  using Place = network::KnownNetwork::Place;
  /// By rank; none are known where there is no profile.
  using Places = std::vector<Place>;

  /// Where a process is that began later than the job.
  struct Newcomer {
    transport::PeerAddress address;
    Place place;
  };

  transport::ExchangeOptions options_on(Place place, const Places& others) const;
  network::KnownNetwork::Paths paths_from(Place place, const Places& others) const;
  job::Welcome welcome_at(Place place, Rank rank, bool progress) const;
  job::Start with_moved(job::Start start) const;
  void add_spawn(const request::RunOptions& options, const places::PlacedHost& host, Rank first, int ranks);

  request::RunOptions options_;
  places::Placement placement_;
  const network::KnownNetwork* known_;
  transport::JobKey key_;
  std::vector<job::Spawn> spawns_;
  std::vector<std::optional<job::Hello>> hellos_;  ///< by first rank
  std::map<Rank, Newcomer> seated_;                ///< in lost ones' places
  std::map<Rank, Newcomer> newcomers_;             ///< that have none yet
  Places places_;  ///< by rank, where the processes are now; empty: there is no profile
  std::size_t missing_ = 0;
  Rank size_;
  bool size_missing_ = false;
};

}  // namespace lbsp::launch::ranks
