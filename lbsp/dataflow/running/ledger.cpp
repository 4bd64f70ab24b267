#include "lbsp/dataflow/running/ledger.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "lbsp/dataflow/survival/recovery.hpp"
#include "transport/error.hpp"

namespace lbsp::dataflow::running {

using planning::LevelPlan;
using planning::StreamIndex;
using survival::CopyPlan;
using survival::Holdings;

Ledger::Ledger(const Graph& graph, Worker workers, const RunOptions& options,
               std::vector<std::uint16_t> hosts, Ticks between_failures)
    : graph_(graph),
      structure_(graph.structure()),
      index_(structure_.streams()),
      predictor_(graph.kernels().size(), workers, options.prediction),
      mapping_(options.mapping),
      last_lengths_(graph.kernels().size()),
      to_run_(structure_.tokens(), true),
      copy_plan_(options.replicate_every,
                 {.between_failures = between_failures, .most_bytes = options.most_spare_bytes / 2}),
      hosts_(std::move(hosts)) {
  estimates_.send.assign(static_cast<std::size_t>(workers), options.memory);
  of_nothing_.resize(estimates_.send.size());
  estimates_.run = [this](TokenId token, Worker worker) { return predicted(token, worker); };
  for (const Graph::Stream& stream : graph.streams())
    estimates_.bytes.push_back(stream.bytes);
  find_what_is_left();
}

void Ledger::find_what_is_left() {
  left_in_.assign(structure_.levels(), 0);
  last_reader_.assign(structure_.streams(), -1);
  for (TokenId token = 0; token < structure_.tokens(); ++token) {
    if (!to_run_[token]) continue;
    const int level = structure_.token(token).level;
    ++left_in_[static_cast<std::size_t>(level)];
    for (const StreamId input : structure_.token(token).inputs)
      last_reader_[input] = std::max<std::int64_t>(last_reader_[input], level);
  }
}

void Ledger::take_lengths(const std::vector<Holdings>& of_workers) {
  std::vector<bool> known(structure_.streams());
  for (const Holdings& one : of_workers) {
    for (std::size_t i = 0; i < one.streams.size(); ++i) {
      estimates_.bytes[one.streams[i]] = one.lengths[i];
      known[one.streams[i]] = true;
    }
  }
  for (TokenId token = 0; token < structure_.tokens(); ++token) {
    const auto& outputs = structure_.token(token).outputs;
    if (!std::ranges::all_of(outputs, [&](StreamId output) { return known[output]; })) continue;
    auto& lengths = last_lengths_[graph_.tokens()[token].kernel];
    lengths.clear();
    for (const StreamId output : outputs)
      lengths.push_back(estimates_.bytes[output]);
  }
}

std::vector<TokenId> Ledger::resume(const std::vector<Holdings>& of_workers, const Holdings& joint) {
  index_ = StreamIndex(structure_.streams());
  for (std::size_t worker = 0; worker < of_workers.size(); ++worker) {
    for (const StreamId stream : of_workers[worker].streams)
      index_.add(stream, static_cast<Worker>(worker));
    if (!of_workers[worker].times.empty())
      predictor_.learn_row(static_cast<Worker>(worker), of_workers[worker].times);
  }
  take_lengths(of_workers);
  std::vector<bool> done(structure_.tokens());
  for (TokenId token = 0; token < structure_.tokens(); ++token) {
    done[token] = (joint.tokens[token] & Holdings::done) != 0;
    to_run_[token] = !done[token];
  }
  std::vector<TokenId> again = survival::tokens_to_redo(structure_, index_, done);
  for (const TokenId token : again)
    to_run_[token] = true;
  find_what_is_left();
  return again;
}

std::optional<std::size_t> Ledger::next_level() const {
  const auto found = std::ranges::find_if(left_in_, [](std::size_t left) { return left > 0; });
  if (found == left_in_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - left_in_.begin());
}

bool Ledger::is_needed(StreamId stream) const {
  return last_reader_[stream] >= 0 || structure_.stream(stream).result;
}

std::uint64_t Ledger::input_bytes(TokenId token) const {
  std::uint64_t sum = 0;
  for (const StreamId input : structure_.token(token).inputs)
    sum += estimates_.bytes[input];
  return sum;
}

Ticks Ledger::predicted(TokenId token, Worker worker) const {
  return predictor_.predict(graph_.tokens()[token].kernel, worker, input_bytes(token));
}

/// Until a token's outputs are reported they have the length that was told, that of the same kernel's last ones, or
/// as much as the token reads.
void Ledger::guess_lengths(TokenId token) {
  const auto& known = last_lengths_[graph_.tokens()[token].kernel];
  const auto& outputs = structure_.token(token).outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (graph_.streams()[outputs[i]].bytes != 0) continue;
    estimates_.bytes[outputs[i]] = i < known.size() ? known[i] : input_bytes(token);
  }
}

LevelPlan Ledger::plan(std::size_t level) {
  std::vector<TokenId> ready;
  for (const TokenId token : structure_.level(level))
    if (to_run_[token]) ready.push_back(token);
  return planning::map_level(structure_, index_, ready, estimates_, mapping_);
}

Worker Ledger::sender_of(StreamId stream) const {
  const auto cost = [&](Worker holder) {
    return estimates_.send[static_cast<std::size_t>(holder)].of(estimates_.bytes[stream]);
  };
  return *std::ranges::min_element(index_.holders(stream), {}, cost);
}

std::vector<Shipment> Ledger::shipments(const LevelPlan& plan) const {
  std::vector<Shipment> all;
  for (const Placement& each : plan.placements) {
    for (const StreamId input : structure_.token(each.token).inputs) {
      if (structure_.produced(input) && !index_.holds(each.worker, input))
        all.push_back({input, sender_of(input), each.worker});
    }
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<Shipment> Ledger::copies(const std::vector<Shipment>& shipments) const {
  std::vector<Shipment> all;
  for (const auto& [stream, writer] : to_copy_) {
    // Where a second worker has it anyway, two do.
    const auto goes = std::ranges::lower_bound(shipments, stream, {}, &Shipment::stream);
    const bool travels = goes != shipments.end() && goes->stream == stream;
    if (!travels && index_.holders(stream).size() == 1 && estimates_.workers() > 1)
      all.push_back({stream, writer, survival::keeper_of(writer, estimates_.workers(), hosts_)});
  }
  return all;
}

bool Ledger::go_meanwhile(const std::vector<Shipment>& copies, const LevelPlan& plan) const {
  if (copies.empty()) return false;
  std::vector<Ticks> computes(estimates_.send.size());
  for (const Placement& each : plan.placements) {
    Ticks& sum = computes[static_cast<std::size_t>(each.worker)];
    sum = std::min(sum + predicted(each.token, each.worker), longest_ticks);
  }
  return std::ranges::max(computes) > std::ranges::max(of_nothing_);
}

void Ledger::settle_copies(const std::vector<Shipment>& copies) {
  for (const Shipment& each : copies)
    index_.add(each.stream, each.to);
  to_copy_.clear();
}

std::vector<Shipment> Ledger::results(Worker to) const {
  std::vector<Shipment> all;
  for (StreamId stream = 0; stream < structure_.streams(); ++stream) {
    if (structure_.stream(stream).result && structure_.produced(stream) && !index_.holds(to, stream))
      all.push_back({stream, sender_of(stream), to});
  }
  return all;
}

/// By the lengths that its streams are thought to have.
CopyPlan::Level Ledger::expected(std::size_t level, const LevelPlan& plan) const {
  std::vector<Ticks> copies(estimates_.send.size());
  std::vector<std::uint64_t> bytes(estimates_.send.size());
  for (const Placement& each : plan.placements) {
    const auto worker = static_cast<std::size_t>(each.worker);
    for (const StreamId output : structure_.token(each.token).outputs) {
      if (!is_needed(output)) continue;
      copies[worker] =
          std::min(copies[worker] + estimates_.send[worker].of(estimates_.bytes[output]), longest_ticks);
      bytes[worker] += estimates_.bytes[output];
    }
  }
  return {level, plan.length(), std::ranges::max(copies), std::ranges::max(bytes)};
}

std::vector<StreamId> Ledger::settle(std::size_t level, const LevelPlan& plan) {
  planning::note_level(index_, structure_, plan);
  for (const Placement& each : plan.placements) {
    predictor_.give(graph_.tokens()[each.token].kernel, each.worker, input_bytes(each.token));
    guess_lengths(each.token);
  }
  predictor_.end_level(plan.length());
  const bool copied = copy_plan_.copies(expected(level, plan));
  std::vector<StreamId> done;
  const auto drop = [&](StreamId stream) {
    index_.drop(stream);
    done.push_back(stream);
  };
  for (const Placement& each : plan.placements) {
    to_run_[each.token] = false;
    --left_in_[level];
    for (const StreamId input : structure_.token(each.token).inputs)
      if (last_reader_[input] == static_cast<std::int64_t>(level) && !structure_.stream(input).result)
        drop(input);
    for (const StreamId output : structure_.token(each.token).outputs) {
      if (!is_needed(output)) drop(output);
      if (is_needed(output) && copied) to_copy_.emplace_back(output, each.worker);
    }
  }
  std::ranges::sort(done);
  done.erase(std::unique(done.begin(), done.end()), done.end());
  return done;
}

void Ledger::absorb(Worker from, std::span<const std::int64_t> report, LevelRecord& record) {
  std::size_t at = 0;
  const auto next = [&] {
    if (at == report.size())
      throw Error(
          fmt::format("rank {} reports too little of its tokens: run the same program on all ranks", from));
    return report[at++];
  };
  Transfer& send = estimates_.send[static_cast<std::size_t>(from)];
  send.latency = next();
  send.per_million_bytes = next();
  of_nothing_[static_cast<std::size_t>(from)] = next();
  record.took.resize(record.placements.size());
  for (std::size_t i = 0; i < record.placements.size(); ++i) {
    const Placement& each = record.placements[i];
    if (each.worker != from) continue;
    const KernelId kernel = graph_.tokens()[each.token].kernel;
    record.took[i] = next();
    predictor_.learn(kernel, from, record.took[i], input_bytes(each.token));
    last_lengths_[kernel].clear();
    for (const StreamId output : structure_.token(each.token).outputs) {
      estimates_.bytes[output] = static_cast<std::uint64_t>(next());
      last_lengths_[kernel].push_back(estimates_.bytes[output]);
    }
  }
}

}  // namespace lbsp::dataflow::running
