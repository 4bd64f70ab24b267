#include "tools/launch/report/report_screen_network.hpp"

#include <fmt/format.h>

#include "tools/launch/report/job_figures.hpp"
#include "transport/counted.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch::report {
namespace {

constexpr int shown_digits = 3;

/// The rate with which a host began, and where it came from.
std::string first_rate_text(const request::RunOptions& options, transport::BytesPerSecond told) {
  const std::string rate = transport::format_rate(told, shown_digits);
  if (options.rate_given) return rate + " was told";
  return options.profile_file.empty() ? "it began with " + rate : rate + " is in the profile";
}

/// Where ranks share none, the rank itself.
std::string name_of_host(const JobReport& report, Rank rank) {
  return report.placement().over_hosts ? report.placement().host_of(rank) : fmt::format("rank {}", rank);
}

/// Their mean would be no host's: one that never needed more than it began with may have far more than it could use.
std::string rates_text(const HostRates& rates, const char* whose) {
  const std::string least = transport::format_rate(rates.least, shown_digits);
  const std::string most = transport::format_rate(rates.most, shown_digits);
  return least == most ? most : fmt::format("{} to {}, by {}", least, most, whose);
}

}  // namespace

std::string network_text(const JobReport& report) {
  const auto measure = network_of(report);
  const char* const since = epoch_of(report) > 0 ? " since the last change" : "";
  if (measure.loss_sample == 0)
    return fmt::format("not measured: no datagram {}{}",
                       traffic_of(report).datagrams_sent > 0 ? "came" : "was sent", since);
  std::string text =
      fmt::format("loss {:.3g} % of {}", 100 * measure.loss, counted(measure.loss_sample, "datagram"));
  text += since;
  // Gaps show only when a later one comes: of a path that was cut off this is the loss before.
  if (report.reason()) text += " up to the last that came";
  if (measure.round_trip_time > transport::Duration::zero()) {
    text += fmt::format(", round trip {}", transport::format_duration(measure.round_trip_time, shown_digits));
  }
  if (measure.bandwidth.value > 0) {
    text += fmt::format(", messages at up to {}", transport::format_rate(measure.bandwidth, shown_digits));
  }
  const request::RunOptions& options = report.options();
  if (const auto slowest = slowest_below_told(report); slowest && !options.exchange.find_rate) {
    text += fmt::format(", rate at the end {} of {}, though {}",
                        transport::format_rate(slowest->rate, shown_digits),
                        name_of_host(report, slowest->rank), first_rate_text(options, slowest->told));
  } else if (const auto rates = host_rates(report);
             rates && (options.exchange.find_rate || !options.rates.empty())) {
    text += ", rate at the end " + rates_text(*rates, report.placement().over_hosts ? "host" : "rank");
  }
  return text;
}

std::string lengths_text(const JobReport& report) {
  const transport::ExchangeOptions& exchange = report.options().exchange;
  const std::size_t first = transport::first_datagram_bytes(exchange);
  const auto measure = network_of(report);
  if (measure.longest_datagram == 0 ||
      (measure.shortest_datagram == first && measure.longest_datagram == first))
    return {};
  const std::string found = measure.shortest_datagram == measure.longest_datagram
                                ? fmt::format("{} bytes at most", measure.longest_datagram)
                                : fmt::format("{} to {} bytes at most, by path", measure.shortest_datagram,
                                              measure.longest_datagram);
  return fmt::format("datagrams of {}; {} at the beginning", found, first);
}

}  // namespace lbsp::launch::report
