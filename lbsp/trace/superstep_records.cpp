#include "lbsp/trace/superstep_records.hpp"

#include <algorithm>

namespace lbsp {
namespace {

constexpr std::size_t fewest_reserved = 64;

bool tells_of_a_network(const transport::TrafficCounters& traffic) {
  transport::TrafficCounters rest = traffic;
  rest.payload_bytes_sent = rest.payload_bytes_received = 0;
  return rest != transport::TrafficCounters{};
}

bool tells_of_a_network(const SuperstepFigures& figures) {
  const transport::Forecast& forecast = figures.forecast;
  return tells_of_a_network(figures.traffic) || forecast.duration != transport::Duration{0} ||
         forecast.earlier != transport::Duration{0} || forecast.later != transport::Duration{0} ||
         forecast.most_copies != 0;
}

}  // namespace

SuperstepFigures& SuperstepFigures::operator+=(const SuperstepFigures& other) {
  compute += other.compute;
  communicate += other.communicate;
  h += other.h;
  traffic += other.traffic;
  forecast += other.forecast;
  return *this;
}

SuperstepRecords::Brief& SuperstepRecords::Brief::operator+=(const Brief& other) {
  compute += other.compute;
  communicate += other.communicate;
  h += other.h;
  payload_bytes_sent += other.payload_bytes_sent;
  payload_bytes_received += other.payload_bytes_received;
  return *this;
}

/// A forecast of some of a record's supersteps cannot be compared with what all of them took.
void SuperstepRecords::OverNetwork::join(const OverNetwork& next) {
  const transport::Duration unknown{0};
  const bool known = forecast.duration > unknown && next.forecast.duration > unknown;
  traffic += next.traffic;
  forecast += next.forecast;
  if (!known) forecast.duration = unknown;
}

SuperstepRecords::Brief SuperstepRecords::brief_of(const SuperstepFigures& figures) {
  return {figures.compute, figures.communicate, figures.h, figures.traffic.payload_bytes_sent,
          figures.traffic.payload_bytes_received};
}

SuperstepRecords::OverNetwork SuperstepRecords::over_network_of(const SuperstepFigures& figures,
                                                                std::size_t record) {
  OverNetwork out{record, figures.traffic, figures.forecast};
  out.traffic.payload_bytes_sent = out.traffic.payload_bytes_received = 0;
  return out;
}

SuperstepFigures SuperstepRecords::operator[](std::size_t place) const {
  const Brief& brief = briefs_[place];
  SuperstepFigures out{.compute = brief.compute,
                       .communicate = brief.communicate,
                       .h = brief.h,
                       .traffic = {},
                       .forecast = {}};
  const auto found = std::ranges::lower_bound(over_network_, place, {}, &OverNetwork::record);
  if (found != over_network_.end() && found->record == place) {
    out.traffic = found->traffic;
    out.forecast = found->forecast;
  }
  out.traffic.payload_bytes_sent = brief.payload_bytes_sent;
  out.traffic.payload_bytes_received = brief.payload_bytes_received;
  return out;
}

std::vector<SuperstepFigures> SuperstepRecords::copy(std::size_t first, std::size_t end) const {
  std::vector<SuperstepFigures> out;
  out.reserve(end - first);
  for (std::size_t place = first; place < end; ++place)
    out.push_back((*this)[place]);
  return out;
}

void SuperstepRecords::add(const SuperstepFigures& figures, std::size_t most) {
  // Not twice as much at the end, which would be more than there will ever be.
  if (briefs_.size() == briefs_.capacity())
    briefs_.reserve(std::min(most, std::max(fewest_reserved, 2 * briefs_.size())));
  briefs_.push_back(brief_of(figures));
  if (!tells_of_a_network(figures)) return;
  if (over_network_.size() == over_network_.capacity())
    over_network_.reserve(std::min(most, std::max(fewest_reserved, 2 * over_network_.size())));
  over_network_.push_back(over_network_of(figures, briefs_.size() - 1));
}

void SuperstepRecords::join_to_last(const SuperstepFigures& figures) {
  briefs_.back() += brief_of(figures);
  const bool is_over_network = last_is_over_network();
  if (!is_over_network && !tells_of_a_network(figures)) return;
  // The others of the record had no forecast.
  if (!is_over_network) over_network_.push_back({briefs_.size() - 1, {}, {}});
  over_network_.back().join(over_network_of(figures, briefs_.size() - 1));
}

void SuperstepRecords::credit_last(const transport::TrafficCounters& late) {
  briefs_.back().payload_bytes_sent += late.payload_bytes_sent;
  briefs_.back().payload_bytes_received += late.payload_bytes_received;
  if (!tells_of_a_network(late)) return;
  if (!last_is_over_network()) over_network_.push_back({briefs_.size() - 1, {}, {}});
  over_network_.back().traffic += over_network_of({.traffic = late}, 0).traffic;
}

void SuperstepRecords::join_neighbours() {
  const std::size_t before = briefs_.size();
  for (std::size_t record = 0; record < before; ++record) {
    if (record % 2 == 0)
      briefs_[record / 2] = briefs_[record];
    else
      briefs_[record / 2] += briefs_[record];
  }
  briefs_.resize((before + 1) / 2);

  std::size_t kept = 0;
  for (std::size_t place = 0; place < over_network_.size(); ++place) {
    OverNetwork next = over_network_[place];
    const std::size_t neighbour = next.record ^ 1;
    next.record /= 2;
    if (kept > 0 && over_network_[kept - 1].record == next.record) {
      over_network_[kept - 1].join(next);
      continue;
    }
    const bool both = place + 1 < over_network_.size() && over_network_[place + 1].record == neighbour;
    if (!both && neighbour < before) next.forecast.duration = transport::Duration{0};
    over_network_[kept++] = next;
  }
  over_network_.resize(kept);
}

}  // namespace lbsp
