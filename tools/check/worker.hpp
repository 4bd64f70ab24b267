#pragma once

namespace lbsp::check {

/// `lbsp hosts check --worker`: one host of a check. Ends with its standard input. Returns the exit code.
int run_worker();

}  // namespace lbsp::check
