#include "tools/command_line/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "tools/command_line/help_text.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/command_line/whole_number.hpp"
#include "transport/error.hpp"

namespace lbsp::command_line {

namespace {

/// CLI11 takes the -- that ends the options for the value of one that has none.
std::string refuse_end_of_options(const std::string& text) {
  return text == "--" ? "a value is missing before --" : "";
}

/// CLI11 reads 010 as eight, so it is given the number without such zeros.
/// What it takes stands in the option's type: a validator's own words would be added to that with a colon.
CLI::Validator whole_number_from(std::uint64_t least, std::uint64_t most) {
  const auto read = [least, most](std::string& text) -> std::string {
    const auto number = whole_number_in(text, least, most);
    if (!number) return fmt::format("{} is no whole number from {} to {}", text, least, most);
    text = std::to_string(*number);
    return "";
  };
  return {read, ""};
}

/// In lines that the terminal holds, and with an option's conditions in words.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    const std::string text = laid_out(app->get_description(), columns_);
    return text.empty() ? text : text + '\n';
  }
  std::string make_footer(const CLI::App* app) const override {
    return laid_out(app->get_footer(), columns_);
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    const std::string value = option->get_default_str();
    return " " + option->get_type_name() + (value.empty() ? value : fmt::format(" [{}]", value));
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = option->get_description();
    add_others(text, "needs", option->get_needs());
    add_others(text, "not with", option->get_excludes());
    return text;
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string text = "  " + make_option_name(option, is_positional) + make_option_opts(option);
    const std::size_t used = columns_of(text);
    if (used >= column_width_) text += '\n';
    text.append(used < column_width_ ? column_width_ - used : column_width_, ' ');
    return text + in_lines(make_option_desc(option), columns_, column_width_) + "\n";
  }

 private:
  /// Those that the text does not name by itself.
  static void add_others(std::string& text, const char* how, const std::set<CLI::Option*>& others) {
    std::vector<std::string> names;
    for (const CLI::Option* other : others)
      if (text.find(other->get_name()) == std::string::npos) names.push_back(other->get_name());
    std::ranges::sort(names);
    if (!names.empty()) text += fmt::format("; {} {}", how, fmt::join(names, ", "));
  }

  std::size_t columns_ = help_columns();
};

/// "a, b or c".
std::string any_of(const std::vector<std::string>& choices) {
  const std::span others(choices.begin(), choices.end() - 1);
  return fmt::format("{}{}{}", fmt::join(others, ", "), others.empty() ? "" : " or ", choices.back());
}

void take_range(CLI::Option* option, CommandLine::Range range) {
  option->type_name(fmt::format("N ({} to {})", range.least, range.most))
      ->transform(whole_number_from(range.least, range.most));
}

}  // namespace

CommandLine::CommandLine(const char* name, const char* about, const char* footer)
    : app_(std::make_unique<CLI::App>(about, name)) {
  app_->footer(footer);
  app_->formatter(std::make_shared<HelpFormatter>());
  app_->get_help_ptr()->disable_flag_override();
}

CommandLine::~CommandLine() = default;

void CommandLine::add(const char* name, const Set& set, const char* type, const char* help) {
  app_->add_option_function<std::string>(name, set, help)->type_name(type)->check(refuse_end_of_options);
}

void CommandLine::add(const char* name, std::string& value, const char* type, const char* help) {
  const auto refuse_empty = [](const std::string& text) {
    return text.empty() ? "the value is empty" : refuse_end_of_options(text);
  };
  app_->add_option(name, value, help)->type_name(type)->capture_default_str()->check(refuse_empty);
}

void CommandLine::add(const char* name, std::optional<std::string>& value, const char* type,
                      const char* help) {
  app_->add_option(name, value, help)->type_name(type)->check(refuse_end_of_options);
}

void CommandLine::add_choice(const char* name, std::string& value, const std::vector<std::string>& choices,
                             const char* help) {
  const auto refuse_others = [name = std::string(name), choices](const std::string& text) -> std::string {
    if (std::ranges::find(choices, text) != choices.end()) return "";
    throw CLI::ParseError(fmt::format("{} {}: use {}", name, text, any_of(choices)),
                          CLI::ExitCodes::ValidationError);
  };
  app_->add_option(name, value, help)
      ->type_name(fmt::format("{}", fmt::join(choices, "|")))
      ->check(refuse_others)
      ->capture_default_str();
}

void CommandLine::add_whole(const char* name, std::uint64_t& value, const char* help) {
  const auto any = whole_number_from(0, std::numeric_limits<std::uint64_t>::max());
  app_->add_option(name, value, help)->type_name("N")->transform(any)->capture_default_str();
}

void CommandLine::add_whole(const char* name, std::uint64_t& value, Range range, const char* help) {
  take_range(app_->add_option(name, value, help)->capture_default_str(), range);
}

void CommandLine::add_whole(const char* name, std::optional<std::uint64_t>& value, Range range,
                            const char* help) {
  take_range(app_->add_option(name, value, help), range);
}

void CommandLine::add_number(const char* name, std::optional<double>& value, const char* help) {
  app_->add_option(name, value, help)->type_name("X");
}

void CommandLine::add_flag(const char* name, bool& value, const char* help) {
  app_->add_flag(name, value, help)->disable_flag_override();
}

void CommandLine::add_flag(const char* name, const std::function<void()>& deed, const char* help) {
  app_->add_flag_callback(name, deed, help)->disable_flag_override();
}

void CommandLine::hide(const char* name) {
  app_->get_option(name)->group("");
}

void CommandLine::exclude(const char* name, std::initializer_list<const char*> others) {
  for (const char* other : others)
    app_->get_option(name)->excludes(app_->get_option(other));
}

void CommandLine::need(const char* name, const char* other) {
  app_->get_option(name)->needs(app_->get_option(other));
}

void CommandLine::know_starter(const char* starter, const char* options) {
  starter_ = starter;
  std::istringstream words(options);
  for (std::string option; words >> option;)
    options_of_starter_.push_back(option);
}

void CommandLine::leave_rest(const char* called) {
  app_->prefix_command();
  rest_called_ = called;
}

std::vector<std::string> CommandLine::rest() const {
  return app_->remaining();
}

bool CommandLine::parse(const std::vector<std::string>& words) {
  const auto help = help_or_read(words);
  if (help) write_output(*help);
  return !help;
}

std::optional<std::string> CommandLine::parse_silently(int count, const char* const* words) {
  return help_or_read({words + std::min(count, 1), words + count});
}

std::string CommandLine::help() const {
  std::string text = app_->help();
  const std::string usage = fmt::format("Usage: {} [OPTIONS]", app_->get_name());
  const auto place = text.find(usage);
  if (!rest_called_.empty() && place != std::string::npos)
    text.insert(place + usage.size(), fmt::format(" {}", rest_called_));
  return text;
}

namespace {

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// What CLI11 has found wrong, in our words where its own do not say what to do.
std::string what_is_wrong(const CLI::ParseError& error) {
  std::string what = one_line(error.what());
  constexpr std::string_view too_many = ": At Most 1 required but received ";
  if (const auto place = what.find(too_many); place != std::string::npos)
    return fmt::format("{} is there {} times: give it once", what.substr(0, place),
                       what.substr(place + too_many.size()));
  if (const auto place = what.find(": 1 required "); place != std::string::npos && what.ends_with(" missing"))
    return fmt::format("{} has no value: give one", what.substr(0, place));
  constexpr std::string_view requires_other = " requires ";
  if (const auto place = what.find(requires_other); place != std::string::npos)
    return fmt::format("{} without {}: give both", what.substr(0, place),
                       what.substr(place + requires_other.size()));
  constexpr std::string_view excludes_other = " excludes ";
  if (const auto place = what.find(excludes_other); place != std::string::npos)
    return fmt::format("{} with {}: leave one of them out", what.substr(0, place),
                       what.substr(place + excludes_other.size()));
  // Which has no dashes before the name, and all our flags have two.
  if (const auto place = what.find(" was given a disallowed flag override"); place != std::string::npos)
    return fmt::format("--{} takes no value: give it alone", what.substr(0, place));
  return what;
}

}  // namespace

std::string CommandLine::unexpected_words() const {
  const std::vector<std::string> words = app_->remaining();
  for (const std::string& word : words) {
    const std::string option = word.substr(0, word.find('='));
    if (std::ranges::find(options_of_starter_, option) != options_of_starter_.end())
      return fmt::format("{} is an option of {}: give it before the program: {} {} … -- {}", option, starter_,
                         starter_, option, app_->get_name());
  }
  return fmt::format("unexpected {}: see {} --help", one_line(fmt::format("{}", fmt::join(words, " "))),
                     app_->get_name());
}

/// lbsp's own errors begin with its name, and those of a program on its ranks with theirs.
std::string CommandLine::named(const std::string& problem) const {
  const std::string name = app_->get_name();
  return name == "lbsp" || name.starts_with("lbsp ") ? problem : fmt::format("{}: {}", name, problem);
}

std::optional<std::string> CommandLine::help_or_read(std::vector<std::string> words) {
  std::ranges::reverse(words);  // CLI11 takes them from the end
  try {
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return help();
  } catch (const CLI::ExtrasError&) {
    throw UsageError(named(unexpected_words()));
  } catch (const CLI::ParseError& error) {
    throw UsageError(named(fmt::format("{}: see {} --help", what_is_wrong(error), app_->get_name())));
  }
  return std::nullopt;
}

}  // namespace lbsp::command_line
