#pragma once

#include <string>

namespace lbsp::test {

/// A trace of `matmul --algorithm fox --size ORDER` on four ranks, in which every rank multiplies at `flops` a second
/// and sends at `rate`, with a round trip of 20 ms. The ranks make their matrices at different speeds, so that they
/// begin one after another, and the last rank waits for nobody.
std::string fox_trace(double order, double flops, double rate, const std::string& algorithm = "fox");

/// How long the product in it takes.
double fox_seconds(double order, double flops, double rate);

}  // namespace lbsp::test
