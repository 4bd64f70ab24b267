#pragma once

#include <nlohmann/json.hpp>

namespace lbsp::test {

/// What a job that lbsp watch asks answers, whose ranks all compute.
inline nlohmann::json job_answer(int ranks, const nlohmann::json& waited_for) {
  nlohmann::json per_rank = nlohmann::json::array();
  for (int rank = 0; rank < ranks; ++rank)
    per_rank.push_back({{"rank", rank},
                        {"host", "node\x1b[2J"},
                        {"doing", "computes"},
                        {"superstep", 7},
                        {"seconds", {{"compute", 1.5}, {"communicate", 0.25}, {"waiting", 0}}},
                        {"network", {{"loss", 0.1}, {"rtt", 0.07}, {"rate", 12.5e6}}}});
  return {{"program", "own"}, {"backend", "udp"},     {"superstep", 7},
          {"seconds", 61},    {"per_rank", per_rank}, {"waited_for", waited_for}};
}

}  // namespace lbsp::test
