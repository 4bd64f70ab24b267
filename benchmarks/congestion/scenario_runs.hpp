#pragma once

#include <cstdint>

#include "benchmarks/congestion/scenarios.hpp"
#include "benchmarks/congestion/shared_link.hpp"

/// How each kind of scenario runs, and what it is measured by. `told`: jobs are told the link's rate, or have to find
/// it.
namespace lbsp::bench {

Outcome alone(const LinkSpec& link, bool told);

/// Jobs that begin so long after each other.
Outcome jobs(int number, const LinkSpec& link, bool told, double apart_seconds = 2);

enum class Order { flows_first, flows_later };
/// A job beside flows, and in its place a cubic; who comes later does so after ten seconds.
Outcome beside(transport::CongestionControl control, int flows, const LinkSpec& link, Order order, bool told);

/// Flows of 100 kB that come beside a job, and beside a cubic.
Outcome short_flows(bool told, std::uint64_t seed);

/// A told job is told what the link would carry without the policer: twice as much. `burst`: in products of rate and
/// round trip.
Outcome policer(double burst, bool told, std::uint64_t seed);

/// Told ones are told twice too much again.
Outcome jobs_behind_policer(int number, const LinkSpec& link, bool told);

/// The rate is another one after ten seconds: how long until nine tenths of it are used without drops.
Outcome change(double from, double to, bool told, std::uint64_t seed);

}  // namespace lbsp::bench
