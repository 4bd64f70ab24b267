// Counts the words of a text: word_count FILE. Every rank reads its part of the lines and sends each word to
// the rank that owns it, with its count as the tag. The owners add up the counts, and rank 0 prints the most
// frequent words.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lbsp/job/run.hpp"
#include "lbsp/queue.hpp"
#include "transport/error.hpp"

using Counts = std::map<std::string, int>;

void add_all(Counts& counts, const lbsp::Queue<char, int>& queue) {
  for (const auto message : queue)
    counts[std::string(message.values().begin(), message.values().end())] += message.tag();
}

int main(int argc, char** argv) {
  return lbsp::run([&](lbsp::World& world) {
    std::ifstream text(argc == 2 ? argv[1] : "");
    if (!text) throw lbsp::UsageError("no text: give word_count the name of a readable file");
    Counts found;
    std::string line;
    for (int number = 0; std::getline(text, line); ++number) {
      if (number % world.size() != world.rank()) continue;
      std::replace_if(
          line.begin(), line.end(), [](unsigned char c) { return std::isalpha(c) == 0; }, ' ');
      for (std::size_t end = 0, at = 0; (at = line.find_first_not_of(' ', end)) != line.npos;) {
        end = std::min(line.find(' ', at), line.size());
        ++found[line.substr(at, end - at)];
      }
    }

    lbsp::Queue<char, int> queue(world);
    const auto ranks = static_cast<std::size_t>(world.size());
    for (const auto& [word, count] : found)
      queue.send(static_cast<lbsp::Rank>(std::hash<std::string>{}(word) % ranks), count, word);
    world.sync();
    Counts owned;
    add_all(owned, queue);
    for (const auto& [word, count] : owned)
      queue.send(0, count, word);
    world.sync();
    if (world.rank() != 0) return;

    Counts all;
    add_all(all, queue);
    std::vector<std::pair<std::string, int>> ranking(all.begin(), all.end());
    std::ranges::stable_sort(ranking, std::greater{}, &std::pair<std::string, int>::second);
    if (ranking.size() > 3) ranking.resize(3);
    for (const auto& [word, count] : ranking)
      std::printf("%d %s\n", count, word.c_str());
  });
}
