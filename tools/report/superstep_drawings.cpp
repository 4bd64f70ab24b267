// The drawings of how long supersteps took.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "tools/report/drawings.hpp"

namespace lbsp::report {
namespace {

constexpr double drawing_left = 70;  // for what is written beside
constexpr double drawing_width = 1000;
constexpr double tall = 120;

std::string head_of(const char* label) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">",
                     drawing_left + drawing_width + 10, tall + 20, label);
}

/// What is written below, at either end.
std::string foot_of(const std::string& first, const std::string& last) {
  return fmt::format("<text x=\"{}\" y=\"{}\">{}</text><text class=\"end\" x=\"{}\" y=\"{}\">{}</text></svg>",
                     drawing_left, tall + 14, first, drawing_left + drawing_width, tall + 14, last);
}

std::string line_of(double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"predicted\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>",
                     x1, y1, x2, y2);
}

/// The mean of neighbouring supersteps.
struct Group {
  std::uint64_t first = 0;
  double measured = 0;
  double predicted = 0;  ///< 0: one of them has no prediction
  double from = 0;       ///< of what nine of ten take
  double to = 0;         ///< 0: one of them has no interval
};

Group group_of(const std::vector<Superstep>& supersteps, std::size_t begin, std::size_t end) {
  Group group{.first = supersteps[begin].first};
  double count = 0;
  bool predicted = true;
  bool calibrated = true;
  for (std::size_t i = begin; i < end; ++i) {
    const Superstep& superstep = supersteps[i];
    count += static_cast<double>(superstep.supersteps);
    group.measured += superstep.communicate;
    group.predicted += superstep.expected().value_or(0);
    predicted = predicted && superstep.predicted;
    calibrated = calibrated && superstep.calibrated;
    if (!superstep.calibrated) continue;
    group.from += superstep.calibrated->from;
    group.to += superstep.calibrated->to;
  }
  group.measured /= count;
  group.predicted = predicted ? group.predicted / count : 0;
  group.from = calibrated ? group.from / count : 0;
  group.to = calibrated ? group.to / count : 0;
  return group;
}

std::vector<Group> groups_of(const std::vector<Superstep>& supersteps) {
  constexpr std::size_t most_groups = 200;
  const std::size_t together = (supersteps.size() - 1) / most_groups + 1;
  std::vector<Group> out;
  for (std::size_t i = 0; i < supersteps.size(); i += together)
    out.push_back(group_of(supersteps, i, std::min(i + together, supersteps.size())));
  return out;
}

std::string interval_text(const Group& group) {
  return group.to > 0 ? fmt::format("{} to {}", time_text(group.from), time_text(group.to)) : "";
}

std::string bar_of(const Group& group, double x, double width, double most) {
  const auto place = [&](double seconds) { return tall - tall * seconds / most; };
  std::string title = fmt::format("superstep {}: {}", group.first, time_text(group.measured));
  if (group.predicted > 0) title += ", predicted " + time_text(group.predicted);
  if (group.to > 0) title += ", nine of ten " + interval_text(group);
  std::string out = fmt::format(
      "<rect class=\"waiting\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}</title></rect>",
      x, place(group.measured), 0.85 * width, tall - place(group.measured), title);
  if (group.predicted > 0)
    out += line_of(x, place(group.predicted), x + 0.85 * width, place(group.predicted));
  if (group.to > 0) out += line_of(x + 0.425 * width, place(group.to), x + 0.425 * width, place(group.from));
  return out;
}

std::string table_of(const std::vector<Group>& groups) {
  std::string out =
      "\n<details><summary>The same as a table</summary>\n<table>\n<tr><th>from superstep</th><th>measured</th>"
      "<th>predicted</th><th>nine of ten</th></tr>\n";
  for (const Group& group : groups)
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", group.first,
                       time_text(group.measured), group.predicted > 0 ? time_text(group.predicted) : "",
                       interval_text(group));
  return out + "</table></details>\n";
}

/// A histogram in classes of equal width; the last one also has what took longer.
class Histogram {
 public:
  Histogram(double least, double most)
      : least_(least), most_(most), width_(std::max(1e-12, (most - least) / classes)) {}

  void add(double seconds, std::uint64_t count) {
    longest_ = std::max(longest_, seconds);
    if (seconds > most_) longer_ += count;
    const int place = std::clamp(static_cast<int>((seconds - least_) / width_), 0, classes - 1);
    counts_[static_cast<std::size_t>(place)] += count;
  }
  std::string drawing(const char* label, const std::vector<double>& marks) const {
    std::string out = head_of(label);
    const auto highest = static_cast<double>(*std::ranges::max_element(counts_));
    for (int i = 0; i < classes; ++i) {
      const std::uint64_t count = counts_[static_cast<std::size_t>(i)];
      const double height = tall * static_cast<double>(count) / highest;
      out += fmt::format(
          "<rect class=\"computing\" x=\"{}\" y=\"{:.1f}\" width=\"23\" height=\"{:.1f}\"><title>{} supersteps "
          "of {}</title></rect>",
          drawing_left + i * 25.0, tall - height, height, count, time_text(least_ + (i + 0.5) * width_));
    }
    for (const double mark : marks) {
      const double x = drawing_left + drawing_width * (mark - least_) / (classes * width_);
      out += line_of(x, 0, x, tall);
    }
    return out + foot_of(time_text(least_),
                         longer_ == 0 ? time_text(most_)
                                      : fmt::format("{}; {} took longer, up to {}", time_text(most_), longer_,
                                                    time_text(longest_)));
  }

 private:
  static constexpr int classes = 40;

  double least_;
  double most_;
  double width_;
  double longest_ = 0;
  std::uint64_t longer_ = 0;
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(classes, 0);
};

/// The superstep whose predicted time is the middle one; none if no plan tells what nine of ten take.
std::optional<Superstep> middle_of(const std::vector<Superstep>& supersteps) {
  std::vector<Superstep> planned;
  std::ranges::copy_if(supersteps, std::back_inserter(planned), [](const Superstep& superstep) {
    return superstep.planned && superstep.supersteps == 1;
  });
  if (planned.empty()) return std::nullopt;
  const auto middle = planned.begin() + static_cast<std::ptrdiff_t>(planned.size() / 2);
  std::ranges::nth_element(planned, middle, {},
                           [](const Superstep& superstep) { return *superstep.predicted; });
  return *middle;
}

/// Where a histogram ends. A few that took many times as long as the others would leave all others one class.
double end_of(std::vector<double> each) {
  constexpr double shown = 0.98;
  constexpr double far = 3;
  const auto [least, most] = std::ranges::minmax(each);
  const auto place = each.begin() + static_cast<std::ptrdiff_t>(shown * static_cast<double>(each.size() - 1));
  std::ranges::nth_element(each, place);
  return most - least > far * (*place - least) && *place > least ? *place : most;
}

/// `seconds` of a superstep or of all in a record.
template <class Seconds>
std::string histogram(const std::vector<Superstep>& supersteps, const char* label,
                      const std::vector<double>& marks, Seconds seconds) {
  const auto each = [&](const Superstep& superstep) {
    return seconds(superstep) / static_cast<double>(superstep.supersteps);
  };
  std::vector<double> all(supersteps.size());
  std::ranges::transform(supersteps, all.begin(), each);
  double least = std::ranges::min(all);
  double most = end_of(all);
  for (const double mark : marks) {
    least = std::min(least, mark);
    most = std::max(most, mark);
  }
  Histogram out(least, most);
  for (const Superstep& superstep : supersteps)
    out.add(each(superstep), superstep.supersteps);
  return out.drawing(label, marks);
}

}  // namespace

std::string measured_and_predicted(const std::vector<Superstep>& supersteps) {
  const std::vector<Group> groups = groups_of(supersteps);
  double most = 1e-12;
  for (const Group& group : groups)
    most = std::max({most, group.measured, group.predicted, group.to});
  const double width = drawing_width / static_cast<double>(groups.size());
  std::string out = head_of("measured and predicted communication") +
                    fmt::format("<text x=\"0\" y=\"12\">{}</text>", time_text(most));
  for (std::size_t i = 0; i < groups.size(); ++i)
    out += bar_of(groups[i], drawing_left + static_cast<double>(i) * width, width, most);
  const Superstep& last = supersteps.back();
  return out + foot_of("superstep 0", fmt::format("{}", last.first + last.supersteps - 1)) + table_of(groups);
}

std::string histogram_of_supersteps(const std::vector<Superstep>& supersteps) {
  return histogram(supersteps, "how many supersteps took how long", {},
                   [](const Superstep& superstep) { return superstep.seconds; });
}

std::string histogram_of_communication(const std::vector<Superstep>& supersteps) {
  std::vector<double> marks;
  if (const auto middle = middle_of(supersteps))
    marks = {middle->planned->from, *middle->predicted, middle->planned->to};
  return histogram(supersteps, "how many supersteps communicated how long", marks,
                   [](const Superstep& superstep) { return superstep.communicate; });
}

}  // namespace lbsp::report
