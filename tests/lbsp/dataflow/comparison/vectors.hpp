#pragma once

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"

#include "lbsp/dataflow/planning/estimates.hpp"
#include "lbsp/dataflow/structure.hpp"
#include "tests/lbsp/dataflow/comparison/shapes.hpp"

namespace lbsp::dataflow::comparison {

/// The plans that a reference implementation made (data/lheft.json, which says by what conventions). Throws if the
/// file is not there, so that no test passes on nothing.
inline const nlohmann::json& vectors() {
  static const nlohmann::json all = [] {
    std::ifstream file(LBSP_DATAFLOW_TEST_DATA "/lheft.json");
    if (!file) throw std::runtime_error("no vectors in " LBSP_DATAFLOW_TEST_DATA);
    return nlohmann::json::parse(file);
  }();
  return all;
}

/// One of its graphs.
struct VectorCase {
  nlohmann::json told;
  Structure graph;
  planning::Estimates estimates;

  explicit VectorCase(const nlohmann::json& from) : told(from) {
    std::vector<std::vector<TokenId>> reads;
    std::vector<std::vector<Ticks>> takes;
    for (const auto& task : told["tasks"]) {
      reads.push_back(task["inputs"].get<std::vector<TokenId>>());
      takes.push_back(task["cost"].get<std::vector<Ticks>>());
      estimates.bytes.push_back(task["out_size"].get<std::uint64_t>());
    }
    graph = one_stream_each(reads);
    const Transfer transfer{told["latency"].get<Ticks>(), told["per_unit"].get<Ticks>() * 1'000'000};
    estimates.send.assign(told["workers"].get<std::size_t>(), transfer);
    estimates.run = [takes](TokenId token, Worker worker) {
      return takes[token][static_cast<std::size_t>(worker)];
    };
  }
};

inline std::vector<VectorCase> vector_cases() {
  std::vector<VectorCase> cases;
  for (const auto& graph : vectors()["graphs"])
    cases.emplace_back(graph);
  return cases;
}

}  // namespace lbsp::dataflow::comparison
