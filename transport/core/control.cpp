#include "transport/core/control.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// An ABORT is not acknowledged, so it is said three times, spread over a burst of losses.
constexpr Duration abort_repeats[] = {0ms, 5ms, 20ms};

}  // namespace

void Control::fail(const AbortNotice& notice, Instant now) {
  state_.alarm.stop();
  failure_ = failure_from(notice, state_.config.places);
  notice_ = notice;
  for (const Duration delay : abort_repeats) {
    for (const Rank rank : state_.peers.others())
      queue_.push({DatagramKind::abort, rank}, now + delay);
  }
}

const Transmit* Control::write_next(std::span<std::byte> buffer, Instant now) {
  const Job job = queue_.pop();
  Peer& to = state_.peers[job.peer];
  return &writer_.write(to, job.kind, buffer, now, [&](WireWriter& out) {
    if (job.kind == DatagramKind::abort) return write(out, notice_);
    write(out, FinHeader{to.inbound.echo(now), to.parting.finished});
  });
}

}  // namespace lbsp::transport
