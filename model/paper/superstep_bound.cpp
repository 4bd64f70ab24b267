#include "model/paper/superstep_bound.hpp"

#include <stdexcept>

namespace lbsp::model::paper {

double superstep_lower_bound(double one_way_delay, double bytes_per_rank, double bytes_per_second,
                             double loss) {
  if (!(bytes_per_second > 0)) throw std::invalid_argument("the rate must be positive");
  if (!(loss >= 0 && loss < 1)) throw std::invalid_argument("the loss must be in [0, 1)");
  return one_way_delay + bytes_per_rank / (bytes_per_second * (1 - loss));
}

}  // namespace lbsp::model::paper
