#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/trace_file/trace.hpp"

namespace lbsp::trace_command {

struct QlogSummary {
  std::size_t pairs = 0;      ///< files
  std::uint64_t events = 0;   ///< in all of them
  std::uint64_t dropped = 0;  ///< events that the run has not kept
  double clock_error = 0;     ///< the largest of a pair, in seconds; infinite where a pair's is not known
};

/// Writes the trace's single datagrams as qlog (draft-ietf-quic-qlog-main-schema-14, its JSON form with all traces in
/// one file): a new folder `path` with a file FIRST-SECOND.qlog for each pair of ranks that have any, and in it what
/// each of the two has seen, the first as "client". Times are in milliseconds by the first's clock (packet_clocks.hpp).
///
/// The events are not QUIC's, and their schema is lbsp's own. Names and fields are those that qvis shows:
/// transport:packet_sent and packet_received, recovery:packet_lost and metrics_updated. All datagrams of a direction
/// are numbered together, so all have the packet type 1RTT; `lbsp_kind` says what they are. For qvis, which reads no
/// newer files, there are the keys of qlog 0.3 too.
///
/// Throws UsageError if the trace has no datagrams or `path` is there already, and SystemError if it cannot be written;
/// then nothing of it is left.
QlogSummary write_qlog(const std::string& path, const trace_file::Trace& trace);

}  // namespace lbsp::trace_command
