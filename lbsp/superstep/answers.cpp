#include "lbsp/superstep/answers.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace lbsp::superstep {
namespace {

std::size_t place_of(Rank rank) {
  return static_cast<std::size_t>(rank);
}

std::uint64_t total_bytes(const std::vector<Bytes>& messages) {
  std::uint64_t total = 0;
  for (const Bytes& message : messages)
    total += message.size();
  return total;
}

}  // namespace

void settle(Offers& offers, Recorder& recorder) {
  recorder.add_bytes(offers.offered_bytes(), offers.fetched_bytes());
  offers.settle();
}

void Answers::exchange(std::span<const Message> messages, Transfers& transfers) {
  const bool asks =
      std::ranges::any_of(transfers.gets(), [](const PendingGets& gets) { return !gets.empty(); });
  const bool asked_here =
      std::ranges::any_of(messages, [](const Message& message) { return message.head.asks != 0; });
  if (asks || asked_here) answer_and_fill(messages, transfers);
}

void Answers::answer_and_fill(std::span<const Message> messages, Transfers& transfers) {
  const Rank here = exchange_.rank();
  const std::span<PendingGets> gets = transfers.gets();
  std::vector<Bytes> answers(messages.size());
  std::vector<Rank> askers;
  std::vector<Rank> asked;
  for (const Message& message : messages) {
    const Rank other = message.origin.source;
    if (message.head.asks != 0) {
      const std::uint64_t offered = offers_.offered_bytes();
      answers[place_of(other)] = answer_gets(message, transfers.slots(), here, gets, offers_);
      if (other != here) {
        askers.push_back(other);
        recorder_.add_bytes_to(other, answers[place_of(other)].size() + offers_.offered_bytes() - offered);
      }
    }
    if (!gets[place_of(other)].empty() && other != here) asked.push_back(other);
  }
  Bytes own = std::exchange(answers[place_of(here)], {});
  const std::uint64_t sent = total_bytes(answers);
  std::vector<Bytes> replies(messages.size());
  if (!askers.empty() || !asked.empty()) replies = exchange_.reply(std::move(answers), askers, asked);
  recorder_.add_bytes(sent, total_bytes(replies));
  recorder_.end_waiting();
  replies[place_of(here)] = std::move(own);
  for (const Message& message : messages) {
    const std::size_t source = place_of(message.origin.source);
    if (!gets[source].empty()) gets[source].fill(replies[source], message.origin, offers_);
  }
  settle(offers_, recorder_);
}

}  // namespace lbsp::superstep
