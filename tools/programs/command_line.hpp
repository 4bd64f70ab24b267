#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lbsp::programs {

/// What a command may be told. Its options are added one after the other, each with the place its value goes;
/// then the user's words are read:
///
///     CommandLine line("lbsp wan hosts", "Prints the hosts.", "Example: lbsp wan hosts --json -");
///     line.add("--json", file, "FILE", "the same for a program; - is standard output");
///     if (!line.parse(words)) return 0;
///
/// A name that begins with - is an option's; any other name is that of a word that stands by itself. All may
/// be left out, and none may be given twice. The values are set in the order in which they were added,
/// whatever the order of the user's words, and must live until the words are read. What a value is before
/// that is its default, which --help shows; empty ones have none.
///
/// All tools read their words with this class, so that only its source has to compile CLI11.
class CommandLine {
 public:
  /// Is given an option's text; may throw UsageError.
  using Set = std::function<void(const std::string& text)>;

  /// Whole numbers, both ends included.
  struct Range {
    std::uint64_t least;
    std::uint64_t most;
  };

  /// `footer` stands below the options in --help, and is the place of examples.
  CommandLine(const char* name, const char* about, const char* footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// A text; --help shows `type` as what to give.
  void add(const char* name, const Set& set, const char* type, const char* help);
  /// One that is not empty, such as a file's name.
  void add(const char* name, std::string& value, const char* type, const char* help);
  void add(const char* name, std::optional<std::string>& value, const char* type, const char* help);
  /// A text that is one of `choices`.
  void add_choice(const char* name, std::string& value, const std::vector<std::string>& choices,
                  const char* help);

  /// A whole number, of any size or within `range`.
  void add_whole(const char* name, std::uint64_t& value, const char* help);
  void add_whole(const char* name, std::uint64_t& value, Range range, const char* help);
  void add_whole(const char* name, std::optional<std::uint64_t>& value, Range range, const char* help);
  /// Any number, infinite ones too.
  void add_number(const char* name, std::optional<double>& value, const char* help);

  /// An option without a value, which sets `value`, or of which `deed` is done.
  void add_flag(const char* name, bool& value, const char* help);
  void add_flag(const char* name, const std::function<void()>& deed, const char* help);

  /// Keeps an option out of --help.
  void hide(const char* name);
  /// `name` may not be given together with any of `others`.
  void exclude(const char* name, std::initializer_list<const char*> others);
  /// `name` may only be given together with `other`.
  void need(const char* name, const char* other);

  /// Has the first word that is not known, and all that follow it, left for rest(): the words of another
  /// command.
  void leave_rest();
  /// May begin with --, or with an option that is not known.
  std::vector<std::string> rest() const;

  /// Reads what follows the command's name. False if that asks for help, which is then printed. Throws
  /// UsageError naming the wrong word.
  bool parse(const std::vector<std::string>& words);
  /// The same for main()'s words, but returns the help instead of printing it: all ranks read, one speaks.
  std::optional<std::string> parse_silently(int count, const char* const* words);

 private:
  std::optional<std::string> help_or_read(std::vector<std::string> words);

  std::unique_ptr<CLI::App> app_;
};

}  // namespace lbsp::programs
