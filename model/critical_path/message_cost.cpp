#include "model/critical_path/message_cost.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "model/mathematics/least_squares.hpp"
#include "model/mathematics/require.hpp"

namespace lbsp::model::critical_path {
namespace {

constexpr std::size_t most_points = 6;  // more only swing

double polynomial(std::span<const MeasuredMessage> points, double bytes) {
  double sum = 0;
  for (const MeasuredMessage& point : points) {
    double term = point.seconds;
    for (const MeasuredMessage& other : points)
      if (&other != &point) term *= (bytes - other.bytes) / (point.bytes - other.bytes);
    sum += term;
  }
  return sum;
}

void require_measured(std::span<const MeasuredMessage> measured) {
  for (const MeasuredMessage& message : measured) {
    mathematics::require_not_negative(message.bytes, "a message's size");
    mathematics::require_not_negative(message.seconds, "a message's time");
  }
}

}  // namespace

MessageCost MessageCost::linear(double startup_seconds, double seconds_per_byte) {
  if (!std::isfinite(startup_seconds) || !std::isfinite(seconds_per_byte))
    throw std::invalid_argument(
        "a communication curve that is not finite: give seconds, and seconds per byte");
  MessageCost out;
  out.startup_ = startup_seconds;
  out.per_byte_ = seconds_per_byte;
  return out;
}

MessageCost MessageCost::fitted(std::span<const MeasuredMessage> measured) {
  require_measured(measured);
  std::vector<mathematics::Sample> samples;
  for (const MeasuredMessage& message : measured)
    samples.push_back({1, message.bytes, message.seconds});
  const auto found = mathematics::least_squares(samples);
  if (!found)
    throw std::invalid_argument("a communication curve of one size of message: measure another size as well");
  return linear(found->first, found->second);
}

MessageCost MessageCost::lagrange(std::vector<MeasuredMessage> measured) {
  require_measured(measured);
  if (measured.empty() || measured.size() > most_points)
    throw std::invalid_argument("a polynomial through " + std::to_string(measured.size()) +
                                " measured messages: give 1 to 6");
  std::ranges::sort(measured, {}, &MeasuredMessage::bytes);
  if (std::ranges::adjacent_find(measured, {}, &MeasuredMessage::bytes) != measured.end())
    throw std::invalid_argument("a communication curve with one size measured twice: give each size once");
  MessageCost out;
  out.points_ = std::move(measured);
  return out;
}

double MessageCost::seconds(double bytes) const {
  mathematics::require_not_negative(bytes, "a message's size");
  if (!points_.empty() && bytes > points_.back().bytes)
    throw std::invalid_argument("a message of " + std::to_string(bytes) +
                                " bytes, and the longest measured has " +
                                std::to_string(points_.back().bytes) + ": measure one as long");
  const double out = points_.empty() ? startup_ + per_byte_ * bytes : polynomial(points_, bytes);
  if (!(out >= 0) || !std::isfinite(out))
    throw std::invalid_argument("a communication curve that gives a message of " + std::to_string(bytes) +
                                " bytes " + std::to_string(out) +
                                " s: measure it again, or use a straight line");
  return out;
}

}  // namespace lbsp::model::critical_path
