#include "lbsp/bsplib/spmd_parts.hpp"

#include <cstring>
#include <fmt/format.h>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::bsplib {

/// A process's message between the parts. One that follows sends none.
struct SpmdParts::Word {
  enum class Kind : std::uint32_t { follow, begin, end };
  Kind kind = Kind::follow;
  std::uint32_t has_function = 0;
  Number processes = 0;
  FunctionPlace function;

  NextPart part() const {
    return {.processes = processes, .function = has_function != 0 ? std::optional(function) : std::nullopt};
  }
};

SpmdParts::SpmdParts(transport::Exchange& job) : rank_(job.rank()), size_(job.size()), mail_(job) {}

std::optional<SpmdParts::Word> SpmdParts::exchange(const Word& own) {
  const std::size_t bytes = own.kind == Word::Kind::follow ? 0 : sizeof own;
  for (Rank to = 0; to < size_; ++to)
    std::memcpy(mail_.room(to, sizeof own, 0).data(), &own, bytes);
  const std::vector<std::size_t> lengths(static_cast<std::size_t>(size_), bytes);
  const auto arrived = mail_.exchange(lengths, superstep::Ending::sync, [] {});
  if (arrived.front().size() != sizeof(Word)) return std::nullopt;
  Word first;
  std::memcpy(&first, arrived.front().data(), sizeof first);
  for (Rank rank = 1; rank < size_; ++rank) {
    const auto message = arrived[static_cast<std::size_t>(rank)];
    Word word;
    if (message.size() == sizeof word) std::memcpy(&word, message.data(), sizeof word);
    check(rank, word, first);
  }
  return first;
}

void SpmdParts::check(Rank rank, const Word& word, const Word& of_process_0) const {
  if (word.kind == Word::Kind::follow || word.kind == of_process_0.kind) return;
  const auto does = [](const Word& said) {
    return said.kind == Word::Kind::begin ? "begins another SPMD part" : "ends the program";
  };
  throw UsageError(
      fmt::format("process 0 {} where process {} {}: call bsp_begin equally often on every process, or "
                  "begin main with bsp_init",
                  does(of_process_0), rank, does(word)));
}

NextPart SpmdParts::begin(const NextPart& wanted) {
  const auto word = exchange({.kind = Word::Kind::begin,
                              .has_function = wanted.function ? 1U : 0U,
                              .processes = wanted.processes,
                              .function = wanted.function.value_or(FunctionPlace{})});
  if (!word)
    throw UsageError(
        "process 0 is in an SPMD part that this process is not in: call bsp_begin on every process");
  return word->part();
}

std::optional<NextPart> SpmdParts::follow() {
  std::optional<Word> word;
  while (!word)
    word = exchange({});
  if (word->kind == Word::Kind::end) return std::nullopt;
  return word->part();
}

void SpmdParts::end() {
  exchange({.kind = Word::Kind::end, .has_function = 0, .processes = 0, .function = {}});
}

}  // namespace lbsp::bsplib
