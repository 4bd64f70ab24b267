#include "lbsp/dataflow/running/local_tokens.hpp"

#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"
#include "transport/thrown.hpp"

namespace lbsp::dataflow::running {

namespace {

StreamBytes supplied(const Graph::Stream& stream) {
  try {
    return stream.supply();
  } catch (const std::exception&) {
    throw Error(fmt::format("stream \"{}\": {}", stream.name, describe_thrown(std::current_exception())));
  }
}

}  // namespace

const StreamBytes& LocalTokens::stream(StreamId id) {
  if (const StreamBytes* const found = held_.find(id)) return *found;
  const Graph::Stream& stream = graph_.streams()[id];
  if (!stream.supply)
    throw Error(fmt::format("stream \"{}\" is not where it should be: report it as a bug", stream.name));
  return held_.put(id, supplied(stream));
}

Ticks LocalTokens::compute(TokenId id) {
  const Graph::Token& token = graph_.tokens()[id];
  std::vector<std::span<const std::byte>> read;
  for (const StreamId each : token.reads)
    read.emplace_back(stream(each));
  const Inputs inputs(std::move(read), token.numbers);
  Outputs outputs(token.writes.size());
  const auto begin = std::chrono::steady_clock::now();
  try {
    graph_.kernels()[token.kernel].compute(inputs, outputs);
  } catch (const std::exception&) {
    throw Error(fmt::format("token \"{}\": {}", token.name, describe_thrown(std::current_exception())));
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  std::vector<StreamBytes> written = outputs.take();
  for (std::size_t i = 0; i < written.size(); ++i)
    held_.put(token.writes[i], std::move(written[i]));
  return std::chrono::nanoseconds(took).count();
}

}  // namespace lbsp::dataflow::running
