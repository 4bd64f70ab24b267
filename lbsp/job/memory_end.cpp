#include "lbsp/job/memory_end.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <unistd.h>

#include "lbsp/job/messages.hpp"
#include "transport/printable.hpp"
#include "transport/thrown.hpp"

namespace lbsp::job {
namespace {

constexpr const char* no_memory_for_messages =
    "lbsp: out of memory for what ranks and their launcher tell each other: raise the limit of memory (ulimit -v)\n";
/// Of a frame: where its rank stands.
constexpr std::size_t place_of_rank = 5;

std::atomic<LastWord*> last_word = nullptr;
std::atomic<bool> is_being_said = false;
thread_local constinit std::uint16_t own_place = 0;

thread_local constinit int messages_being_made = 0;
std::mutex handlers;
int threads_with_messages = 0;  ///< guarded by it
std::atomic<std::new_handler> handler_before = nullptr;

/// Other threads have the handler that was there.
void memory_has_run_out() {
  if (messages_being_made > 0) LastWord::say();
  if (const std::new_handler before = handler_before) return before();
  throw std::bad_alloc();
}

}  // namespace

MemoryEnd::MemoryEnd() {
  if (messages_being_made++ > 0) return;
  const std::lock_guard lock(handlers);
  if (threads_with_messages++ == 0) handler_before = std::set_new_handler(memory_has_run_out);
}

MemoryEnd::~MemoryEnd() {
  if (--messages_being_made > 0) return;
  const std::lock_guard lock(handlers);
  if (--threads_with_messages == 0) std::set_new_handler(handler_before);
}

LastWord::LastWord(const Channel& channel)
    : channel_(channel),
      frame_(encode({FrameKind::failure, 0, to_payload(Failure{program_out_of_memory, false})})) {
  last_word = this;
}

LastWord::~LastWord() {
  last_word = nullptr;
}

void LastWord::speak_as(std::uint16_t place) noexcept {
  own_place = place;
}

void LastWord::say() noexcept {
  while (is_being_said.exchange(true))
    ::pause();  // another thread ends the process
  if (LastWord* const word = last_word) {
    word->frame_[place_of_rank] = static_cast<char>(own_place & 0xff);
    word->frame_[place_of_rank + 1] = static_cast<char>(own_place >> 8);
    word->channel_.send_last(word->frame_);
  } else {
    write_error_output(no_memory_for_messages);
  }
  ::_exit(1);
}

}  // namespace lbsp::job
