#include "lbsp/dataflow/ledger.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "lbsp/dataflow/length.hpp"
#include "transport/error.hpp"

namespace lbsp::dataflow {

Ledger::Ledger(const Graph& graph, Worker workers, const RunOptions& options)
    : graph_(graph),
      structure_(graph.structure()),
      index_(structure_.streams()),
      predictor_(graph.kernels().size(), workers, options.prediction),
      mapping_(options.mapping),
      last_lengths_(graph.kernels().size()),
      last_reader_(structure_.streams()) {
  estimates_.send.assign(static_cast<std::size_t>(workers), options.memory);
  estimates_.run = [this](TokenId token, Worker worker) { return predicted(token, worker); };
  for (const Graph::Stream& stream : graph.streams())
    estimates_.bytes.push_back(stream.bytes);
  for (TokenId token = 0; token < structure_.tokens(); ++token) {
    const auto level = static_cast<std::size_t>(structure_.token(token).level);
    for (const StreamId input : structure_.token(token).inputs)
      last_reader_[input] = std::max(last_reader_[input], level);
  }
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
  return map_level(structure_, index_, structure_.level(level), estimates_, mapping_);
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

std::vector<Shipment> Ledger::results(Worker to) const {
  std::vector<Shipment> all;
  for (StreamId stream = 0; stream < structure_.streams(); ++stream) {
    if (structure_.stream(stream).result && structure_.produced(stream) && !index_.holds(to, stream))
      all.push_back({stream, sender_of(stream), to});
  }
  return all;
}

std::vector<StreamId> Ledger::settle(std::size_t level, const LevelPlan& plan) {
  note_level(index_, structure_, plan);
  std::vector<StreamId> done;
  const auto drop = [&](StreamId stream) {
    index_.drop(stream);
    done.push_back(stream);
  };
  for (const Placement& each : plan.placements) {
    guess_lengths(each.token);
    for (const StreamId input : structure_.token(each.token).inputs)
      if (last_reader_[input] == level && !structure_.stream(input).result) drop(input);
    for (const StreamId output : structure_.token(each.token).outputs)
      if (structure_.stream(output).consumers.empty() && !structure_.stream(output).result) drop(output);
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

}  // namespace lbsp::dataflow
