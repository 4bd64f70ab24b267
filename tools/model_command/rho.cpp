#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/model_command/answer.hpp"
#include "tools/model_command/model_command.hpp"
#include "transport/error.hpp"

namespace lbsp::model_command {
namespace {

using model::paper::Scheme;

constexpr const char* rho_footer =
    R"(What is sent again: with whole-round everything, if anything was lost; with rounds what is not acknowledged; with
receiver what has not arrived. With --ranks N, whole-round is what lbsp run --recovery whole-round does: each rank
sends its own packets again.

Example: lbsp model rho --loss 10% --copies 2 --packets 1e6 --scheme rounds --json -)";

struct RhoOptions {
  std::optional<double> loss;
  std::optional<double> packets;
  std::optional<double> ranks;
  int copies = 1;
  Scheme scheme = Scheme::rounds;
  std::string json;
};

double read_packets(const std::string& text, const char* option) {
  return read_number(text, option, 1);
}

void add_options(command_line::CommandLine& line, RhoOptions& options) {
  add(line, "--loss", options.loss, read_loss, "P", "loss of one copy: 10%, 0.1, 1e-6");
  add(line, "--copies", options.copies, read_copies, "K", "how often every packet is sent; default 1");
  add(line, "--packets", options.packets, read_packets, "C",
      "distinct packets of the superstep, all nodes together");
  add(line, "--scheme", options.scheme, read_scheme, "NAME", "whole-round, rounds (default) or receiver");
  add(line, "--ranks", options.ranks, read_whole, "N",
      "whole-round only: each of N ranks repeats its own rounds");
  add_json(line, options.json);
}

model::paper::ExpectedRounds rounds_of(const RhoOptions& options, double loss, double packets) {
  if (!options.ranks) return model::paper::expected_rounds(options.scheme, loss, options.copies, packets);
  if (options.scheme != Scheme::whole_round)
    throw UsageError(
        "--ranks: only whole rounds depend on them: use --scheme whole-round, or leave them out");
  return model::paper::expected_rounds_whole_round_by_rank(loss, options.copies, packets, *options.ranks);
}

std::string text_of(const model::paper::ExpectedRounds& rounds, const Json& deviation) {
  if (!std::isfinite(rounds.value()))
    return fmt::format("rounds      more than a double holds: e^{:.10g}\n", rounds.log);
  return fmt::format("rounds      {:.12g}\nless one    {:.12g}\nlogarithm   {:.12g}\n{}", rounds.value(),
                     rounds.minus_one, rounds.log,
                     deviation.is_null() ? "" : fmt::format("deviation   {:.6g}\n", deviation.get<double>()));
}

}  // namespace

void run_rho(const Words& words) {
  RhoOptions options;
  command_line::CommandLine line(
      "lbsp model rho", "The expected number of rounds until all packets of a superstep have arrived.",
      rho_footer);
  add_options(line, options);
  if (!line.parse(words)) return;
  const double loss = given(options.loss, "--loss");
  const double packets = given(options.packets, "--packets");
  const model::paper::ExpectedRounds rounds = rounds_of(options, loss, packets);
  Json deviation;
  if (!options.ranks)
    deviation =
        number(std::sqrt(model::paper::rounds_variance(options.scheme, loss, options.copies, packets)));
  Json json = {{"scheme", name_of(options.scheme)}, {"loss", loss},
               {"copies", options.copies},          {"packets", packets},
               {"rounds", number(rounds.value())},  {"rounds_minus_one", number(rounds.minus_one)},
               {"log_rounds", rounds.log},          {"deviation", deviation}};
  if (options.ranks) json["ranks"] = count(*options.ranks);
  answer(options.json, text_of(rounds, deviation), json);
}

}  // namespace lbsp::model_command
