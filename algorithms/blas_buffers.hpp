#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace lbsp::algorithms {

/// OpenBLAS takes a buffer for each product that is under way, and keeps it for later ones. Where the system has no
/// room for one, it asks again for ever. So a product begins only if there is room for its buffer beside those that
/// others may be about to take; or else waits for another to end. Any thread may call.
class BlasBuffers {
 public:
  /// `has_room(n)`: whether the system has room for n buffers more.
  explicit BlasBuffers(std::function<bool(int buffers)> has_room) : has_room_(std::move(has_room)) {}

  /// While it lives, a product may be under way.
  class Use {
   public:
    /// Throws SystemError if there is no room even for one product alone.
    explicit Use(BlasBuffers& buffers) : buffers_(buffers) { buffers_.begin(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { buffers_.end(); }

   private:
    BlasBuffers& buffers_;
  };

 private:
  void begin();
  void end();
  /// Whether one product more may be under way.
  bool find_room();

  std::function<bool(int)> has_room_;
  std::mutex mutex_;
  std::condition_variable ended_;
  int under_way_ = 0;
  int room_for_ = 0;  ///< so many at once, as was seen
};

}  // namespace lbsp::algorithms
