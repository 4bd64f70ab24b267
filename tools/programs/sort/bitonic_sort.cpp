// bitonic_sort: sorts keys, from a seed or from a file, and checks them.
#include "tools/programs/program_main.hpp"
#include "tools/programs/sort/sort_arguments.hpp"
#include "tools/programs/sort/sort_job.hpp"

int main(int argc, char** argv) {
  using namespace lbsp::programs::sort;
  return lbsp::programs::program_main<SortArguments>(argc, argv, parse_sort, sort_job);
}
