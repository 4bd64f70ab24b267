#pragma once

#include <utility>

namespace lbsp::uv {

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor();

  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

struct DescriptorPair {
  Descriptor ours;
  Descriptor childs;
};

/// Pipes and a socket pair to a child, closed on exec unless they are given to it. Throw SystemError.
DescriptorPair pipe_to_child();
DescriptorPair pipe_from_child();
DescriptorPair socket_to_child();

}  // namespace lbsp::uv
