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
    : plan_(std::move(plan)), program_(std::move(program)), random_(transport::splitmix(plan_.seed)) {
  config_.size = plan_.size;
  config_.options.outlives_ranks = plan_.outlives_ranks;
  config_.options.peer_timeout = std::chrono::milliseconds{300};
  if (plan_.respawn_after > Duration{0}) config_.options.newcomer_wait = plan_.newcomer_wait;
  newest_.resize(static_cast<std::size_t>(plan_.size));
  for (Slot slot = 0; slot < plan_.size; ++slot) {
    Process& process = add(slot);
    config_.rank = slot;
    process.endpoint = std::make_unique<LastingEndpoint>(config_, transport::PlannerFactory{}, now_);
  }
  for (Index index = 0; index < plan_.size; ++index)
    begin(index);
}

LastingWorlds::~LastingWorlds() {
  for (Index index = 0; index < count(); ++index) {
    kill(index);
    if (of(index).thread.joinable()) of(index).thread.join();
  }
}

bool LastingWorlds::run(Duration most) {
  for (const Instant end = now_ + most; now_ < end && !over(); now_ += std::chrono::milliseconds{1})
    tick();
  return over();
}

int LastingWorlds::seated() const {
  int sum = 0;
  for (Index index = plan_.size; index < count(); ++index)
    sum += of(index).endpoint ? 1 : 0;
  return sum;
}

void LastingWorlds::die(Slot slot) {
  of(holder_of(slot)).dead = true;
  throw Killed{};
}

const LastingWorlds::Process& LastingWorlds::last_of(Slot slot) const {
  const Index holder = holder_of(slot);
  if (holder != nobody) return of(holder);
  return **std::ranges::find(processes_, slot, [](const auto& process) { return process->slot; });
}

LastingWorlds::Index LastingWorlds::holder_of(Slot slot) const {
  Index holder = nobody;
  for (Index index = 0; index < count(); ++index)
    if (of(index).slot == slot && of(index).endpoint) holder = index;
  return holder;
}

bool LastingWorlds::over() const {
  return std::ranges::all_of(
      processes_, [](const auto& process) { return !process->endpoint || process->dead || process->ended; });
}

bool LastingWorlds::is_cut(Index from, Index to) const {
  return std::ranges::any_of(plan_.cuts, [&](const Cut& cut) {
    return cut.from == from && cut.to == to && now_ - beginning >= cut.begin && now_ - beginning < cut.end;
  });
}

LastingWorlds::Process& LastingWorlds::add(Slot slot) {
  newest_[static_cast<std::size_t>(slot)] = count();
  processes_.push_back(std::make_unique<Process>());
  Process& process = *processes_.back();
  process.slot = slot;
  for (Slot other = 0; other < slots(); ++other) {
    process.at.push_back(count() <= plan_.size ? other : newest_[static_cast<std::size_t>(other)]);
    const Index holder = holder_of(other);
    if (holder != nobody && holder != process.at.back()) process.former.emplace(other, holder);
  }
  return process;
}

void LastingWorlds::begin(Index index) {
  of(index).thread = std::thread([this, index] { live(index); });
  give_turn(index);
}

// On a process's thread.

void LastingWorlds::live(Index index) {
  Process& process = of(index);
  try {
    pass_turn(process, index);
    Waist waist(*this, index);
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
  const std::lock_guard lock(mutex_);
  process.ended = true;
  give_back();
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

void LastingWorlds::wait(Index index, std::function<bool(const LastingEndpoint&)> done) {
  Process& process = of(index);
  process.awaited = std::move(done);
  {
    const std::lock_guard lock(mutex_);
    give_back();
  }
  pass_turn(process, index);
}

/// Without a turn it may not look for the process: others may be added now.
void LastingWorlds::pass_turn(Process& process, Index index) {
  std::unique_lock lock(mutex_);
  process.turned.wait(lock, [&] { return turn_ == index; });
  if (process.dead) throw Killed{};
}

void LastingWorlds::give_back() {
  turn_ = nobody;
  given_back_.notify_one();
}

// On the test's thread.

void LastingWorlds::give_turn(Index index) {
  std::unique_lock lock(mutex_);
  if (of(index).ended || !of(index).thread.joinable()) return;
  turn_ = index;
  of(index).turned.notify_one();
  given_back_.wait(lock, [&] { return turn_ == nobody; });
}

void LastingWorlds::kill(Index index) {
  of(index).dead = of(index).dead || !of(index).ended;
  give_turn(index);
}

void LastingWorlds::tick() {
  for (; !datagrams_.empty() && datagrams_.front().at <= now_; datagrams_.pop_front())
    of(datagrams_.front().to).inbox.push_back(std::move(datagrams_.front()));
  for (Index index = 0; index < count(); ++index) {
    Process& process = of(index);
    if (process.dead || now_ < process.asleep_until) continue;
    if (plan_.naps > Duration{0} && random_() % 40 == 0)
      process.asleep_until =
          now_ +
          Duration(static_cast<Duration::rep>(random_() % static_cast<std::uint64_t>(plan_.naps.count())));
    for (Datagram& datagram : process.inbox)
      take(process, datagram);
    process.inbox.clear();
    if (process.endpoint && process.thread.joinable()) work(index);
    if (!process.endpoint) seek_seat(index);
  }
  start_new_ones();
  start_who_joins();
  tell_of_ends();
}

void LastingWorlds::take(Process& process, Datagram& datagram) {
  if (!process.endpoint) return process.newcomer->handle_datagram(datagram.bytes);
  const auto from = process.endpoint->handle_datagram(datagram.bytes, now_);
  if (!from) return;
  const auto station = static_cast<std::size_t>(from->rank);
  process.at.resize(std::max(process.at.size(), station + 1), nobody);
  process.at[station] = datagram.from;
}

void LastingWorlds::work(Index index) {
  Process& process = of(index);
  LastingEndpoint& endpoint = *process.endpoint;
  if (endpoint.next_timeout() <= now_) endpoint.handle_timeout(now_);
  const bool over = endpoint.failure() || endpoint.change();
  if (!process.ended && (over || process.awaited(endpoint))) give_turn(index);
  std::vector<std::byte> buffer(transport::ExchangeOptions{}.datagram_bytes);
  while (const auto transmit = endpoint.poll_transmit(buffer, now_))
    if (!send(index, transmit->to, std::span(buffer).first(transmit->bytes))) return;
}

bool LastingWorlds::send(Index index, transport::Station to, std::span<const std::byte> bytes) {
  const std::vector<Index>& at = of(index).at;
  const auto place = static_cast<std::size_t>(to);
  return send_to(place < at.size() ? at[place] : nobody, index, bytes);
}

bool LastingWorlds::send_to(Index receiver, Index index, std::span<const std::byte> bytes) {
  Process& process = of(index);
  const bool lost = static_cast<double>(random_() >> 11) * 0x1p-53 < plan_.loss;
  if (!lost && receiver != nobody && !is_cut(index, receiver))
    datagrams_.push_back({now_ + plan_.delay, index, receiver, {bytes.begin(), bytes.end()}});
  ++process.sent;
  if (process.sent == number_of_process(plan_.sleeps_after, index)) process.asleep_until = now_ + plan_.sleep;
  if (process.sent != number_of_process(plan_.dies_after, index) || process.ended)
    return now_ >= process.asleep_until;
  kill(index);
  return false;
}

}  // namespace lbsp::lasting
