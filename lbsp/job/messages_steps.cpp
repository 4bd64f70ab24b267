// What single supersteps have cost. A rank has a hundred thousand records of them, and a launcher reads those of all
// ranks one after another when the program has ended: they are no JSON, which takes ten times as long.
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "lbsp/job/messages.hpp"
#include "transport/error.hpp"
#include "transport/wire/byte_order.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::job {
namespace {

using transport::Duration;
using transport::WireReader;
using transport::WireWriter;

/// Appends numbers to a payload: whole ones by seven bits in a byte, the lowest first.
class RecordWriter {
 public:
  void put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      text_ += static_cast<char>((value & 0x7f) | 0x80);
    text_ += static_cast<char>(value);
  }
  void put(Duration value) { put(static_cast<std::uint64_t>(value.count())); }
  void put(double value) { put_all_bytes(std::bit_cast<std::uint64_t>(value)); }
  void put_all_bytes(std::unsigned_integral auto value) {
    std::byte bytes[sizeof(value)];
    WireWriter(bytes).put(value);
    text_.append(reinterpret_cast<const char*>(bytes), sizeof(bytes));
  }
  std::string taken() { return std::move(text_); }

 private:
  std::string text_;
};

/// Reads what RecordWriter wrote. Throws Error if that is anything else.
class RecordReader {
 public:
  explicit RecordReader(std::string_view payload) : reader_(std::as_bytes(std::span(payload))) {}

  std::uint64_t whole(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = all_bytes<std::uint8_t>();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value <= most ? value : refuse();
    }
    return refuse();
  }
  Duration duration() { return Duration{static_cast<Duration::rep>(whole())}; }
  double number() {
    const auto value = std::bit_cast<double>(all_bytes<std::uint64_t>());
    if (!std::isfinite(value)) refuse();
    return value;
  }
  template <std::unsigned_integral Whole>
  Whole all_bytes() {
    const auto value = reader_.get<Whole>();
    if (!reader_.ok()) refuse();
    return value;
  }
  /// How many things follow, each of `bytes` at least.
  std::size_t count(std::size_t bytes) { return whole(reader_.rest().size() / bytes); }
  void require_end() const {
    if (!reader_.rest().empty()) refuse();
  }

 private:
  [[noreturn]] static std::uint64_t refuse() {
    throw Error("a control message is not as expected (its supersteps): use the same lbsp everywhere");
  }

  WireReader reader_;
};

/// Of a record, and of what a trace has besides.
constexpr std::size_t least_record_bytes = 2 * sizeof(double) + sizeof(std::uint32_t);
constexpr std::size_t least_traced_bytes = 3 * sizeof(double) + 5;

/// Most counters of a superstep are 0: a mask says which are not, and only these follow.
void write_record(RecordWriter& out, const SuperstepFigures& figures) {
  std::uint64_t numbers[5 + std::size(transport::all_counters)] = {
      figures.h, static_cast<std::uint64_t>(figures.forecast.duration.count()),
      static_cast<std::uint64_t>(figures.forecast.earlier.count()),
      static_cast<std::uint64_t>(figures.forecast.later.count()),
      static_cast<std::uint64_t>(figures.forecast.most_copies)};
  std::size_t place = 5;
  for (const auto counter : transport::all_counters)
    numbers[place++] = figures.traffic.*counter;
  std::uint32_t mask = 0;
  static_assert(std::size(numbers) <= 32);
  for (std::size_t i = 0; i < std::size(numbers); ++i)
    if (numbers[i] != 0) mask |= std::uint32_t{1} << i;
  out.put(figures.compute.count());
  out.put(figures.communicate.count());
  out.put_all_bytes(mask);
  for (const std::uint64_t number : numbers)
    if (number != 0) out.put(number);
}

SuperstepFigures read_record(RecordReader& in) {
  SuperstepFigures figures;
  figures.compute = Seconds{in.number()};
  figures.communicate = Seconds{in.number()};
  auto mask = in.all_bytes<std::uint32_t>();
  const auto next = [&](std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
    const bool follows = (mask & 1) != 0;
    mask >>= 1;
    return follows ? in.whole(most) : 0;
  };
  figures.h = next();
  figures.forecast.duration = Duration{static_cast<Duration::rep>(next())};
  figures.forecast.earlier = Duration{static_cast<Duration::rep>(next())};
  figures.forecast.later = Duration{static_cast<Duration::rep>(next())};
  figures.forecast.most_copies = static_cast<int>(next(std::numeric_limits<int>::max()));
  for (const auto counter : transport::all_counters)
    figures.traffic.*counter = next();
  return figures;
}

void write_traced(RecordWriter& out, const trace::Figures& figures) {
  out.put(figures.without_processor);
  out.put(figures.after_messages);
  out.put(figures.network_thread);
  out.put(figures.network.loss);
  out.put(figures.network.round_trip);
  out.put(figures.network.rate.value);
  out.put(figures.network.bandwidth.value);
  out.put(std::uint64_t{figures.to.size()});
  for (const trace::BytesTo& each : figures.to) {
    out.put(static_cast<std::uint64_t>(each.rank));
    out.put(each.bytes);
  }
}

trace::Figures read_traced(RecordReader& in) {
  trace::Figures figures;
  figures.without_processor = in.duration();
  figures.after_messages = in.duration();
  figures.network_thread = in.duration();
  figures.network.loss = in.number();
  figures.network.round_trip = in.duration();
  figures.network.rate.value = in.number();
  figures.network.bandwidth.value = in.number();
  figures.to.resize(in.count(2));
  for (trace::BytesTo& each : figures.to) {
    each.rank = static_cast<Rank>(in.whole(transport::max_ranks - 1));
    each.bytes = in.whole();
  }
  return figures;
}

}  // namespace

std::string to_payload(const Steps& message) {
  RecordWriter out;
  out.put(message.first);
  out.put(message.each);
  out.put(message.in_last);
  out.put(std::uint64_t{message.figures.size()});
  for (const SuperstepFigures& superstep : message.figures)
    write_record(out, superstep);
  out.put(std::uint64_t{message.traced.size()});
  for (const trace::Figures& superstep : message.traced)
    write_traced(out, superstep);
  return out.taken();
}

template <>
Steps from_payload<Steps>(std::string_view payload) {
  RecordReader in(payload);
  Steps message;
  message.first = in.whole();
  message.each = in.whole();
  message.in_last = in.whole(message.each);
  if (message.in_last == 0)
    throw Error("a control message has a record of 0 supersteps: use the same lbsp everywhere");
  message.figures.resize(in.count(least_record_bytes));
  for (SuperstepFigures& superstep : message.figures)
    superstep = read_record(in);
  message.traced.resize(in.count(least_traced_bytes));
  for (trace::Figures& superstep : message.traced)
    superstep = read_traced(in);
  in.require_end();
  if (!message.traced.empty() && message.traced.size() != message.figures.size())
    throw Error("a control message has supersteps without a trace: use the same lbsp everywhere");
  return message;
}

}  // namespace lbsp::job
