#include "tools/launch/ranks/start_up.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "tools/launch/network/first_rate.hpp"
#include "tools/launch/places/sharing.hpp"
#include "tools/uv/pseudo_terminal.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::ranks {

using network::KnownNetwork;
using places::PlacedHost;
using places::Placement;
using request::RunOptions;

namespace {

using transport::Cipher;

std::string own_blas_threads() {
  const char* text = std::getenv("OPENBLAS_NUM_THREADS");
  return text != nullptr ? text : "";
}

/// What of the user's terminal rank 0 gets one like. Where tags are written before its lines, its output goes
/// to no terminal; mpirun sees to its ranks' streams itself.
std::optional<job::Terminal> terminal_for(const RunOptions& options) {
  if (options.backend == job::Backend::mpi) return std::nullopt;
  const int output = options.json_to_output() ? STDERR_FILENO : STDOUT_FILENO;
  job::Terminal terminal{.input = ::isatty(STDIN_FILENO) != 0,
                         .output = ::isatty(output) != 0 && !options.tag_output};
  if (!terminal.input && !terminal.output) return std::nullopt;
  const auto size = uv::window_size(terminal.output ? output : STDIN_FILENO);
  terminal.rows = size.rows;
  terminal.columns = size.columns;
  return terminal;
}

std::optional<job::HostPort> port_of(const PlacedHost& host, const RunOptions& options,
                                     const Placement& placement) {
  if (options.port == 0 || options.backend != job::Backend::udp) return std::nullopt;
  return job::HostPort{.first_rank = host.first_rank,
                       .ranks = host.ranks,
                       .bind_address = placement.bind_address,
                       .port = placement.port_of(host, options.port)};
}

/// Who joins on a host that the job has already is on that one.
std::size_t number_of_host(const Placement& placement, std::size_t host) {
  const PlacedHost& placed = placement.hosts[host];
  const auto same = std::ranges::find_if(placement.hosts, [&](const PlacedHost& other) {
    return other.name == placed.name && other.address == placed.address;
  });
  return static_cast<std::size_t>(same - placement.hosts.begin());
}

}  // namespace

StartUp::StartUp(const RunOptions& options, const Placement& placement, const KnownNetwork* known)
    : options_(options),
      placement_(placement),
      known_(known),
      key_(transport::JobKey::random()),
      hellos_(static_cast<std::size_t>(placement.size)),
      size_(placement.size) {
  const bool one_process = options.backend != job::Backend::udp;
  if (one_process) add_spawn(options, placement.hosts.front(), 0, placement.size);
  for (const PlacedHost& host : placement.hosts) {
    if (one_process) break;
    for (Rank rank = host.first_rank; rank < host.first_rank + host.ranks; ++rank) {
      add_spawn(options, host, rank, 1);
    }
  }
  missing_ = spawns_.size();
  if (known != nullptr) places_ = known->places();
}

void StartUp::add_spawn(const RunOptions& options, const PlacedHost& host, Rank first, int ranks) {
  std::error_code ignored;
  spawns_.push_back({.first_rank = first,
                     .ranks = ranks,
                     .program = options.program,
                     .arguments = options.arguments,
                     .directory = std::filesystem::current_path(ignored),
                     .blas_threads = own_blas_threads(),
                     .ranks_on_host = host.ranks,
                     .input = first == 0,
                     .terminal = first == 0 ? terminal_for(options) : std::nullopt,
                     .shared = places::shared_memory_on(host, options, placement_),
                     .port = port_of(host, options, placement_)});
}

std::optional<job::Terminal> StartUp::terminal() const {
  return terminal_for(options_);
}

/// Where all are told the same rate, or find one, it is no other on that host.
transport::ExchangeOptions StartUp::options_on(Place place, const Places& others) const {
  transport::ExchangeOptions options = options_.exchange;
  if (options_.rates.empty()) return options;
  auto known = known_->rate(place, others);
  if (!known && !placement_.leaves_this_machine()) known = options.rate;
  const network::FirstRate first = network::first_rate(options_, known);
  options.rate = first.rate;
  options.find_rate = first.find;
  return options;
}

/// A rate that the user has told, and that is not lower for each path, counts for all. Where nothing is known of any,
/// each rank learns from its other paths.
KnownNetwork::Paths StartUp::paths_from(Place place, const Places& others) const {
  if (known_ == nullptr) return {};
  auto paths = known_->paths(place, others);
  if (std::ranges::none_of(paths, [](const auto& path) { return path.has_value(); })) return {};
  for (auto& path : paths) {
    if (path && options_.rates.empty()) path->bandwidth = {};
  }
  return paths;
}

job::Welcome StartUp::welcome(const job::Spawn& spawn, bool progress) const {
  const auto place = known_ != nullptr ? places_[static_cast<std::size_t>(spawn.first_rank)] : std::nullopt;
  job::Welcome message = welcome_at(place, spawn.first_rank, progress);
  message.shared = spawn.shared;
  message.ranks_on_host = spawn.ranks_on_host;
  return message;
}

job::Welcome StartUp::welcome_at(Place place, Rank rank, bool progress) const {
  Places others = places_;
  if (const auto own = static_cast<std::size_t>(rank); own < others.size()) others[own] = place;
  return {.rank = rank,
          .size = placement_.size,
          .backend = options_.backend,
          .bind_address = placement_.bind_address,
          .options = options_on(place, others),
          .paths = paths_from(place, others),
          .wan = options_.wan,
          .wan_seed = options_.wan_seed,
          .key = key_,
          .progress = progress,
          .trace = !options_.trace_file.empty(),
          .trace_packets = options_.trace_packets,
          .start_timeout = options_.start_timeout,
          .survive = options_.survive,
          .checkpoint = options_.checkpoint,
          .restart = options_.restart,
          .host_mtbf = options_.host_mtbf.value_or(job::Welcome{}.host_mtbf)};
}

job::Welcome StartUp::welcome_newcomer(Rank rank, std::size_t host, bool progress) const {
  const PlacedHost& placed = placement_.hosts[host];
  const auto place = known_ != nullptr ? known_->place_of(rank, placed) : std::nullopt;
  job::Welcome message = welcome_at(place, rank, progress);
  message.size = std::max(message.size, rank + 1);
  message.newcomer_on = static_cast<std::uint16_t>(number_of_host(placement_, host));
  if (!placed.same_address_as.empty())
    message.claimed = job::ClaimedAddress{.address = placed.address, .of = placed.same_address_as};
  return message;
}

void StartUp::hello_newcomer(Rank rank, std::size_t host, const job::Hello& hello) {
  const PlacedHost& placed = placement_.hosts[host];
  newcomers_[rank] = {.address = {placed.address, hello.port, placed.name},
                      .place = known_ != nullptr ? known_->place_of(rank, placed) : std::nullopt};
}

void StartUp::seat_newcomer(Rank rank) {
  const auto number = static_cast<std::size_t>(rank);
  seated_[rank] = newcomers_[rank];
  newcomers_.erase(rank);
  if (known_ == nullptr) return;
  if (number >= places_.size()) places_.resize(number + 1);
  places_[number] = seated_[rank].place;
}

void StartUp::hello(Rank first_rank, const job::Hello& hello) {
  auto& place = hellos_[static_cast<std::size_t>(first_rank)];
  if (!place) --missing_;
  place = hello;
  if (first_rank == 0) size_missing_ = hello.size_follows;
}

void StartUp::set_size(std::uint64_t size) {
  if (size < 1) throw Error("a job of 0 ranks: use the same lbsp everywhere");
  size_ = static_cast<Rank>(std::min(size, static_cast<std::uint64_t>(placement_.size)));
  size_missing_ = false;
}

void StartUp::want_nobody() {
  size_ = 0;
  size_missing_ = false;
}

bool StartUp::may_leave(Rank first_rank) const {
  const auto& hello = hellos_[static_cast<std::size_t>(first_rank)];
  return hello && hello->size_follows;
}

bool StartUp::share_memory() const {
  bool any = false;
  for (const job::Spawn& spawn : spawns_) {
    if (!spawn.shared || spawn.first_rank >= size_) continue;
    const auto& hello = hellos_[static_cast<std::size_t>(spawn.first_rank)];
    if (!hello || !hello->shares_memory) return false;
    any = true;
  }
  return any;
}

bool StartUp::within_one_host() const {
  return size_ <= placement_.hosts.front().ranks;
}

job::Start StartUp::start() const {
  job::Start start;
  const auto has_aes = [](const job::Hello& hello) {
    return std::ranges::find(hello.ciphers, Cipher::aes256_gcm) != hello.ciphers.end();
  };
  start.cipher = Cipher::aes256_gcm;
  start.share_memory = share_memory();
  for (const PlacedHost& host : placement_.hosts) {
    for (Rank rank = host.first_rank; rank < host.first_rank + host.ranks; ++rank) {
      if (rank >= size_) return with_moved(std::move(start));
      const auto& hello = hellos_[static_cast<std::size_t>(rank)];
      start.addresses.push_back({host.address, hello ? hello->port : std::uint16_t{0}, host.name});
      if (hello && !has_aes(*hello)) start.cipher = Cipher::chacha20_poly1305;
    }
  }
  return with_moved(std::move(start));
}

job::Start StartUp::with_moved(job::Start start) const {
  const auto address_of = [&](Rank rank) -> transport::PeerAddress& {
    const auto place = static_cast<std::size_t>(rank);
    if (place >= start.addresses.size()) start.addresses.resize(place + 1);
    return start.addresses[place];
  };
  for (const auto& [rank, seated] : seated_)
    address_of(rank) = seated.address;
  for (const auto& [rank, newcomer] : newcomers_) {
    const auto before = std::exchange(address_of(rank), newcomer.address);
    if (!before.host.empty()) start.former.emplace_back(rank, before);
  }
  return start;
}

}  // namespace lbsp::launch::ranks
