#include "algorithms/matrix_part.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>

#include "lbsp/queue.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

/// Copies the elements of `area`, row by row, from one rectangle to another. Both have it.
template <class T>
void copy_area(const Rectangle& area, std::span<const T> from, const Rectangle& source, std::span<T> to,
               const Rectangle& target) {
  for (std::size_t row = area.rows.begin; row < area.rows.end(); ++row) {
    const auto start_in = [&](const Rectangle& place) {
      return (row - place.rows.begin) * place.columns.count + area.columns.begin - place.columns.begin;
    };
    std::ranges::copy(from.subspan(start_in(source), area.columns.count),
                      to.subspan(start_in(target)).begin());
  }
}

}  // namespace

template <class T>
std::vector<T> redistribute(World& world, std::span<const MatrixPart<T>> parts,
                            const std::function<Rectangle(Rank)>& wanted) {
  Queue<T, Rectangle> queue(world);
  for (const MatrixPart<T>& part : parts) {
    for (Rank to = 0; to < world.size(); ++to) {
      const Rectangle area = common(part.place, wanted(to));
      if (area.empty()) continue;
      copy_area<T>(area, part.values, part.place, queue.send_in_place(to, area, area.elements()), area);
    }
  }
  world.sync();
  const Rectangle own = wanted(world.rank());
  std::vector<T> values(own.elements());
  std::size_t arrived = 0;
  for (const auto message : queue) {
    copy_area<T>(message.tag(), message.values(), message.tag(), values, own);
    arrived += message.tag().elements();
  }
  if (arrived != values.size())
    throw UsageError("the states that were kept are of another matrix: give the sizes that it had");
  return values;
}

template std::vector<double> redistribute(World&, std::span<const MatrixPart<double>>,
                                          const std::function<Rectangle(Rank)>&);
template std::vector<std::complex<float>> redistribute(World&,
                                                       std::span<const MatrixPart<std::complex<float>>>,
                                                       const std::function<Rectangle(Rank)>&);
template std::vector<std::complex<double>> redistribute(World&,
                                                        std::span<const MatrixPart<std::complex<double>>>,
                                                        const std::function<Rectangle(Rank)>&);

}  // namespace lbsp::algorithms
