#include "tools/wan/pair_specs.hpp"

#include <algorithm>

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

std::size_t PairSpecs::device_mtu() const {
  std::size_t longest = 1500;
  for (const transport::WanSpec& spec : specs_)
    longest = std::max(longest, spec.mtu_bytes.value_or(0));
  return longest;
}

std::string in_words(const PairSpecs& specs) {
  if (specs.hosts() < 2) return "one host";
  const auto& first = specs.at(0, 1);
  for (int from = 0; from < specs.hosts(); ++from) {
    for (int to = 0; to < specs.hosts(); ++to) {
      if (from != to && specs.at(from, to) != first) return "different from pair to pair";
    }
  }
  return to_string(first);
}

std::optional<transport::Uplink> PairSpecs::downlink(int to) const {
  const transport::WanSpec* widest = nullptr;
  for (int from = 0; from < hosts_; ++from) {
    if (from == to) continue;
    const auto& spec = at(from, to);
    if (!spec.downlink) return std::nullopt;
    if (widest == nullptr || spec.downlink->value > widest->downlink->value) widest = &spec;
  }
  if (widest == nullptr) return std::nullopt;
  return transport::Uplink(widest->downlink, *widest);
}

}  // namespace lbsp::wan
