#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::programs {

/// The command line of a ready program, as its parser takes it.
template <class Arguments>
class ProgramArguments {
 public:
  using Parse = std::optional<std::string> (*)(int count, const char* const* words, Arguments& parsed);

  ProgramArguments(const char* program, Parse parser) : program_(program), parse_(parser) {}

  /// What the words mean, which must not ask for help.
  Arguments operator()(std::vector<const char*> words) const {
    Arguments parsed;
    EXPECT_EQ(parse(std::move(words), parsed), std::nullopt);
    return parsed;
  }

  std::string help() const {
    Arguments parsed;
    return parse({"--help"}, parsed).value_or("");
  }

  /// They are refused in one line that has `part` in it.
  void expect_refused(const std::vector<const char*>& words, const std::string& part) const {
    using namespace ::testing;
    EXPECT_THAT(
        [&] { (*this)(words); },
        ThrowsMessage<UsageError>(AllOf(StartsWith(program_ + ": "), HasSubstr(part), Not(HasSubstr("\n")),
                                        EndsWith(": see " + program_ + " --help"))));
  }

 private:
  std::optional<std::string> parse(std::vector<const char*> words, Arguments& parsed) const {
    words.insert(words.begin(), program_.c_str());
    return parse_(static_cast<int>(words.size()), words.data(), parsed);
  }

  std::string program_;
  Parse parse_;
};

}  // namespace lbsp::programs
