#include "tools/probe/report.hpp"

#include <chrono>
#include <cmath>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <map>

#include "tools/command_line/gnuplot.hpp"
#include "tools/command_line/short_number.hpp"
#include "transport/quantity.hpp"

namespace lbsp::probe {
namespace {

using profile::PairProfile;
using profile::Profile;

const std::string& name_of(const Profile& profile, int host) {
  return profile.hosts[static_cast<std::size_t>(host)].name;
}

std::string milliseconds(double seconds) {
  return fmt::format("{:.4g}", seconds * 1e3);
}

std::string second_copy(const PairProfile& pair) {
  if (pair.second_copy_loss.empty()) return "-";
  const profile::SecondCopyLoss& soonest = pair.second_copy_loss.front();
  const std::string loss = fmt::format("{:.3g} %", soonest.loss * 100);
  return soonest.sample > 0 ? fmt::format("{} of {}", loss, soonest.sample) : loss;
}

std::string row(const PairProfile& pair) {
  return fmt::format("{:>7}{} {:>7} {:>15} {:>6} {:>14} {:>9} {:>9} {:>9}  {}\n", pair.packet_size,
                     pair.fragmented ? '*' : ' ', fmt::format("{:.3g}", pair.loss * 100),
                     fmt::format("{:.2f} - {:.2f}", pair.loss_interval[0] * 100, pair.loss_interval[1] * 100),
                     fmt::format("{:.2f}", pair.burst), second_copy(pair),
                     milliseconds(pair.round_trip.minimum), milliseconds(pair.round_trip.median),
                     milliseconds(pair.round_trip.p99), transport::format_rate({pair.bandwidth}, 3));
}

struct Panel {
  const char* title;
  const char* settings;
  double (*value)(const PairProfile&);
};

constexpr Panel panels[] = {
    {"packet loss", "set ylabel 'loss, %'\nset yrange [0:*]\n",
     [](const PairProfile& pair) { return pair.loss * 100; }},
    {"bandwidth", "set ylabel 'Mbit/s'\nset yrange [0:*]\n",
     [](const PairProfile& pair) { return pair.bandwidth * 8e-6; }},
    {"round-trip time, median", "set ylabel 'ms'\nset yrange [0:*]\n",
     [](const PairProfile& pair) { return pair.round_trip.median * 1e3; }},
};

/// A data block of a panel: the mean over the pairs for each size, then, after blank lines, each pair.
std::string data_of(const Profile& profile, const Panel& panel) {
  std::map<int, std::pair<double, int>> means;
  std::map<std::pair<int, int>, std::string> curves;
  for (const PairProfile& pair : profile.pairs) {
    auto& [sum, count] = means[pair.packet_size];
    sum += panel.value(pair);
    ++count;
    curves[{pair.from, pair.to}] += fmt::format("{} {}\n", pair.packet_size, panel.value(pair));
  }
  std::string data;
  for (const auto& [size, mean] : means)
    data += fmt::format("{} {}\n", size, mean.first / mean.second);
  for (const auto& [pair, curve] : curves)
    data += "\n\n" + curve;
  return data;
}

}  // namespace

std::string profile_as_text(const Profile& profile) {
  std::string text;
  for (const auto& host : profile.hosts) {
    if (!host.compute) continue;
    const auto& rates = *host.compute;
    text += fmt::format("{}: dgemm {} Gflop/s, sort {} Mkeys/s, FFT {} Gflop/s, stencil {} Gpoints/s\n",
                        host.name, command_line::short_number(rates.dgemm_flops * 1e-9),
                        command_line::short_number(rates.sort_keys * 1e-6),
                        command_line::short_number(rates.fft_flops * 1e-9),
                        command_line::short_number(rates.stencil_points * 1e-9));
  }
  bool fragmented = false;
  const PairProfile* last = nullptr;
  for (const PairProfile& pair : profile.pairs) {
    if (last == nullptr || last->from != pair.from || last->to != pair.to) {
      text += fmt::format("{} -> {}", name_of(profile, pair.from), name_of(profile, pair.to));
      if (pair.largest_datagram)
        text += fmt::format(", whole datagrams of up to {} bytes", *pair.largest_datagram);
      text += "\n";
      text += fmt::format("{:>7}  {:>7} {:>15} {:>6} {:>14} {:>9} {:>9} {:>9}  {}\n", "bytes", "loss %",
                          "95 % interval", "run", "2nd lost", "RTT min", "median", "p99 ms", "bandwidth");
    }
    text += row(pair);
    fragmented = fragmented || pair.fragmented;
    last = &pair;
  }
  if (fragmented) text += "* above the path's MTU: sent in fragments, of which none may be lost\n";
  return text;
}

std::string profile_as_svg(const Profile& profile) {
  std::string script =
      "set terminal svg size 1200,420 dynamic enhanced font 'sans-serif,13' background 'white'\n"
      "set grid lc rgb '#dddddd'\nset border lc rgb '#666666'\nset tics textcolor rgb '#333333'\n"
      "set xlabel 'packet size, bytes of UDP payload'\nset logscale x\nset xtics rotate by -30\n"
      "set key top left\n";
  for (std::size_t i = 0; i < std::size(panels); ++i)
    script += fmt::format("$p{} << EOD\n{}EOD\n", i, data_of(profile, panels[i]));
  script += "set multiplot layout 1,3\n";
  for (std::size_t i = 0; i < std::size(panels); ++i) {
    script += fmt::format(
        "set title '{}'\n{}plot for [j=1:*] $p{} index j using 1:2 with lines lc rgb '#bbbbbb' notitle, "
        "$p{} index 0 using 1:2 with linespoints lw 2 pt 7 ps 0.5 lc rgb '#1f77b4' title 'mean of all "
        "pairs'\n",
        panels[i].title, panels[i].settings, i, i);
  }
  return command_line::draw_svg(script + "unset multiplot\n");
}

std::string time_now() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace lbsp::probe
