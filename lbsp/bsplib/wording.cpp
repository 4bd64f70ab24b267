#include "lbsp/bsplib/wording.hpp"

#include <fmt/format.h>

namespace lbsp::bsplib {
namespace {

using superstep::LogEntry;
using superstep::LogKind;

std::string describe_in_c(const LogEntry& entry) {
  switch (entry.kind) {
    case LogKind::registered:
      return "called bsp_push_reg";
    case LogKind::released:
      if (entry.slot == superstep::absent_slot) return "called bsp_pop_reg(NULL)";
      return fmt::format("called bsp_pop_reg for registration {}", entry.slot);
    case LogKind::tag_size:
      return fmt::format("called bsp_set_tagsize with {}", entry.parameter);
    case LogKind::agreed:
    case LogKind::collective:
    case LogKind::graph:
      break;
  }
  return "did something unknown";
}

}  // namespace

const superstep::Wording c_wording = {
    .sync = "called bsp_sync",
    .end = "called bsp_end",
    .nothing_further = "made no such call",
    .register_alike = "make the same calls in the same order on every process",
    .call_alike = "call the same with the same root, size and op on every process",
    .run_alike = "make the same calls in the same order on every process",
    .sync_alike = "let every process call bsp_sync equally often",
    .describe = describe_in_c,
};

}  // namespace lbsp::bsplib
