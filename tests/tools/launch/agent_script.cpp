#include "tests/tools/launch/agent_script.hpp"

#include <sys/stat.h>

namespace lbsp::test {

std::string agent_script(const TemporaryFolder& folder, const std::string& text) {
  std::string script = folder.write("agent.sh", "#!/bin/sh\nhost=$1\nshift\n" + text + "\n");
  ::chmod(script.c_str(), 0700);
  return script;
}

std::vector<std::string> over_hosts(const TemporaryFolder& folder, const std::string& hosts,
                                    const std::string& agent, const std::vector<std::string>& rest) {
  std::vector<std::string> words = {"--hosts", folder.write("hosts", hosts), "--launch-agent", agent};
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

}  // namespace lbsp::test
