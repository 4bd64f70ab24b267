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

namespace lbsp::command_line {

/// The options of a command. Add them one after another, each with the place for its value, then read the
/// user's words:
///
///     CommandLine line("lbsp wan hosts", "Prints the hosts.", "Example: lbsp wan hosts --json -");
///     line.add("--json", file, "FILE", "the same for a program; - is standard output");
///     if (!line.parse(words)) return 0;
///
/// A name that begins with - is an option's; any other name is that of a word that stands alone. All may be
/// left out, and none may be given twice. The values are set in the order in which they were added, whatever
/// the order of the user's words, and must live until the words are read. The value before that is the
/// default, which --help shows; an empty value has none.
///
/// All tools read their words with this class, so that only its source must compile CLI11.
class CommandLine {
 public:
  /// Takes an option's text; may throw UsageError.
  using Set = std::function<void(const std::string& text)>;

  /// Whole numbers, both ends included.
  struct Range {
    std::uint64_t least;
    std::uint64_t most;
  };

  /// `footer` stands below the options in --help; put examples there.
  CommandLine(const char* name, const char* about, const char* footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// A text; --help shows `type` as the value to give.
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

  /// An option without a value, which sets `value` or calls `deed`.
  void add_flag(const char* name, bool& value, const char* help);
  void add_flag(const char* name, const std::function<void()>& deed, const char* help);

  /// Keeps an option out of --help.
  void hide(const char* name);
  /// `name` may not be given together with any of `others`.
  void exclude(const char* name, std::initializer_list<const char*> others);
  /// `name` may only be given together with `other`.
  void need(const char* name, const char* other);

  /// The options, with blanks between, of what starts this command, such as lbsp run: whoever gives one of them here
  /// is told where it belongs.
  void know_starter(const char* starter, const char* options);

  /// Leaves the first unknown word, and all words after it, for rest(): the words of another command, which --help
  /// calls so.
  void leave_rest(const char* called);
  /// May begin with --, or with an unknown option.
  std::vector<std::string> rest() const;

  /// Reads the words after the command's name. Returns false if they ask for help, which it then prints.
  /// Throws UsageError, which names the wrong word.
  bool parse(const std::vector<std::string>& words);
  /// The same for main()'s words, but returns the help instead of printing it, because all ranks read the
  /// words and only one prints.
  std::optional<std::string> parse_silently(int count, const char* const* words);

 private:
  std::string help() const;
  std::optional<std::string> help_or_read(std::vector<std::string> words);
  std::string unexpected_words() const;
  std::string named(const std::string& problem) const;

  std::unique_ptr<CLI::App> app_;
  std::string rest_called_;
  std::string starter_;
  std::vector<std::string> options_of_starter_;
};

}  // namespace lbsp::command_line
