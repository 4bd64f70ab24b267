#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "lbsp/trace/superstep_figures.hpp"

namespace lbsp {

/// The figures of supersteps, or of several together, in order. Those of a superstep in memory are few, and take a
/// quarter of the others' room: to write each short superstep's to fresh memory would take longer than it.
class SuperstepRecords {
 public:
  std::size_t size() const { return briefs_.size(); }
  bool empty() const { return briefs_.empty(); }
  SuperstepFigures operator[](std::size_t place) const;
  SuperstepFigures back() const { return (*this)[size() - 1]; }
  /// Those from `first` to `end`.
  std::vector<SuperstepFigures> copy(std::size_t first, std::size_t end) const;
  /// Of memory that they take.
  std::size_t bytes() const {
    return briefs_.capacity() * sizeof(Brief) + over_network_.capacity() * sizeof(OverNetwork);
  }

  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = SuperstepFigures;

    Iterator() = default;
    Iterator(const SuperstepRecords& of, std::size_t place) : of_(&of), place_(place) {}
    SuperstepFigures operator*() const { return (*of_)[place_]; }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++place_;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const SuperstepRecords* of_ = nullptr;
    std::size_t place_ = 0;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  /// Adds a record. There will never be more than `most`.
  void add(const SuperstepFigures& figures, std::size_t most);
  /// Adds to the last record what another superstep cost. The duration forecast for a record is 0 if that for any
  /// superstep in it is not known.
  void join_to_last(const SuperstepFigures& figures);
  /// Adds to the last record what its messages cost later.
  void credit_last(const transport::TrafficCounters& late);
  /// Makes one record of every two neighbours, from the first on.
  void join_neighbours();

 private:
  struct Brief {
    Seconds compute{0};
    Seconds communicate{0};
    std::uint64_t h = 0;
    std::uint64_t payload_bytes_sent = 0;
    std::uint64_t payload_bytes_received = 0;

    Brief& operator+=(const Brief& other);
  };
  /// What only a network has to tell, without the payload.
  struct OverNetwork {
    std::size_t record = 0;
    transport::TrafficCounters traffic;
    transport::Forecast forecast;

    void join(const OverNetwork& next);
  };

  static Brief brief_of(const SuperstepFigures& figures);
  static OverNetwork over_network_of(const SuperstepFigures& figures, std::size_t record);
  bool last_is_over_network() const {
    return !over_network_.empty() && over_network_.back().record + 1 == briefs_.size();
  }

  std::vector<Brief> briefs_;
  std::vector<OverNetwork> over_network_;  ///< by record, of those that have something there
};

}  // namespace lbsp
