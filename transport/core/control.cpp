#include "transport/core/control.hpp"

#include <algorithm>
#include <iterator>

#include "transport/printable.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// An ABORT is not acknowledged, so it is said three times, spread over a burst of losses.
constexpr Duration abort_repeats[] = {0ms, 5ms, 20ms};

/// What printable() adds to a text that it cuts.
constexpr std::size_t cut_note_bytes = 32;

/// The same, in a datagram of no more bytes than that.
AbortNotice in_datagram(AbortNotice notice, std::size_t datagram_bytes) {
  const std::size_t room =
      datagram_bytes - clear_header_bytes - abort_header_bytes - tag_bytes - cut_note_bytes;
  notice.text = printable(notice.text, std::min(room, abort_text_bytes - cut_note_bytes));
  return notice;
}

}  // namespace

void Control::fail(const AbortNotice& notice, Instant now) {
  state_.alarm.stop();
  failure_ = failure_from(notice, state_.config.places);
  notice_ = notice;
  last_words_ = now + std::end(abort_repeats)[-1];
  for (const Duration delay : abort_repeats) {
    for (const Rank rank : state_.peers.others())
      queue_.push({DatagramKind::abort, rank}, now + delay);
  }
}

const Transmit* Control::write_next(std::span<std::byte> buffer, Instant now) {
  const Job job = queue_.pop();
  Peer& to = state_.peers[job.peer];
  return &writer_.write(to, job.kind, buffer, now, [&](WireWriter& out) {
    // The last time in as little as any path lets through: a path may not have been proven yet.
    const std::size_t most = now < last_words_ ? to.path.sizes.in_use() : min_datagram_bytes;
    if (job.kind == DatagramKind::abort) return write(out, in_datagram(notice_, most));
    write(out, FinHeader{to.inbound.echo(now), to.parting.finished});
  });
}

}  // namespace lbsp::transport
