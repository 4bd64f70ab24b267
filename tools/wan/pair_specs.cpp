#include "tools/wan/pair_specs.hpp"

namespace lbsp::wan {

transport::WanSpec PairSpecs::uplink(int from) const {
  transport::WanSpec widest;
  bool first = true;
  for (int to = 0; to < hosts_; ++to) {
    if (to == from) continue;
    const auto& spec = at(from, to);
    const bool wider = first || (widest.rate && (!spec.rate || spec.rate->value > widest.rate->value));
    if (wider) widest = spec;
    first = false;
  }
  return widest;
}

}  // namespace lbsp::wan
