// A program for the launcher's tests: does what its first argument says.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "lbsp/job/run.hpp"
#include "tests/tools/programs/job_deeds.hpp"
#include "transport/error.hpp"

namespace {

using lbsp::World;
using namespace lbsp::test;
using Words = std::vector<std::string>;

bool is_rank(const World& world, const std::string& rank) {
  return world.rank() == std::stoi(rank);
}

/// Supersteps until somebody ends them.
void sync_for_ever(World& world) {
  for (;;) {
    world.sync();
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

/// Appears whole: whoever waits for the file finds the process id in it.
void write_pid(const std::string& folder, int rank) {
  const std::string name = folder + "/" + std::to_string(rank);
  std::ofstream(name + ".new") << ::getpid();
  std::filesystem::rename(name + ".new", name);
}

const std::map<std::string, std::function<void(World&, const Words&)>> deeds = {
    {"lines", [](World& world, const Words& words) { write_lines(world, std::stoi(words.at(0))); }},
    {"input", [](World& world, const Words&) { copy_input(world); }},
    {"first-line-only",
     [](World& world, const Words&) {
       char byte = 0;
       while (world.rank() == 0 && ::read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n')
         std::cout << byte;
       std::cout << std::flush;
     }},
    {"print",
     [](World& world, const Words& words) {
       for (const auto& word : words)
         std::cout << world.rank() << ":" << word << std::flush;
     }},
    {"variable",
     [](World& world, const Words& words) {
       const char* value = std::getenv(words.at(0).c_str());
       std::cout << world.rank() << ":" << (value != nullptr ? value : "unset") << std::endl;
     }},
    {"directory",
     [](World&, const Words&) { std::cout << std::filesystem::current_path().string() << std::endl; }},
    {"long-line",
     [](World& world, const Words& words) {
       const std::string line(std::stoul(words.at(0)), static_cast<char>('0' + world.rank()));
       std::cout << line << std::endl;
     }},
    {"pids",
     [](World& world, const Words& words) {
       write_pid(words.at(0), world.rank());
       sync_for_ever(world);
     }},
    {"long-pids",
     [](World& world, const Words& words) {
       for (int i = 0; i < 80'000; ++i)
         world.sync();
       write_pid(words.at(0), world.rank());
       sync_for_ever(world);
     }},
    {"loop-in-rank-1",
     [](World& world, const Words& words) {
       write_pid(words.at(0), world.rank());
       world.sync();
       while (world.rank() == 1)
         std::this_thread::sleep_for(std::chrono::seconds{1});
       world.sync();
     }},
    {"deaf-pids",
     [](World& world, const Words& words) {
       ::signal(SIGTERM, SIG_IGN);
       ::signal(SIGINT, SIG_IGN);
       write_pid(words.at(0), world.rank());
       sync_for_ever(world);
     }},
    {"compute-pids",
     [](World& world, const Words& words) {
       write_pid(words.at(0), world.rank());
       for (;;)
         std::this_thread::sleep_for(std::chrono::seconds{1});
     }},
    {"exit",
     [](World& world, const Words& words) {
       world.sync();
       if (is_rank(world, words.at(0))) std::_Exit(std::stoi(words.at(1)));
       sync_for_ever(world);
     }},
    {"kill-self",
     [](World& world, const Words& words) {
       world.sync();
       if (is_rank(world, words.at(0))) ::raise(std::stoi(words.at(1)));
       sync_for_ever(world);
     }},
    {"throw",
     [](World& world, const Words& words) {
       world.sync();
       if (is_rank(world, words.at(0))) throw lbsp::Error("the " + words.at(1) + " is wrong: give another");
       sync_for_ever(world);
     }},
    {"throw-text",
     [](World&, const Words& words) {
       std::string text;
       while (text.size() < std::stoul(words.at(1)))
         text += words.at(0);
       throw lbsp::Error(text);
     }},
    {"crash",
     [](World& world, const Words& words) {
       std::printf("rank %d by stdio\n", world.rank());
       // In one piece: ranks that are threads have one std::cout.
       std::cout << "rank " + std::to_string(world.rank()) + " by cout\n";
       if (is_rank(world, words.at(0))) ::raise(SIGSEGV);
       sync_for_ever(world);
     }},
    {"fault",
     [](World& world, const Words& words) {
       world.sync();
       volatile int* const nowhere = nullptr;
       if (is_rank(world, words.at(0))) *nowhere = 1;
       sync_for_ever(world);
     }},
    {"full-stack",
     [](World& world, const Words& words) {
       world.sync();
       if (is_rank(world, words.at(0))) std::printf("%d\n", descend(1));
       sync_for_ever(world);
     }},
    {"terminate",
     [](World& world, const Words& words) {
       world.sync();
       if (is_rank(world, words.at(0))) std::terminate();
       sync_for_ever(world);
     }},
    {"ask",
     [](World& world, const Words& words) {
       if (world.rank() == 0) ask(words.empty() ? "n? " : words.at(0));
       world.sync();
     }},
    {"echo",
     [](World& world, const Words&) {
       char line[256];
       while (world.rank() == 0 && std::fgets(line, sizeof line, stdin) != nullptr)
         std::printf("got %s|\n", line);
       std::printf("rank %d at the end\n", world.rank());
     }},
    {"terminal",
     [](World& world, const Words&) {
       winsize window{};
       ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
       std::printf("rank %d: %d %d %d %ux%u\n", world.rank(), ::isatty(0), ::isatty(1), ::isatty(2),
                   window.ws_row, window.ws_col);
     }},
    {"windows",
     [](World&, const Words&) {
       static volatile std::sig_atomic_t changed = 0;
       ::signal(SIGWINCH, [](int) { changed = 1; });
       std::printf("ready\n");
       while (changed == 0)
         std::this_thread::sleep_for(std::chrono::milliseconds{10});
       winsize window{};
       ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
       std::printf("changed to %ux%u\n", window.ws_row, window.ws_col);
     }},
    {"abort",
     [](World& world, const Words& words) {
       world.sync();
       if (is_rank(world, words.at(0))) world.abort(words.at(1));
       sync_for_ever(world);
     }},
    {"disagree",
     [](World& world, const Words&) {
       world.sync();
       if (world.rank() == 0) world.sync();
     }},
    {"verify",
     [](World& world, const Words& words) {
       world.sync();
       world.set_verified(!is_rank(world, words.at(0)));
     }},
    {"close-all",
     [](World& world, const Words& words) {
       world.sync();
       constexpr unsigned first_but_standard = 3;
       if (is_rank(world, words.at(0))) ::close_range(first_but_standard, ~0U, 0);
       sync_for_ever(world);
     }},
    {"transfers",
     [](World& world, const Words& words) {
       if (words.size() > 2) write_pid(words.at(2), world.rank());
       transfer(world, std::stoi(words.at(0)), std::stoul(words.at(1)));
     }},
    {"speak-again",
     [](World& world, const Words& words) {
       world.sync();
       const bool takes_place = words.size() > 2;
       if (takes_place && !world.change() && world.rank() == 1) ::raise(SIGKILL);
       while (takes_place && !world.change())
         world.sync();
       if (world.rank() == 1) speak_again(words.at(0), words.at(1));
       sync_for_ever(world);
     }},
    {"hoard",
     [](World& world, const Words& words) {
       for (int i = 0; i < 20'000; ++i)
         world.sync();
       if (is_rank(world, words.at(0))) take_memory_but(std::stoul(words.at(1)));
     }},
    {"steps",
     [](World& world, const Words& words) {
       if (words.size() > 1) write_pid(words.at(1), world.rank());
       for (int i = 0; i < std::stoi(words.at(0)); ++i)
         world.sync();
     }},
};

}  // namespace

int main(int count, char** arguments) {
  const Words words(arguments + 1, arguments + count);
  if (words.empty() || (words[0] != "never-join" && !deeds.contains(words[0]))) {
    std::fprintf(stderr, "job_probe: no such deed\n");
    return 2;
  }
  if (words[0] == "never-join") std::this_thread::sleep_for(std::chrono::hours{1});
  const int code = lbsp::run([&](World& world) {
    deeds.at(words[0])(world, {words.begin() + 1, words.end()});
  });
  return words.size() > 2 && words[1] == "then-exit" ? std::stoi(words[2]) : code;
}
