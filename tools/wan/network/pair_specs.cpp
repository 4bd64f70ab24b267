#include "tools/wan/network/pair_specs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <sstream>

namespace lbsp::wan::network {

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

namespace {

/// As they are written, such as rtt=20ms; none of a perfect path.
std::set<std::string> properties(const transport::WanSpec& spec) {
  std::set<std::string> found;
  if (spec == transport::WanSpec{}) return found;
  std::istringstream text(to_string(spec));
  for (std::string property; std::getline(text, property, ',');)
    found.insert(property);
  return found;
}

/// "loss", "loss and rtt", "loss, mtu and rtt".
std::string listed(const std::set<std::string>& names) {
  std::string text;
  std::size_t left = names.size();
  for (const std::string& name : names)
    text += name + (--left > 1 ? ", " : left == 1 ? " and " : "");
  return text;
}

}  // namespace

std::string in_words(const PairSpecs& specs) {
  if (specs.hosts() < 2) return "one host";
  const auto& first = specs.at(0, 1);
  std::set<std::string> common = properties(first);
  std::set<std::string> all = common;
  for (int from = 0; from < specs.hosts(); ++from) {
    for (int to = 0; to < specs.hosts(); ++to) {
      if (from == to || specs.at(from, to) == first) continue;
      const auto here = properties(specs.at(from, to));
      all.insert(here.begin(), here.end());
      std::erase_if(common, [&](const std::string& property) { return !here.contains(property); });
    }
  }
  std::set<std::string> differing;
  for (const std::string& property : all)
    if (!common.contains(property)) differing.insert(property.substr(0, property.find('=')));
  if (differing.empty()) return to_string(first);
  return fmt::format("{}{}{} from pair to pair", fmt::join(common, ","), common.empty() ? "" : "; ",
                     listed(differing) + (differing.size() == 1 ? " differs" : " differ"));
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

}  // namespace lbsp::wan::network
