#pragma once

namespace lbsp::probe {

/// `lbsp probe --worker`: one host of a survey. Answers measurements all the time, on a thread of its own,
/// and measures itself when told to. Ends with its standard input. Returns the exit code.
int run_worker();

}  // namespace lbsp::probe
