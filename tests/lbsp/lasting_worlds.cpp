#include "tests/lbsp/lasting_worlds.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "lbsp/survival/carried.hpp"
#include "tests/lbsp/lasting_waist.hpp"
#include "transport/error.hpp"
#include "transport/splitmix.hpp"

namespace lbsp::lasting {
namespace {

std::uint64_t number_of_process(const std::vector<std::uint64_t>& by_process, int index) {
  const auto place = static_cast<std::size_t>(index);
  return place < by_process.size() ? by_process[place] : 0;
}

}  // namespace

LastingWorlds::LastingWorlds(Plan plan, Program program)
    : plan_(std::move(plan)),
      program_(std::move(program)),
      random_(transport::splitmix(plan_.seed)),
      processes_(plan_.size),
      launcher_(plan_, config_, processes_) {
  config_.size = plan_.size;
  config_.options.outlives_ranks = plan_.outlives_ranks;
  config_.options.peer_timeout = std::chrono::milliseconds{300};
  if (plan_.respawn_after > Duration{0}) config_.options.newcomer_wait = plan_.newcomer_wait;
  for (Slot slot = 0; slot < plan_.size; ++slot) {
    LastingProcess& process = processes_.add(slot);
    config_.rank = slot;
    process.endpoint = std::make_unique<LastingEndpoint>(config_, transport::PlannerFactory{}, now_);
  }
  for (Index index = 0; index < plan_.size; ++index)
    begin(index);
}

LastingWorlds::~LastingWorlds() {
  for (const auto& process : processes_.all()) {
    kill(*process);
    if (process->thread.begun()) process->thread.thread.join();
  }
}

bool LastingWorlds::run(Duration most) {
  for (const Instant end = now_ + most; now_ < end && !processes_.over();
       now_ += std::chrono::milliseconds{1})
    tick();
  return processes_.over();
}

void LastingWorlds::die(Slot slot) {
  processes_.of(processes_.holder_of(slot)).dead = true;
  throw Killed{};
}

// On a process's thread.

void LastingWorlds::live(Index index) {
  LastingProcess& process = processes_.of(index);
  try {
    if (process.dead) throw Killed{};
    Waist waist(*this, process);
    Carried carried({.outlives_ranks = plan_.outlives_ranks,
                     .respawns = plan_.respawn_after > Duration{0},
                     .hosts_at_once = plan_.survive,
                     .hosts = plan_.hosts,
                     .checkpoint = plan_.checkpoint,
                     .restart = plan_.restart,
                     .program = plan_.program,
                     .host_mtbf = std::chrono::duration<double>(plan_.host_mtbf),
                     .seconds = clock_of(index)});
    if (process.endpoint->change()) carried.come_to(process.endpoint->take_change());
    while (!live_in_world(process.slot, waist, carried)) {
      ++process.changes;
      reached_.emplace(carried.roster().epoch(), carried.reached());
    }
    process.finished = true;
  } catch (const Killed&) {
    // Without a word.
  } catch (const std::exception& error) {
    process.error = error.what();
    process.endpoint->abort(error.what(), now_);
  }
}

std::function<double()> LastingWorlds::clock_of(Index index) const {
  return [this, lead = 0.0,
          random = std::mt19937_64(plan_.seed + 97 * static_cast<std::uint64_t>(index))]() mutable {
    lead += plan_.clock_error * static_cast<double>(random() >> 11) * 0x1p-53;
    return std::chrono::duration<double>(now_.time_since_epoch()).count() + lead;
  };
}

bool LastingWorlds::live_in_world(Slot slot, Waist& waist, Carried& carried) {
  try {
    World world(waist, carried);
    program_(world, slot);
    carried.require_kept();
    world.finish();
    return true;
  } catch (const WorldChanged& changed) {
    const auto state = carried.state_of(changed.change().boundary);
    if (state) states_.emplace(changed.change().epoch, *state);
    carried.change_to(changed.change());
    return false;
  }
}

void LastingWorlds::wait(LastingProcess& process, std::function<bool(const LastingEndpoint&)> done) {
  process.awaited = std::move(done);
  threads_.wait(process.thread);
  if (process.dead) throw Killed{};
}

// On the test's thread.

void LastingWorlds::begin(Index index) {
  threads_.begin(processes_.of(index).thread, [this, index] { live(index); });
}

void LastingWorlds::kill(LastingProcess& process) {
  process.dead = process.dead || !process.ended();
  threads_.let_run(process.thread);
}

void LastingWorlds::tick() {
  for (; !datagrams_.empty() && datagrams_.front().at <= now_; datagrams_.pop_front())
    processes_.of(datagrams_.front().to).inbox.push_back(std::move(datagrams_.front()));
  for (Index index = 0; index < processes_.count(); ++index) {
    LastingProcess& process = processes_.of(index);
    if (process.dead || now_ < process.asleep_until) continue;
    if (plan_.naps > Duration{0} && random_() % 40 == 0)
      process.asleep_until =
          now_ +
          Duration(static_cast<Duration::rep>(random_() % static_cast<std::uint64_t>(plan_.naps.count())));
    for (LastingDatagram& datagram : process.inbox)
      take(process, datagram);
    process.inbox.clear();
    if (process.endpoint && process.thread.begun()) work(index);
    if (!process.endpoint) seek_seat(index);
  }
  launcher_.look(now_);
}

void LastingWorlds::take(LastingProcess& process, LastingDatagram& datagram) {
  if (!process.endpoint) return process.newcomer->handle_datagram(datagram.bytes);
  const auto from = process.endpoint->handle_datagram(datagram.bytes, now_);
  if (!from) return;
  const auto station = static_cast<std::size_t>(from->rank);
  process.at.resize(std::max(process.at.size(), station + 1), nobody);
  process.at[station] = datagram.from;
}

void LastingWorlds::seek_seat(Index index) {
  LastingProcess& process = processes_.of(index);
  if (process.newcomer->letter()) {
    config_.rank = process.slot;
    process.endpoint = std::make_unique<LastingEndpoint>(config_, transport::PlannerFactory{},
                                                         *process.newcomer->letter(), now_);
    process.came_in = process.newcomer->letter()->epoch;
    return begin(index);
  }
  std::vector<std::byte> buffer(transport::ExchangeOptions{}.datagram_bytes);
  while (const auto knock = process.newcomer->poll_transmit(buffer, now_)) {
    Index& receiver = process.knocks_at[static_cast<std::size_t>(knock->first)];
    if (const auto former = process.former.find(knock->first); former != process.former.end())
      std::swap(receiver, former->second);
    if (!send_to(receiver, index, std::span(buffer).first(knock->second))) return;
  }
}

void LastingWorlds::work(Index index) {
  LastingProcess& process = processes_.of(index);
  LastingEndpoint& endpoint = *process.endpoint;
  if (endpoint.next_timeout() <= now_) endpoint.handle_timeout(now_);
  const bool over = endpoint.failure() || endpoint.change();
  if (!process.ended() && (over || process.awaited(endpoint))) threads_.let_run(process.thread);
  std::vector<std::byte> buffer(transport::ExchangeOptions{}.datagram_bytes);
  while (const auto transmit = endpoint.poll_transmit(buffer, now_))
    if (!send(index, transmit->to, std::span(buffer).first(transmit->bytes))) return;
}

bool LastingWorlds::send(Index index, transport::Station to, std::span<const std::byte> bytes) {
  const std::vector<Index>& at = processes_.of(index).at;
  const auto place = static_cast<std::size_t>(to);
  return send_to(place < at.size() ? at[place] : nobody, index, bytes);
}

bool LastingWorlds::send_to(Index receiver, Index index, std::span<const std::byte> bytes) {
  LastingProcess& process = processes_.of(index);
  const bool lost = static_cast<double>(random_() >> 11) * 0x1p-53 < plan_.loss;
  if (!lost && receiver != nobody && !plan_.is_cut(index, receiver, now_ - transport::start))
    datagrams_.push_back({now_ + plan_.delay, index, receiver, {bytes.begin(), bytes.end()}});
  ++process.sent;
  if (process.sent == number_of_process(plan_.sleeps_after, index)) process.asleep_until = now_ + plan_.sleep;
  if (process.sent != number_of_process(plan_.dies_after, index) || process.ended())
    return now_ >= process.asleep_until;
  kill(process);
  return false;
}

}  // namespace lbsp::lasting
