#include "tools/programs/jacobi/jacobi_boundary.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <set>

#include "transport/error.hpp"

namespace lbsp::programs::jacobi {
namespace {

[[noreturn]] void refuse(std::string_view what) {
  throw UsageError(fmt::format(
      "--boundary {}: write top=1,bottom=0,left=sine,right=EDGE.npy: a number, sine or a .npy file each",
      what));
}

Edge parse_edge(std::string_view text) {
  if (text == "sine") return {Edge::Kind::sine, 0, {}};
  if (text.ends_with(".npy")) return {Edge::Kind::file, 0, std::string(text)};
  Edge edge;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), edge.value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(edge.value)) refuse(text);
  return edge;
}

Edge& edge_named(std::string_view name, Boundary& boundary) {
  if (name == "top") return boundary.top;
  if (name == "bottom") return boundary.bottom;
  if (name == "left") return boundary.left;
  if (name == "right") return boundary.right;
  refuse(name);
}

}  // namespace

double Edge::at(std::size_t index, std::size_t count) const {
  if (kind == Kind::constant) return value;
  if (index == 0 || index + 1 >= count) return 0;
  return std::sin(std::numbers::pi * static_cast<double>(index) / static_cast<double>(count - 1));
}

bool Boundary::has_files() const {
  for (const Edge* edge : {&top, &bottom, &left, &right}) {
    if (edge->kind == Edge::Kind::file) return true;
  }
  return false;
}

Boundary parse_boundary(std::string_view text) {
  Boundary boundary;
  std::set<std::string_view> seen;
  while (true) {
    const std::string_view part = text.substr(0, text.find(','));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) refuse(part);
    const std::string_view name = part.substr(0, equals);
    edge_named(name, boundary) = parse_edge(part.substr(equals + 1));
    if (!seen.insert(name).second) refuse(fmt::format("has {} twice", name));
    if (part.size() == text.size()) return boundary;
    text.remove_prefix(part.size() + 1);
  }
}

}  // namespace lbsp::programs::jacobi
