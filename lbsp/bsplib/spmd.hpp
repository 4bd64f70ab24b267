#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lbsp/bsplib/bsp_registration.hpp"
#include "lbsp/world.hpp"
#include "transport/error.hpp"

namespace lbsp::bsplib {

/// A size, offset, process number or count as a C program gave it; negative if it was.
using Number = std::int64_t;

/// A message's place in the queue's memory.
struct Views {
  const void* tag;
  const void* payload;
};

/// One rank between bsp_begin and bsp_end: what the calls of bsp.h mean over a World (contracts there).
/// Calls that are made for several of them take the name that errors are to have. All throw UsageError with
/// the call, the rank, the superstep and the numbers.
class Spmd {
 public:
  /// The World must outlive it.
  explicit Spmd(World& world);

  World& world() { return world_; }
  Rank rank() const { return rank_; }
  Number size() const { return size_; }
  std::uint64_t superstep() const { return world_.superstep(); }

  void sync(std::string_view call = "bsp_sync") {
    try {
      world_.sync();
    } catch (const UsageError& error) {
      refuse_sync(call, error);
    }
    send_tag_ = next_tag_;
    taken_ = 0;
    payload_left_ = 0;
    if (unsettled_ || !queue_->received().empty()) settle();
  }
  void end();

  void push_reg(void* base, Number bytes);
  void pop_reg(const void* base);

  void put(const char* call, Number pid, const void* source, const void* destination, Number offset,
           Number bytes) {
    if (bytes == 0) return;
    if (destination != last_base_) [[unlikely]]
      return put_elsewhere(call, pid, source, destination, offset, bytes);
    if (source == nullptr) [[unlikely]]
      refuse_null(call, "source");
    // A negative number is one too large to be in range.
    const auto size = static_cast<std::size_t>(bytes);
    const bool done = puts_.try_put(static_cast<Rank>(pid), static_cast<std::uint64_t>(offset),
                                    {static_cast<const std::byte*>(source), size});
    if (!done) [[unlikely]]
      explain(call, pid, offset, bytes);
  }
  void get(const char* call, Number pid, const void* source, Number offset, void* destination, Number bytes);

  /// Of this rank's own memory; refused for another's.
  void direct_get(Number pid, const void* source, Number offset, void* destination, Number bytes);

  /// Returns the size that the call before set.
  Number set_tagsize(Number bytes);
  void send(const char* call, Number pid, const void* tag, const void* payload, Number bytes);
  Number messages() const { return static_cast<Number>(queue_->received().size() - taken_); }
  Number payload_bytes() const { return payload_left_; }
  /// Payload of the first message, or -1.
  Number get_tag(void* tag);
  void move(void* payload, Number bytes);
  /// Payload of the first message, which is removed; nothing if there is none.
  std::optional<Number> hpmove(Views& views);

  /// "call on rank 1 in superstep 3: what".
  [[noreturn]] void refuse(std::string_view call, std::string_view what) const;

 private:
  /// A put to another base than the last one's. A call of its own, so that put() keeps nothing across a call.
  void put_elsewhere(const char* call, Number pid, const void* source, const void* destination, Number offset,
                     Number bytes);
  /// Says what is wrong with a transfer through the last area that the runtime did not take.
  [[noreturn]] void explain(const char* call, Number pid, Number offset, Number bytes) const;
  /// Sets the last base, its area and its puts.
  void find(const char* call, const void* base);
  void check_pid(const char* call, Number pid) const {
    if (pid < 0 || pid >= size_) refuse_pid(call, pid);
  }
  [[noreturn]] void refuse_pid(const char* call, Number pid) const;
  [[noreturn]] void refuse_range(const char* call, Number pid, Number offset, Number bytes,
                                 Number size) const;
  [[noreturn]] void refuse_null(const char* call, const char* what) const;
  const superstep::Received& first() const { return queue_->received()[taken_]; }
  void take();
  [[noreturn]] void refuse_sync(std::string_view call, const UsageError& error) const;
  /// What most syncs need not do.
  void settle();
  void close_areas();
  void close_absent();

  World& world_;
  Rank rank_;
  Number size_;
  using Areas = std::vector<std::unique_ptr<BspRegistration>>;
  std::unordered_map<const void*, Areas>
      areas_;     ///< by base, oldest first, as this superstep's calls left them
  Areas popped_;  ///< stay usable until the sync
  std::unordered_map<const void*, Registration*> usable_;  ///< by base: the newest that puts may name
  std::unordered_set<const void*> changed_;                ///< bases pushed or popped in this superstep
  std::size_t absent_popped_ = 0;                          ///< pops of NULL in this superstep

  const void* last_base_ = this;  ///< of the last transfer; this: of none
  const Registration* last_area_ = nullptr;
  superstep::BytePuts puts_;  ///< into the last area

  std::optional<BspRegistration> queue_;
  bool unsettled_ = false;  ///< the next sync has areas to close or tags to drop
  std::size_t taken_ = 0;
  Number payload_left_ = 0;
  Number send_tag_ = 0;
  Number next_tag_ = 0;
  std::deque<std::vector<std::byte>> tags_;  ///< copies of tags that arrived less aligned than hpmove owes
};

}  // namespace lbsp::bsplib
