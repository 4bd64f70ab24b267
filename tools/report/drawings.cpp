#include "tools/report/drawings.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace lbsp::report {
namespace {

using model::critical_path::Estimate;
using model::critical_path::Kind;
using trace_file::TimeLines;
using trace_file::Times;

constexpr int columns = 1000;
constexpr std::size_t most_stretches = 2000;
constexpr double left = 70;  // for the ranks' names
constexpr double band = 22;  // height of a rank
constexpr double bar = 18;

/// Of a rank's columns, the seconds that it computes and waits in each.
struct Shares {
  std::vector<double> computing = std::vector<double>(columns, 0);
  std::vector<double> waiting = std::vector<double>(columns, 0);
};

struct Span {
  double from = 0;
  double to = 0;
  double column() const { return (to - from) / columns; }
  double place(double time) const { return left + (time - from) / column(); }
};

Span span_of(const TimeLines& lines) {
  Span out{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const auto& steps : lines.steps) {
    if (steps.empty()) continue;
    out.from = std::min(out.from, steps.front().began);
    out.to = std::max(out.to, steps.back().ended);
  }
  out.to = std::max(out.to, out.from + 1e-9);
  return out;
}

void add(std::vector<double>& sums, const Span& span, double from, double to) {
  const double width = span.column();
  const auto column = [&](double time) {
    return std::clamp(static_cast<int>((time - span.from) / width), 0, columns - 1);
  };
  for (int i = column(from); i <= column(to); ++i) {
    const double begin = span.from + i * width;
    sums[static_cast<std::size_t>(i)] += std::max(0.0, std::min(to, begin + width) - std::max(from, begin));
  }
}

Shares shares_of(const std::vector<Times>& steps, const Span& span) {
  Shares out;
  for (const Times& times : steps) {
    add(out.computing, span, times.began, times.called);
    add(out.waiting, span, times.called, times.came);
  }
  return out;
}

/// Columns beside each other that are alike are one rectangle.
std::string rectangles(const char* name, const std::vector<double>& shares, const std::vector<double>* below,
                       const Span& span, double top) {
  const auto height = [&](const std::vector<double>& of, int i) {
    return std::round(bar * std::min(1.0, of[static_cast<std::size_t>(i)] / span.column()) * 10) / 10;
  };
  std::string out;
  for (int i = 0, next = 0; i < columns; i = next) {
    const double tall = height(shares, i);
    const double lift = below != nullptr ? height(*below, i) : 0;
    next = i + 1;
    while (next < columns && height(shares, next) == tall &&
           (below == nullptr || height(*below, next) == lift))
      ++next;
    if (tall > 0)
      out += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\"/>", name,
                         left + i, top + bar - lift - tall, next - i, tall);
  }
  return out;
}

std::string path_line(const TimeLines& lines, const Estimate& path, const Span& span) {
  std::string points;
  const auto point = [&](double time, std::size_t rank) {
    points += fmt::format("{:.1f},{:.1f} ", span.place(time), static_cast<double>(rank) * band + bar / 2);
  };
  for (const auto& stretch : path.path) {
    if (stretch.kind != Kind::compute || stretch.superstep >= lines.steps[stretch.rank].size()) continue;
    const Times& times = lines.steps[stretch.rank][stretch.superstep];
    point(times.began, stretch.rank);
    point(times.called, stretch.rank);
  }
  return fmt::format("<polyline class=\"path\" points=\"{}\"/>", points);
}

}  // namespace

std::string time_line(const TimeLines& lines, const Estimate& path) {
  const Span span = span_of(lines);
  std::string out =
      fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"time line of the ranks\">",
                  left + columns + 10, band * static_cast<double>(lines.steps.size()) + 20);
  for (std::size_t rank = 0; rank < lines.steps.size(); ++rank) {
    const double top = band * static_cast<double>(rank);
    const Shares shares = shares_of(lines.steps[rank], span);
    out += fmt::format("<text x=\"0\" y=\"{:.1f}\">rank {}</text>", top + bar - 4, rank);
    out += rectangles("computing", shares.computing, nullptr, span, top);
    out += rectangles("waiting", shares.waiting, &shares.computing, span, top);
  }
  if (!path.path.empty() && path.path.size() <= most_stretches) out += path_line(lines, path, span);
  const double foot = band * static_cast<double>(lines.steps.size()) + 14;
  out += fmt::format(
      "<text x=\"{}\" y=\"{:.1f}\">0</text><text class=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text></svg>", left,
      foot, left + columns, foot, time_text(span.to - span.from));
  return out;
}

}  // namespace lbsp::report
