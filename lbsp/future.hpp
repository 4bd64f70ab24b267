#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "lbsp/superstep/pending_gets.hpp"
#include "transport/error.hpp"

namespace lbsp {

/// The values that a get() brings by the end of the superstep. Copies share the values, which live as long as
/// the last copy. A Future may be dropped early; the transfer then still takes place.
template <class T>
class Future {
 public:
  /// Whether the sync() that fills it has returned.
  bool ready() const { return state_->done.done; }

  /// All values. Throws UsageError if the superstep of the get() has not ended.
  std::span<const T> values() const {
    if (!ready()) throw UsageError("a get() is read in the superstep that asked for it: call sync() first");
    return {state_->values.get(), state_->count};
  }

  /// The first value, for a get() of one element. Throws UsageError as values() does, and also if there is no
  /// value.
  const T& value() const {
    if (values().empty()) throw UsageError("a get() of no values has no first one: ask for at least 1");
    return values().front();
  }

 private:
  template <class U>
  friend class Area;

  struct State {
    explicit State(std::size_t size) : values(std::make_unique<T[]>(size)), count(size) {}

    superstep::Completion done;
    std::unique_ptr<T[]> values;
    std::size_t count;
  };

  explicit Future(std::size_t count) : state_(std::make_shared<State>(count)) {}

  std::span<T> storage() { return {state_->values.get(), state_->count}; }

  /// What the runtime sets at the sync. It also keeps the storage alive until then.
  std::shared_ptr<superstep::Completion> completion() { return {state_, &state_->done}; }

  std::shared_ptr<State> state_;
};

}  // namespace lbsp
