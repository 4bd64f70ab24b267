#include "lbsp/superstep/engine.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "lbsp/superstep/arrival.hpp"
#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

std::size_t index(Rank rank) {
  return static_cast<std::size_t>(rank);
}

std::uint64_t total_bytes(const std::vector<Bytes>& messages) {
  std::uint64_t total = 0;
  for (const Bytes& message : messages)
    total += message.size();
  return total;
}

void restart(std::vector<MessageWriter>& writers) {
  for (auto& writer : writers)
    writer.start();
}

/// How the sender of the message ended the superstep.
std::string describe_ending(const Message& message, const Wording& wording) {
  if (message.head.ending == Ending::end) return wording.end;
  const auto collective = std::ranges::find(message.log, LogKind::collective, &LogEntry::kind);
  return collective != message.log.end() ? describe(*collective, wording) : std::string(wording.sync);
}

}  // namespace

Engine::Engine(transport::Exchange& exchange)
    : exchange_(exchange),
      rank_(exchange.rank()),
      size_(exchange.size()),
      slots_(rank_, size_),
      mail_(exchange),
      offers_(exchange.lending(), Offers::Leg::first, rank_, size_),
      reply_offers_(exchange.lending(), Offers::Leg::reply, rank_, size_),
      gets_(index(size_)),
      messages_(index(size_)),
      lengths_(index(size_)),
      recorder_(exchange) {
  writers_.reserve(index(size_));
  for (Rank to = 0; to < size_; ++to)
    writers_.emplace_back(mail_, to);
}

void Engine::check_rank(std::string_view call, Rank rank) const {
  if (rank >= 0 && rank < size_) return;
  throw UsageError(fmt::format("{} in superstep {} on rank {} names rank {}: choose 0 to {}", call,
                               superstep_, rank_, rank, size_ - 1));
}

void Engine::refuse(std::string_view call, const Place& place) const {
  check_rank(call, place.rank);
  const Slot& slot = slots_[place.slot];
  const bool known = slot.bytes_at[index(place.rank)] != unknown_bytes;
  throw UsageError(fmt::format(
      "{} of {} elements at offset {} in superstep {} by rank {}, but rank {} "
      "{} {} elements: keep offset + count within them",
      call, place.count, place.offset, superstep_, rank_, place.rank,
      known ? "has registered" : "can have registered at most", slot.elements_at[index(place.rank)]));
}

void Engine::put_unbuffered(const Place& place, std::span<const std::byte> data) {
  if (place.count == 0) return;
  check("put", place);
  const std::uint64_t offset = place.offset * slots_[place.slot].element_bytes;
  if (over_ || data.size() < offers_.least(place.rank))
    return writer(place.rank).put(place.slot, offset, data);
  if (place.rank != rank_) recorder_.add_bytes_to(place.rank, data.size());
  writer(place.rank).offer(place.slot, offset, data.size(), offers_.offer(place.rank, data));
}

void Engine::get(const Place& place, std::span<std::byte> into, std::shared_ptr<Completion> completion) {
  if (place.count == 0) {
    if (completion) completion->done = true;
    return;
  }
  check("get", place);
  writer(place.rank).get(place.slot, place.offset * slots_[place.slot].element_bytes, into.size());
  gets_[index(place.rank)].add(into, std::move(completion));
}

void Engine::send(SlotNumber queue, Rank to, std::span<const std::byte> tag,
                  std::span<const std::byte> values) {
  check_rank("send", to);
  writer(to).send(queue, tag, values);
}

std::span<std::byte> Engine::put_in_place(const Place& place) {
  if (place.count == 0) return {};
  check("put", place);
  const std::uint64_t element_bytes = slots_[place.slot].element_bytes;
  return writer(place.rank)
      .put_in_place(place.slot, place.offset * element_bytes, place.count * element_bytes);
}

std::span<std::byte> Engine::send_in_place(SlotNumber queue, Rank to, std::span<const std::byte> tag,
                                           std::size_t bytes) {
  check_rank("send", to);
  return writer(to).send_in_place(queue, tag, bytes);
}

void Engine::sync() {
  begin();
  if (transfers_nothing()) {
    if (exchange_heads()) return end_superstep();
  } else {
    exchange_messages(Ending::sync);
  }
  compare(Ending::sync);
  exchange_gets();
  for (const Message& message : messages_)
    deliver(message, slots_, rank_, offers_);
  settle(offers_);
  slots_.close_superstep();
  end_superstep();
}

void Engine::end() {
  begin();
  offers_.withdraw();
  restart(writers_);  // nobody will see what is transferred after the last sync
  exchange_messages(Ending::end);
  compare(Ending::end);
  exchange_.finish();
  recorder_.end_job();
}

void Engine::begin() {
  if (over_) throw UsageError("the job is over: make no further calls after its end or an error");
  over_ = true;  // until all has gone well
}

void Engine::end_superstep() {
  ++superstep_;
  over_ = false;
  recorder_.end_superstep();
}

bool Engine::transfers_nothing() const {
  return slots_.log().empty() && std::ranges::all_of(writers_, &MessageWriter::empty);
}

/// After a failure the program may still put, to no avail, so that the writers must have what to write to.
template <class Call>
Engine::Messages Engine::exchange_or_restart(const Call& exchange) {
  try {
    return exchange();
  } catch (...) {
    restart(writers_);
    throw;
  }
}

/// Programs wait for each other at many ends of supersteps, and then nothing but time counts.
bool Engine::exchange_heads() {
  static_assert(sizeof(MessageHead) == transport::Lending::alike_bytes);
  alignas(alignment) const MessageHead head{message_magic, Ending::sync, superstep_, 0, 0, 0};
  const auto bytes = std::as_bytes(std::span<const MessageHead, 1>(&head, 1));
  const Messages arrived = exchange_or_restart([&] { return mail_.exchange_alike(bytes, begin_sync_); });
  std::uint64_t received = 0;
  bool all_alike = true;
  for (Rank source = 0; source < size_; ++source) {
    if (source == rank_) continue;
    const auto message = arrived[index(source)];
    received += message.size();
    all_alike =
        all_alike && message.size() == sizeof(head) && std::memcmp(message.data(), &head, sizeof(head)) == 0;
  }
  recorder_.add_bytes(sizeof(head) * index(size_ - 1), received);
  recorder_.end_waiting();
  slots_.forget_received();
  restart(writers_);
  if (!all_alike) open(arrived, bytes);
  return all_alike;
}

void Engine::exchange_messages(Ending ending) {
  const auto log = ending == Ending::sync ? slots_.log() : std::span<const LogEntry>{};
  for (Rank to = 0; to < size_; ++to)
    lengths_[index(to)] = writer(to).finish(ending, superstep_, log);
  const Messages arrived = exchange_or_restart([&] { return mail_.exchange(lengths_, ending, begin_sync_); });
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (Rank other = 0; other < size_; ++other) {
    if (other == rank_) continue;
    sent += lengths_[index(other)];
    if (lengths_[index(other)] > sizeof(MessageHead)) recorder_.add_bytes_to(other, lengths_[index(other)]);
    received += arrived[index(other)].size();
  }
  recorder_.add_bytes(sent, received);
  recorder_.end_waiting();
  slots_.forget_received();
  restart(writers_);
  open(arrived, arrived[index(rank_)]);
}

void Engine::open(Messages arrived, std::span<const std::byte> own) {
  for (Rank source = 0; source < size_; ++source)
    open_message(source == rank_ ? own : arrived[index(source)], {source, superstep_},
                 messages_[index(source)]);
}

void Engine::compare(Ending ending) {
  for (const Message& message : messages_) {
    if (message.head.ending == ending) continue;
    throw UsageError(fmt::format("the ranks disagree in superstep {}: rank {} {} where rank {} {}: {}",
                                 superstep_, rank_, describe_ending(messages_[index(rank_)], *wording_),
                                 message.origin.source, describe_ending(message, *wording_),
                                 wording_->sync_alike));
  }
  for (const Message& message : messages_) {
    if (ending == Ending::sync && message.origin.source != rank_)
      slots_.compare(message.log, message.origin.source, superstep_);
  }
  if (ending == Ending::sync) resolve_absent();
}

void Engine::resolve_absent() {
  if (slots_.log().empty()) return;  // then all are
  const auto mentions = [](const Message& message) {
    return std::ranges::any_of(message.log, [](const LogEntry& entry) {
      return entry.kind == LogKind::released && entry.slot == absent_slot;
    });
  };
  if (std::ranges::none_of(messages_, mentions)) return;
  std::vector<std::span<const LogEntry>> logs;
  for (const Message& message : messages_)
    logs.emplace_back(message.log);
  slots_.resolve_absent(logs, superstep_);
}

void Engine::settle(Offers& offers) {
  recorder_.add_bytes(offers.offered_bytes(), offers.fetched_bytes());
  offers.settle();
}

void Engine::exchange_gets() {
  const bool asks = std::ranges::any_of(gets_, [](const PendingGets& gets) { return !gets.empty(); });
  const bool asked_here =
      std::ranges::any_of(messages_, [](const Message& message) { return message.head.asks != 0; });
  if (asks || asked_here) answer_and_fill();
}

void Engine::answer_and_fill() {
  std::vector<Bytes> answers(index(size_));
  std::vector<Rank> askers;
  std::vector<Rank> asked;
  for (const Message& message : messages_) {
    const Rank other = message.origin.source;
    if (message.head.asks != 0) {
      const std::uint64_t offered = reply_offers_.offered_bytes();
      answers[index(other)] = answer_gets(message, slots_, rank_, gets_, reply_offers_);
      if (other != rank_) {
        askers.push_back(other);
        recorder_.add_bytes_to(other, answers[index(other)].size() + reply_offers_.offered_bytes() - offered);
      }
    }
    if (!gets_[index(other)].empty() && other != rank_) asked.push_back(other);
  }
  Bytes own = std::exchange(answers[index(rank_)], {});
  const std::uint64_t sent = total_bytes(answers);
  std::vector<Bytes> replies(index(size_));
  if (!askers.empty() || !asked.empty()) replies = exchange_.reply(std::move(answers), askers, asked);
  recorder_.add_bytes(sent, total_bytes(replies));
  recorder_.end_waiting();
  replies[index(rank_)] = std::move(own);
  for (Rank source = 0; source < size_; ++source) {
    auto& gets = gets_[index(source)];
    if (!gets.empty()) gets.fill(replies[index(source)], {source, superstep_}, reply_offers_);
  }
  settle(reply_offers_);
}

}  // namespace lbsp::superstep
