#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lbsp/notes.hpp"
#include "lbsp/trace/history.hpp"
#include "transport/impairment/wan_spec.hpp"
#include "transport/loss_notice.hpp"
#include "transport/missing.hpp"
#include "transport/options.hpp"
#include "transport/path_log.hpp"
#include "transport/redundancy.hpp"
#include "transport/traffic.hpp"
#include "transport/udp/sockets/socket_address.hpp"
#include "transport/units.hpp"
#include "transport/wire/sealing.hpp"
#include "transport/world_change.hpp"

namespace lbsp::job {

/// How a job's supersteps are carried.
enum class Backend : std::uint8_t { udp, threads, mpi, shared_memory };

/// As the command line names it.
const char* name_of(Backend backend);

/// The ranks of one host that are to exchange through memory, and the largest message between two of them.
struct SharedMemory {
  Rank first_rank = 0;
  Rank ranks = 1;
  std::uint64_t message_bytes = 0;
};

/// The UDP port that the ranks of one host share.
struct HostPort {
  Rank first_rank = 0;
  Rank ranks = 1;
  std::string bind_address;
  std::uint16_t port = 0;
};

/// The user's terminal, as far as a program on another one must know it.
struct Terminal {
  bool input = false;   ///< standard input is one
  bool output = false;  ///< standard output is one
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
};

/// Launcher to host: start one process.
struct Spawn {
  Rank first_rank = 0;
  int ranks = 1;        ///< more than one: as threads of the process
  std::string program;  ///< a path, or a name to look up on that host
  std::vector<std::string> arguments;
  std::string directory;     ///< to start in, if that host has it
  std::string blas_threads;  ///< OPENBLAS_NUM_THREADS as the user set it; empty: he did not
  int ranks_on_host = 1;     ///< of the whole job, to share the processors between them
  bool input = false;        ///< standard input comes in input frames; otherwise it is empty
  bool whole_lines = false;  ///< its output is passed on by whole lines only, however long one takes to end
  std::optional<Terminal> terminal{};    ///< where the user has one, for the first rank
  std::optional<SharedMemory> shared{};  ///< of the whole host; none: the ranks share nothing
  std::optional<HostPort> port{};        ///< of the whole host; none: each rank takes one that is free
};

/// Of Welcome::trace_packets: 700 MB on each rank.
inline constexpr std::uint64_t most_trace_packets = 10'000'000;

/// Of Welcome::survive.
inline constexpr int most_survived = 16;

/// Where the others are to send what is for a rank that joins, which is another host's address, or its own host's by
/// another name.
struct ClaimedAddress {
  std::string address;
  std::string of;  ///< that other host
};

/// Launcher to rank, first of all: what it must know before it opens its port. The key goes beside the JSON,
/// so that no parser keeps a copy of it.
struct Welcome {
  Rank rank = 0;  ///< the first of the process
  Rank size = 1;
  Backend backend = Backend::udp;
  std::string bind_address;  ///< where a rank binds that has not inherited its port
  transport::ExchangeOptions options;
  /// What is known of the paths from this rank, by rank, before anything has been measured; empty: nothing.
  std::vector<std::optional<transport::PathForecast>> paths{};
  std::optional<transport::WanSpec> wan;
  std::uint64_t wan_seed = 0;
  transport::JobKey key;
  bool progress = false;            ///< whether to send progress frames
  bool trace = false;               ///< whether to keep what a trace has …
  std::uint64_t trace_packets = 0;  ///< … and the last so many events of single datagrams
  transport::Duration start_timeout{0};
  std::optional<SharedMemory> shared{};  ///< as in Spawn
  int ranks_on_host = 1;                 ///< likewise
  int survive = 1;           ///< so many hosts may be lost at once without the loss of a rank's state
  std::string checkpoint{};  ///< Survival::checkpoint: a path, any bytes
  std::string restart{};     ///< Survival::restart
  transport::Duration host_mtbf = std::chrono::hours{1};  ///< Survival::host_mtbf
  /// The process is to take the place of a lost one of that rank, or one that is added, on the host of this number
  /// (transport::Seat).
  std::optional<std::uint16_t> newcomer_on{};
  std::uint32_t newcomer = 0;               ///< then: its number, which a change of the world names it by
  std::optional<ClaimedAddress> claimed{};  ///< then: what it must have, or else its host is another's
};

/// Rank to launcher: it is there.
struct Hello {
  std::uint16_t port = 0;  ///< its UDP port; 0 if it needs none
  std::vector<transport::Cipher> ciphers;
  bool shares_memory = false;  ///< it has the memory that the welcome speaks of
  bool size_follows = false;   ///< rank 0 will say by a size frame of how many ranks the job is to be
};

/// Launcher to rank, when all have said hello, and rank 0 the size if that was to follow.
struct Start {
  /// By rank; who is beyond the last is not needed. A rank that was to join and never did has an empty one.
  std::vector<transport::PeerAddress> addresses;
  transport::Cipher cipher = transport::Cipher::chacha20_poly1305;
  bool share_memory = false;  ///< all ranks have the memory of their hosts, and are to use it
  /// Where `addresses` has those of new processes that have no place yet: those of the processes that may still
  /// have it.
  std::vector<std::pair<Rank, transport::PeerAddress>> former{};
};

/// Launcher to rank: what it knows of another rank's process.
using LossNotice = transport::LossNotice;

/// Rank to launcher: the program did not come to its end. `consequence` tells what other ranks' failures
/// bring about from what is this rank's own.
struct Failure {
  std::string message;
  bool consequence = false;
  std::optional<Rank> lost{};  ///< whom it takes for lost, which may be itself, if that is what happened
  bool excluded = false;  ///< the job goes on without it, or not at all: it is one of those that were lost
};

/// Rank to launcher, when it goes on in a new world: what has become of the one before. Of several that have followed
/// one another, each is told by itself.
using Changed = transport::WorldChange;

/// Rank to launcher, when the world that it was in has come to its end.
struct LeftWorld {
  std::uint32_t epoch = 0;       ///< of the world that follows
  std::uint64_t supersteps = 0;  ///< that the rank has completed in the one that ended
  /// The program goes on from whatever is left, and not from a state that it had before: none of them is done again.
  bool keeps_all = false;
  std::optional<std::uint64_t> reached = {};  ///< by World::reached(); none: it has not said so
  /// The number of the state that the world which follows begins with, by the program's own count; none: the rank has
  /// not got one since it came, so that it is the one that the world which ended began with.
  std::optional<std::uint64_t> state = {};
};

/// Rank to launcher, when it has completed a superstep in a new world.
struct Resumed {
  std::uint32_t epoch = 0;      ///< of that world
  transport::Duration after{};  ///< the rank had come to it, by its own clock
  /// So long it had been in the sync then that the change has ended; none: it was in none.
  std::optional<transport::Duration> waited = {};
};

/// Rank to launcher: for whom it does not wait any more. It may be that they are only slow.
using Missed = transport::Missing;

/// Of Progress::awaited.
inline constexpr std::size_t most_awaited_told = 16;

/// Rank to launcher, while the program runs: how far it is.
struct Progress {
  std::uint64_t supersteps = 0;  ///< that it has completed
  bool waiting = false;          ///< in a call that needs the other ranks; otherwise it computes
  std::uint32_t epoch = 0;       ///< of its world
  /// Of the supersteps, those before that world. Ranks of one world are one superstep apart at most.
  std::uint64_t before_world = 0;
  /// Of those that it waits for in that call, as far as known: the ranks at the job's start, a few at most.
  std::vector<Rank> awaited = {};

  friend bool operator==(const Progress&, const Progress&) = default;
};

/// `count` supersteps from `first` on.
struct SuperstepRange {
  std::uint64_t first = 0;
  std::uint64_t count = 1;
};

/// Rank to launcher, one or more before its report: what its supersteps cost, in order, as records of History.
struct Steps {
  std::uint64_t first = 0;                ///< the superstep with which the first record begins
  std::vector<SuperstepFigures> figures;  ///< one a record
  std::uint64_t each = 1;                 ///< supersteps in a record, at least 1
  std::uint64_t in_last = 1;              ///< supersteps in the last record, 1 to `each`
  std::vector<trace::Figures> traced{};   ///< one for each of `figures`, or none

  /// The supersteps in a record, which must be one of these.
  SuperstepRange range(std::size_t record) const {
    return {first + record * each, record + 1 == figures.size() ? in_last : each};
  }
};

/// Rank to launcher, one or more before its report: the events of single datagrams that a trace has, in order.
struct Packets {
  std::uint64_t dropped = 0;                 ///< older ones that are not kept
  std::vector<transport::PathEvent> events;  ///< by a clock that begins with the rank's World
};

/// Rank to launcher, when the program has ended, well or not.
struct RankReport {
  std::uint64_t supersteps = 0;
  std::uint32_t epoch = 0;         ///< as in Progress
  std::uint64_t before_world = 0;  ///< as in Progress
  Seconds total{0};
  Seconds start{
      0};          ///< from the program's call of lbsp::run to the launcher's word to start; 0: not measured
  Seconds end{0};  ///< from the end of the program to this rank's leaving
  SuperstepFigures totals;
  transport::NetworkMeasure network;
  std::optional<bool> verified;
  std::vector<Rank> awaited{};  ///< as in Progress
  Seconds waiting{0};  ///< in a call that has not come back, as part of the time communicating; 0: in none
  std::optional<trace::Figures>
      traced_end{};  ///< what no superstep has; none: no trace is kept, or no end reached
  std::vector<transport::PathCounts> paths{};  ///< to this rank, if a trace is kept
  /// Processor time of the rank's network thread; none: no trace is kept, or no end reached.
  std::optional<transport::Duration> network_thread{};
  Notes notes{};  ///< of the program's own
};

/// Host to launcher: a process has ended, and all that it wrote has been sent.
struct Exited {
  int code = 0;
  int signal = 0;       ///< the one that killed it; 0: none
  std::string problem;  ///< why it could not be started; empty if it was
  std::string limit{};  ///< of its host, which it has reached, and what to do; empty: none that is known
};

/// Each message as the payload of its frame, and back. Reading throws Error if the text is not such a message
/// or of another protocol version.
std::string to_payload(const Terminal& message);
std::string to_payload(const Spawn& message);
std::string to_payload(const Welcome& message);
std::string to_payload(const Hello& message);
std::string to_payload(const Start& message);
std::string to_payload(const LossNotice& message);
std::string to_payload(const Failure& message);
std::string to_payload(const Changed& message);
std::string to_payload(const LeftWorld& message);
std::string to_payload(const Resumed& message);
std::string to_payload(const Missed& message);
std::string to_payload(const Progress& message);
std::string to_payload(const Steps& message);
std::string to_payload(const Packets& message);
std::string to_payload(const RankReport& message);
std::string to_payload(const Exited& message);

template <class Message>
Message from_payload(std::string_view payload);

template <>
Terminal from_payload<Terminal>(std::string_view payload);
template <>
Spawn from_payload<Spawn>(std::string_view payload);
template <>
Welcome from_payload<Welcome>(std::string_view payload);
template <>
Hello from_payload<Hello>(std::string_view payload);
template <>
Start from_payload<Start>(std::string_view payload);
template <>
LossNotice from_payload<LossNotice>(std::string_view payload);
template <>
Failure from_payload<Failure>(std::string_view payload);
template <>
Changed from_payload<Changed>(std::string_view payload);
template <>
LeftWorld from_payload<LeftWorld>(std::string_view payload);
template <>
Resumed from_payload<Resumed>(std::string_view payload);
template <>
Missed from_payload<Missed>(std::string_view payload);
template <>
Progress from_payload<Progress>(std::string_view payload);
template <>
Steps from_payload<Steps>(std::string_view payload);
template <>
Packets from_payload<Packets>(std::string_view payload);
template <>
RankReport from_payload<RankReport>(std::string_view payload);
template <>
Exited from_payload<Exited>(std::string_view payload);

}  // namespace lbsp::job
