#include "tools/report/drawings.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

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
  Span out{lines.steps.front().front().began, lines.steps.front().back().ended};
  for (const auto& steps : lines.steps) {
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

/// The mean of neighbouring supersteps.
struct Group {
  std::uint64_t first = 0;
  double measured = 0;
  double predicted = 0;  ///< 0: one of them has no prediction
};

std::vector<Group> groups_of(const std::vector<Superstep>& supersteps) {
  constexpr std::size_t most_groups = 200;
  const std::size_t together = (supersteps.size() - 1) / most_groups + 1;
  std::vector<Group> out;
  for (std::size_t i = 0; i < supersteps.size(); i += together) {
    Group group{supersteps[i].first, 0, 0};
    double count = 0;
    bool known = true;
    for (std::size_t j = i; j < std::min(i + together, supersteps.size()); ++j) {
      group.measured += supersteps[j].communicate;
      group.predicted += supersteps[j].predicted.value_or(0);
      known = known && supersteps[j].predicted;
      count += static_cast<double>(supersteps[j].supersteps);
    }
    group.measured /= count;
    group.predicted = known ? group.predicted / count : 0;
    out.push_back(group);
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
  if (path.path.size() <= most_stretches) out += path_line(lines, path, span);
  const double foot = band * static_cast<double>(lines.steps.size()) + 14;
  out += fmt::format(
      "<text x=\"{}\" y=\"{:.1f}\">0</text><text class=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text></svg>", left,
      foot, left + columns, foot, time_text(span.to - span.from));
  return out;
}

std::string measured_and_predicted(const std::vector<Superstep>& supersteps) {
  constexpr double tall = 120;
  const std::vector<Group> groups = groups_of(supersteps);
  double most = 1e-12;
  for (const Group& group : groups)
    most = std::max({most, group.measured, group.predicted});
  const double width = columns / static_cast<double>(groups.size());
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"measured and predicted communication\"><text x=\"0\" "
      "y=\"12\">{}</text>",
      left + columns + 10, tall + 20, time_text(most));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    const double x = left + static_cast<double>(i) * width;
    const double height = tall * group.measured / most;
    out += fmt::format(
        "<rect class=\"waiting\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>superstep {}: "
        "{}{}</title></rect>",
        x, tall - height, 0.85 * width, height, group.first, time_text(group.measured),
        group.predicted > 0 ? fmt::format(", predicted {}", time_text(group.predicted)) : "");
    if (group.predicted > 0) {
      const double y = tall - tall * group.predicted / most;
      out +=
          fmt::format("<line class=\"predicted\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>",
                      x, y, x + 0.85 * width, y);
    }
  }
  const Superstep& last = supersteps.back();
  out += fmt::format(
      "<text x=\"{}\" y=\"{}\">superstep 0</text><text class=\"end\" x=\"{}\" y=\"{}\">{}</text></svg>", left,
      tall + 14, left + columns, tall + 14, last.first + last.supersteps - 1);
  return out;
}

std::string histogram(const std::vector<Superstep>& supersteps) {
  constexpr int classes = 40;
  constexpr double tall = 120;
  const auto each = [](const Superstep& superstep) {
    return superstep.seconds / static_cast<double>(superstep.supersteps);
  };
  double least = each(supersteps.front());
  double most = least;
  for (const Superstep& superstep : supersteps) {
    least = std::min(least, each(superstep));
    most = std::max(most, each(superstep));
  }
  const double width = std::max(1e-12, (most - least) / classes);
  std::vector<std::uint64_t> counts(classes, 0);
  for (const Superstep& superstep : supersteps) {
    const int place = std::clamp(static_cast<int>((each(superstep) - least) / width), 0, classes - 1);
    counts[static_cast<std::size_t>(place)] += superstep.supersteps;
  }
  const auto highest = static_cast<double>(*std::ranges::max_element(counts));
  std::string out =
      fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"how many supersteps took how long\">",
                  left + columns + 10, tall + 20);
  for (int i = 0; i < classes; ++i) {
    const double height = tall * static_cast<double>(counts[static_cast<std::size_t>(i)]) / highest;
    out += fmt::format(
        "<rect class=\"computing\" x=\"{}\" y=\"{:.1f}\" width=\"23\" height=\"{:.1f}\"><title>{} supersteps "
        "of {}</title></rect>",
        left + i * 25.0, tall - height, height, counts[static_cast<std::size_t>(i)],
        time_text(least + (i + 0.5) * width));
  }
  out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text><text class=\"end\" x=\"{}\" y=\"{}\">{}</text></svg>",
                     left, tall + 14, time_text(least), left + columns, tall + 14, time_text(most));
  return out;
}

}  // namespace lbsp::report
