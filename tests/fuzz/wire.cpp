// The parsers of datagrams: whatever they read, the writers write back byte for byte.
#include <algorithm>
#include <vector>

#include "tests/fuzz/fuzzing.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {
namespace {

using fuzz::require;

/// Far from those that the corpus has.
constexpr std::uint32_t superstep = 0xfffe;

/// Reads by `read` what the rest of `in` begins with; whether there was one.
template <class Read>
bool reads_back(WireReader& in, Read read) {
  const auto before = in.rest();
  const auto value = read(in);
  if (!value) return false;
  const auto taken = before.first(before.size() - in.rest().size());
  std::vector<std::byte> buffer(taken.size() + 1);
  WireWriter out(buffer);
  write(out, *value);
  require(out.written() == taken.size() && std::equal(taken.begin(), taken.end(), buffer.begin()),
          "what is written back is what was read");
  return true;
}

void read_body(DatagramKind kind, WireReader& in) {
  switch (kind) {
    case DatagramKind::data:
    case DatagramKind::coded:
      reads_back(in, [&](WireReader& reader) {
        return read_segment_header(reader, kind == DatagramKind::coded, superstep);
      });
      return;
    case DatagramKind::status:
      if (!reads_back(in, read_status_header)) return;
      while (reads_back(in, read_status_entry)) {
      }
      return;
    case DatagramKind::ack:
      reads_back(in, read_segment_ack);
      return;
    case DatagramKind::size:
      reads_back(in, read_size_header);
      return;
    case DatagramKind::address:
      reads_back(in, read_address_header);
      return;
    case DatagramKind::fin:
      reads_back(in, read_echo);
      return;
    case DatagramKind::abort:
      reads_back(in, read_abort_notice);
      return;
    case DatagramKind::knock:
    case DatagramKind::seat:
    case DatagramKind::view:
      return;
  }
}

}  // namespace
}  // namespace lbsp::transport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lbsp::transport;
  WireReader in(lbsp::fuzz::bytes_of(data, size));
  const bool is_header = reads_back(in, [](WireReader& reader) {
    const auto header = read_clear_header(reader.rest());
    if (header) reader.take(clear_header_bytes);
    return header;
  });
  if (is_header) read_body(read_clear_header(lbsp::fuzz::bytes_of(data, size))->kind, in);
  return 0;
}
