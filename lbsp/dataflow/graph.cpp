#include "lbsp/dataflow/graph.hpp"

#include <utility>

#include "lbsp/dataflow/digest.hpp"

namespace lbsp::dataflow {

Graph::TokenCall& Graph::TokenCall::reads(std::string_view stream) {
  const StreamId id = graph_.stream(stream);
  graph_.tokens_[id_].reads.push_back(id);
  return *this;
}

Graph::TokenCall& Graph::TokenCall::writes(std::string_view stream, std::uint64_t bytes) {
  const StreamId id = graph_.stream(stream);
  graph_.tokens_[id_].writes.push_back(id);
  graph_.streams_[id].bytes = bytes;
  return *this;
}

Graph::TokenCall& Graph::TokenCall::with(std::vector<std::int64_t> numbers) {
  graph_.tokens_[id_].numbers = std::move(numbers);
  return *this;
}

KernelId Graph::kernel(std::string name, Compute compute) {
  kernels_.push_back({std::move(name), std::move(compute)});
  return static_cast<KernelId>(kernels_.size() - 1);
}

Graph::TokenCall Graph::token(std::string name, KernelId kernel) {
  tokens_.push_back({std::move(name), kernel, {}, {}, {}});
  return {*this, static_cast<TokenId>(tokens_.size() - 1)};
}

void Graph::initial(std::string_view stream, Supply supply, std::uint64_t bytes) {
  Stream& of = streams_[this->stream(stream)];
  of.supply = std::move(supply);
  of.bytes = bytes;
  of.initials = of.initials == 0 ? 1 : 2;
}

void Graph::result(std::string_view stream) {
  streams_[this->stream(stream)].result = true;
}

void Graph::wrap_kernels(const std::function<Compute(Compute)>& around) {
  for (Kernel& each : kernels_)
    each.compute = around(std::move(each.compute));
}

StreamId Graph::stream(std::string_view name) {
  const auto found = names_.find(name);
  if (found != names_.end()) return found->second;
  const auto id = static_cast<StreamId>(streams_.size());
  streams_.push_back({std::string(name), {}, 0, false, 0});
  names_.emplace(name, id);
  return id;
}

Structure Graph::structure() const {
  std::vector<std::vector<StreamId>> inputs;
  std::vector<std::vector<StreamId>> outputs;
  for (const Token& token : tokens_) {
    inputs.push_back(token.reads);
    outputs.push_back(token.writes);
  }
  Structure structure(std::move(inputs), std::move(outputs), streams_.size());
  for (StreamId id = 0; id < streams_.size(); ++id)
    if (streams_[id].result) structure.mark_result(id);
  return structure;
}

std::uint64_t Graph::digest() const {
  Digest digest;
  for (const Kernel& each : kernels_)
    digest.add(each.name);
  for (const Stream& each : streams_) {
    digest.add(each.name);
    digest.add(each.bytes);
    digest.add((each.result ? 1U : 0U) + (each.supply ? 2U : 0U));
  }
  for (const Token& each : tokens_) {
    digest.add(each.name);
    digest.add(each.kernel);
    digest.add(each.reads.size());
    for (const StreamId id : each.reads)
      digest.add(id);
    digest.add(each.writes.size());
    for (const StreamId id : each.writes)
      digest.add(id);
    for (const std::int64_t number : each.numbers)
      digest.add(static_cast<std::uint64_t>(number));
  }
  return digest.value();
}

}  // namespace lbsp::dataflow
