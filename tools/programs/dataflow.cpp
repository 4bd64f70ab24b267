// dataflow: runs a program as a graph of tasks, and checks its result.
#include "tools/programs/dataflow_arguments.hpp"
#include "tools/programs/dataflow_job.hpp"
#include "tools/programs/program_main.hpp"

int main(int argc, char** argv) {
  using namespace lbsp::programs;
  return program_main<DataflowArguments>(argc, argv, parse_dataflow, dataflow_job);
}
