// Views of members: whatever is read is written back byte for byte, and an agreement that takes them breaks no rule.
#include <algorithm>
#include <vector>

#include "tests/fuzz/fuzzing.hpp"
#include "transport/membership/agreement.hpp"
#include "transport/membership/view_format.hpp"

namespace lbsp::transport {
namespace {

using fuzz::require;
using namespace std::chrono_literals;

/// One after another come from the members of a world of five, at times that they choose.
void take_all(WireReader in) {
  AgreementConfig config{.self = 0, .members = MemberSet::first(5), .peer_timeout = 1s};
  config.round_trip = 50ms;
  Instant now{1s};
  Agreement agreement(config, {3, 4}, now);
  std::optional<Decision> decided;
  while (const auto view = read_view(in)) {
    now += 1ms * in.get<std::uint8_t>();
    agreement.take(in.get<std::uint8_t>() % 8, *view, now);
    agreement.handle_timeout(now);
    for (int i = 0; i < 10 && agreement.poll(now); ++i) {
    }
    const View& own = agreement.view();
    require(!own.accepted || own.accepted->ballot <= own.promised, "it votes for nothing above its promise");
    require(own.held == Held{3, 4}, "what it holds is its own affair");
    require(!decided || own.decided == decided, "a decision is for good");
    decided = own.decided;
  }
}

}  // namespace
}  // namespace lbsp::transport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lbsp::transport;
  const auto bytes = lbsp::fuzz::bytes_of(data, size);
  WireReader in(bytes);
  if (const auto view = read_view(in)) {
    std::vector<std::byte> buffer(longest_view_bytes);
    WireWriter out(buffer);
    write(out, *view);
    const auto taken = bytes.first(size - in.rest().size());
    lbsp::fuzz::require(std::equal(taken.begin(), taken.end(), buffer.begin(),
                                   buffer.begin() + static_cast<std::ptrdiff_t>(out.written())),
                        "what is written back is what was read");
  }
  take_all(WireReader(bytes));
  return 0;
}
