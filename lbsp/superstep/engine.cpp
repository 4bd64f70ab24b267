#include "lbsp/superstep/engine.hpp"

#include <cstring>
#include <fmt/format.h>

#include "lbsp/superstep/agreement/agreement.hpp"
#include "lbsp/superstep/arrival.hpp"
#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

std::size_t index(Rank rank) {
  return static_cast<std::size_t>(rank);
}

/// While it lives, sync_meanwhile's work goes on.
class InWork {
 public:
  explicit InWork(bool& mark) : mark_(mark) { mark_ = true; }
  InWork(const InWork&) = delete;
  InWork& operator=(const InWork&) = delete;
  ~InWork() { mark_ = false; }

 private:
  bool& mark_;
};

}  // namespace

Engine::Engine(transport::Exchange& exchange)
    : exchange_(exchange),
      standing_{.rank = exchange.rank(), .size = exchange.size()},
      mail_(exchange),
      recorder_(exchange),
      transfers_(exchange, standing_, mail_, recorder_),
      answers_(exchange, recorder_),
      messages_(index(exchange.size())) {}

void Engine::sync() {
  begin();
  if (transfers_.none()) {
    if (exchange_heads()) return end_superstep();
  } else {
    exchange_messages(Ending::sync);
  }
  carry_out();
}

void Engine::sync_meanwhile(const Mail::Work& work) {
  begin();
  exchange_messages(Ending::sync, work);
  carry_out();
}

/// What the messages that have come ask for.
void Engine::carry_out() {
  check_agreement(messages_, rank(), Ending::sync, slots(), *wording_);
  answers_.exchange(messages_, transfers_);
  for (const Message& message : messages_)
    deliver(message, slots(), rank(), transfers_.offers());
  settle(transfers_.offers(), recorder_);
  slots().close_superstep();
  end_superstep();
}

void Engine::end() {
  begin();
  transfers_.drop();  // nobody will see what is transferred after the last sync
  exchange_messages(Ending::end);
  check_agreement(messages_, rank(), Ending::end, slots(), *wording_);
  exchange_.finish();
  recorder_.end_job();
}

void Engine::begin() {
  if (standing_.in_work)
    throw UsageError(fmt::format(
        "rank {} syncs in the work of sync_meanwhile, which ends superstep {} itself: call sync() before or after it",
        rank(), superstep()));
  if (standing_.over)
    throw UsageError("the job is over, or has failed: call no sync() after its end, or after an error");
  standing_.over = true;  // until all has gone well
}

void Engine::end_superstep() {
  ++standing_.superstep;
  standing_.over = false;
  recorder_.end_superstep();
}

/// After a failure the program may still put, to no avail, so that the writers must have what to write to.
template <class Call>
Engine::Messages Engine::exchange_or_restart(const Call& exchange) {
  try {
    return exchange();
  } catch (...) {
    transfers_.restart();
    throw;
  }
}

/// Programs wait for each other at many ends of supersteps, and then nothing but time counts.
bool Engine::exchange_heads() {
  static_assert(sizeof(MessageHead) == transport::Lending::alike_bytes);
  alignas(alignment) const MessageHead head{message_magic, Ending::sync, superstep(), 0, 0, 0};
  const auto bytes = std::as_bytes(std::span<const MessageHead, 1>(&head, 1));
  const Messages arrived = exchange_or_restart([&] { return mail_.exchange_alike(bytes, begin_sync_); });
  std::uint64_t received = 0;
  bool all_alike = true;
  for (Rank source = 0; source < size(); ++source) {
    if (source == rank()) continue;
    const auto message = arrived[index(source)];
    received += message.size();
    all_alike =
        all_alike && message.size() == sizeof(head) && std::memcmp(message.data(), &head, sizeof(head)) == 0;
  }
  recorder_.add_bytes(sizeof(head) * index(size() - 1), received);
  recorder_.end_waiting();
  slots().forget_received();
  transfers_.restart();
  if (!all_alike) open(arrived, bytes);
  return all_alike;
}

void Engine::exchange_messages(Ending ending, const Mail::Work& work) {
  const std::span<const std::size_t> lengths = transfers_.finish(ending);
  const Messages arrived = exchange_or_restart([&] {
    return work ? mail_.exchange_and_work(lengths, begin_sync_, [&] { do_meanwhile(work); })
                : mail_.exchange(lengths, ending, begin_sync_);
  });
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (Rank other = 0; other < size(); ++other) {
    if (other == rank()) continue;
    sent += lengths[index(other)];
    if (lengths[index(other)] > sizeof(MessageHead)) recorder_.add_bytes_to(other, lengths[index(other)]);
    received += arrived[index(other)].size();
  }
  recorder_.add_bytes(sent, received);
  recorder_.end_waiting();
  slots().forget_received();
  transfers_.restart();
  open(arrived, arrived[index(rank())]);
}

/// The messages have left. So what the work writes, against the rules, must have other memory.
void Engine::do_meanwhile(const Mail::Work& work) {
  transfers_.restart();
  const std::size_t registered = slots().log().size();
  recorder_.begin_work();
  {
    const InWork here(standing_.in_work);
    work();
  }
  recorder_.end_work();
  if (!transfers_.unsynced().any() && slots().log().size() == registered) return;
  throw UsageError(
      fmt::format("rank {} registers or transfers something while superstep {} ends: do so before or after "
                  "sync_meanwhile(), not in its work",
                  rank(), superstep()));
}

void Engine::open(Messages arrived, std::span<const std::byte> own) {
  for (Rank source = 0; source < size(); ++source)
    open_message(source == rank() ? own : arrived[index(source)], {source, superstep()},
                 messages_[index(source)]);
}

}  // namespace lbsp::superstep
