// dataflow: runs a program as a graph of tasks, and checks its result.
#include "tools/programs/program_main.hpp"
#include "tools/programs/tasks/dataflow_arguments.hpp"
#include "tools/programs/tasks/dataflow_job.hpp"

int main(int argc, char** argv) {
  using namespace lbsp::programs::tasks;
  return lbsp::programs::program_main<DataflowArguments>(argc, argv, parse_dataflow, dataflow_job);
}
