#include "tools/launch/doors/job_window.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <utility>

#include "tools/command_line/answer_version.hpp"
#include "tools/launch/doors/front.hpp"
#include "tools/launch/ranks/job_progress.hpp"
#include "tools/watch/job_socket.hpp"

namespace lbsp::launch::doors {
namespace {

using nlohmann::ordered_json;
using Seconds = std::chrono::duration<double>;

/// For a rank to answer, on another continent and beside much else.
constexpr std::chrono::milliseconds patience{330};

const char* doing(const job::RankReport& seen) {
  return seen.waiting > Seconds{0} ? "waits" : "computes";
}

ordered_json figures_of(const job::RankReport& seen, std::uint64_t superstep) {
  return {{"superstep", superstep},
          {"seconds",
           {{"total", seen.total.count()},
            {"compute", seen.totals.compute.count()},
            {"communicate", seen.totals.communicate.count()},
            {"waiting", seen.waiting.count()}}},
          {"network",
           {{"loss", seen.network.loss},
            {"rtt", Seconds(seen.network.round_trip_time).count()},
            {"rate", seen.network.rate.value}}}};
}

std::uint64_t in_world(const job::RankReport& seen) {
  return seen.supersteps - std::min(seen.supersteps, seen.before_world);
}

/// Of a rank that has never answered.
ordered_json nothing_known() {
  return {{"superstep", nullptr}, {"seconds", nullptr}, {"network", nullptr}};
}

}  // namespace

JobWindow::JobWindow(uv::Loop& loop, const request::RunOptions& options, const places::Placement& placement,
                     Calls calls)
    : loop_(loop), options_(options), placement_(placement), calls_(std::move(calls)), patience_(loop) {}

void JobWindow::open(Rank size, job::Backend backend) {
  backend_ = backend;
  ranks_.resize(static_cast<std::size_t>(size));
  opened_ = std::chrono::steady_clock::now();
  const int socket = watch::listen_as_job(job_number());
  if (socket >= 0)
    listener_ = std::make_unique<uv::Listener>(
        loop_, socket, "lbsp watch",
        uv::Listener::Events{.on_connection = [this](int connection) { admit(connection); },
                             .say = calls_.say});
}

void JobWindow::close() {
  listener_.reset();
  patience_.stop();
  watchers_.clear();
  answered_.clear();
}

void JobWindow::take(Rank rank, const job::RankReport& seen) {
  if (static_cast<std::size_t>(rank) >= ranks_.size()) return;
  Sight& sight = ranks_[static_cast<std::size_t>(rank)];
  if (sight.is_over()) return;
  sight.seen = seen;
  sight.fresh = true;
  if (std::ranges::all_of(ranks_, [](const Sight& each) { return each.fresh || each.is_over(); })) answer();
}

void JobWindow::ended(Rank rank, const job::RankReport& report) {
  if (static_cast<std::size_t>(rank) >= ranks_.size()) return;
  Sight& sight = ranks_[static_cast<std::size_t>(rank)];
  // Who was only silent, and learns that the others went on, ends too: it stays lost.
  if (!sight.lost) sight = {.seen = report, .fresh = true, .ended = true};
}

void JobWindow::go_on_with(const job::Changed& change) {
  const auto has = [](const std::vector<Rank>& of, std::size_t rank) {
    return std::ranges::find(of, static_cast<Rank>(rank)) != of.end();
  };
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    // What the process before it said is not the new one's.
    if (has(change.seated, rank)) ranks_[rank] = {};
    ranks_[rank].lost = !has(change.members, rank);
  }
}

void JobWindow::admit(int connection) {
  if (!watch::may_watch(connection)) {
    ::close(connection);
    return;
  }
  std::erase_if(answered_, [](const auto& stream) { return stream->closed(); });
  watchers_.push_back(std::make_unique<uv::Stream>(loop_, connection));
  if (patience_.running()) return;
  for (Sight& sight : ranks_)
    sight.fresh = sight.is_over();
  patience_.start(patience, [this] { answer(); });
  calls_.ask();
}

void JobWindow::answer() {
  patience_.stop();
  const std::string text = snapshot();
  for (auto& stream : std::exchange(watchers_, {})) {
    stream->write(text);
    stream->finish();
    answered_.push_back(std::move(stream));
  }
}

std::uint64_t JobWindow::Foremost::superstep_of(const job::RankReport& seen) const {
  return seen.epoch == place.first ? before + in_world(seen) : seen.supersteps;
}

JobWindow::Foremost JobWindow::foremost() const {
  Foremost out;
  for (const Sight& sight : ranks_)
    if (sight.seen) out.place = std::max(out.place, {sight.seen->epoch, in_world(*sight.seen)});
  for (const Sight& sight : ranks_)
    if (sight.seen && sight.seen->epoch == out.place.first)
      out.before = std::max(out.before, sight.seen->before_world);
  return out;
}

bool JobWindow::waits(const Sight& sight, const Foremost& foremost) {
  return sight.fresh && !sight.is_over() && sight.seen->waiting > Seconds{0} &&
         std::pair(sight.seen->epoch, in_world(*sight.seen)) == foremost.place;
}

std::vector<Rank> JobWindow::waited_for(const Foremost& foremost) const {
  std::vector<std::vector<Rank>> awaited(ranks_.size());
  std::vector<bool> held_up(ranks_.size());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const Sight& sight = ranks_[rank];
    // A rank that is over is not named, even if another has not yet heard so.
    if (sight.is_over()) held_up[rank] = true;
    if (!sight.fresh || sight.is_over() || sight.seen->waiting <= Seconds{0}) continue;
    awaited[rank] = sight.seen->awaited;
    held_up[rank] = !waits(sight, foremost) && !awaited[rank].empty();
  }
  std::vector<Rank> named = ranks::held_up_by(awaited, held_up);
  if (!named.empty()) return named;
  if (std::ranges::none_of(ranks_, [&](const Sight& sight) { return waits(sight, foremost); })) return named;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    if (!waits(ranks_[rank], foremost) && !ranks_[rank].is_over()) named.push_back(static_cast<Rank>(rank));
  return named;
}

std::string JobWindow::snapshot() const {
  const Foremost foremost = this->foremost();
  ordered_json per_rank = ordered_json::array();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const Sight& sight = ranks_[rank];
    ordered_json one = {{"rank", rank}, {"host", placement_.host_of(static_cast<Rank>(rank))}};
    one["doing"] = sight.lost ? "lost" : sight.ended ? "ended" : sight.fresh ? doing(*sight.seen) : "silent";
    one.update(sight.seen ? figures_of(*sight.seen, foremost.superstep_of(*sight.seen)) : nothing_known());
    per_rank.push_back(std::move(one));
  }
  const Seconds running = std::chrono::steady_clock::now() - opened_;
  const ordered_json answer = {{"version", command_line::answer_version},
                               {"program", options_.program},
                               {"ranks", ranks_.size()},
                               {"backend", job::name_of(backend_)},
                               {"seconds", running.count()},
                               {"superstep", foremost.before + foremost.place.second},
                               {"waited_for", waited_for(foremost)},
                               {"per_rank", per_rank}};
  return answer.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace lbsp::launch::doors
