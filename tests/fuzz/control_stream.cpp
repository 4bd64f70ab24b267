// The job's control connection, both ways: the first byte says in pieces of how many bytes the stream
// arrives.
#include <algorithm>

#include "lbsp/job/frame.hpp"
#include "lbsp/job/messages.hpp"
#include "tests/fuzz/fuzzing.hpp"

namespace {

using namespace lbsp;
using job::FrameKind;

template <class Message>
void read(const std::string& payload) {
  fuzz::read_or_refuse([&] {
    const std::string written = job::to_payload(job::from_payload<Message>(payload));
    fuzz::require(job::to_payload(job::from_payload<Message>(written)) == written,
                  "a message that is written reads back the same");
  });
}

void read_message(const job::Frame& frame) {
  switch (frame.kind) {
    case FrameKind::spawn:
      return read<job::Spawn>(frame.payload);
    case FrameKind::welcome:
      return read<job::Welcome>(frame.payload);
    case FrameKind::start:
      return read<job::Start>(frame.payload);
    case FrameKind::hello:
      return read<job::Hello>(frame.payload);
    case FrameKind::steps:
      return read<job::Steps>(frame.payload);
    case FrameKind::report:
      return read<job::RankReport>(frame.payload);
    case FrameKind::failure:
      return read<job::Failure>(frame.payload);
    case FrameKind::exited:
      return read<job::Exited>(frame.payload);
    default:
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = std::max<std::size_t>(data[0], 1);
  auto rest = fuzz::text_of(data + 1, size - 1);
  job::FrameReader reader;
  fuzz::read_or_refuse([&] {
    while (!rest.empty()) {
      const std::size_t bytes = std::min(piece, rest.size());
      reader.add(rest.substr(0, bytes));
      rest.remove_prefix(bytes);
      while (const auto frame = reader.next()) {
        job::FrameReader again;
        again.add(job::encode(*frame));
        fuzz::require(again.next() == *frame && again.at_boundary(), "a frame that is written reads back");
        read_message(*frame);
      }
    }
  });
  return 0;
}
