#include "transport/threads/hub.hpp"

#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::transport::threads {
namespace {

std::size_t index(Rank rank) {
  return static_cast<std::size_t>(rank);
}

}  // namespace

Hub::Hub(Rank size) : boxes_(size < 1 ? 0 : index(size)) {
  if (size < 1) throw UsageError(fmt::format("a job of {} ranks: choose at least 1", size));
  for (auto& box : boxes_) {
    box.piles.resize(index(size));
    box.wanted.resize(index(size));
  }
}

void Hub::post(Rank from, Leg leg, std::vector<Bytes>& messages, const std::vector<Rank>& destinations) {
  const std::lock_guard lock(mutex_);
  if (!abort_message_.empty()) throw Aborted(abort_message_);
  for (const Rank to : destinations) {
    Box& theirs = box(to);
    theirs.piles[index(from)].push_back({leg, std::move(messages[index(to)])});
    if (!theirs.wanted[index(from)]) continue;
    theirs.wanted[index(from)] = false;
    if (--theirs.missing == 0) theirs.changed.notify_one();
  }
}

std::vector<Bytes> Hub::collect(Rank at, Leg leg, const std::vector<Rank>& sources, std::uint64_t superstep) {
  std::unique_lock lock(mutex_);
  Box& mine = box(at);
  want(mine, sources);
  std::optional<Rank> lost;
  // What has arrived whole is delivered even when the job was ended meanwhile: the ranks that exchanged the
  // same messages then come to the same conclusion about them.
  mine.changed.wait(lock, [&] {
    lost = culprit(mine, sources);
    return mine.missing == 0 || !abort_message_.empty() || lost.has_value();
  });
  if (mine.missing != 0) {
    if (!abort_message_.empty()) throw Aborted(abort_message_);
    throw PeerLost(*lost,
                   fmt::format("rank {} has ended while rank {} waits for its message of superstep {}: "
                               "look for the error of rank {}",
                               *lost, at, superstep, *lost));
  }
  std::vector<Bytes> messages(boxes_.size());
  for (const Rank source : sources)
    messages[index(source)] = take(mine, source, leg);
  return messages;
}

void Hub::want(Box& mine, const std::vector<Rank>& sources) {
  mine.wanted.assign(boxes_.size(), false);
  mine.missing = 0;
  for (const Rank source : sources) {
    if (!mine.piles[index(source)].empty()) continue;
    mine.wanted[index(source)] = true;
    ++mine.missing;
  }
}

std::optional<Rank> Hub::culprit(const Box& mine, const std::vector<Rank>& sources) {
  for (const Rank source : sources) {
    if (!mine.wanted[index(source)] || box(source).state == State::running) continue;
    return first_lost_.value_or(source);
  }
  return std::nullopt;
}

Bytes Hub::take(Box& mine, Rank source, Leg leg) {
  auto& pile = mine.piles[index(source)];
  if (pile.front().leg != leg) {
    throw UsageError(
        fmt::format("rank {} sent a message of the other leg of the superstep: call exchange() and "
                    "reply() in the same order on every rank",
                    source));
  }
  Bytes bytes = std::move(pile.front().bytes);
  pile.erase(pile.begin());
  return bytes;
}

void Hub::finish(Rank rank) {
  const std::lock_guard lock(mutex_);
  if (!abort_message_.empty()) throw Aborted(abort_message_);
  box(rank).state = State::finished;
  wake_all();
}

void Hub::leave(Rank rank) noexcept {
  const std::lock_guard lock(mutex_);
  if (box(rank).state != State::running) return;
  box(rank).state = State::lost;
  if (!first_lost_) first_lost_ = rank;
  wake_all();
}

void Hub::abort(Rank rank, std::string_view reason) noexcept {
  const std::lock_guard lock(mutex_);
  if (!abort_message_.empty()) return;
  abort_message_ = fmt::format("rank {} ended the job: {}", rank, reason);
  wake_all();
}

void Hub::wake_all() {
  for (auto& box : boxes_)
    box.changed.notify_all();
}

}  // namespace lbsp::transport::threads
