// Answers questions of the tests through the class that mirrors google/robotstxt. Each line of standard input has the
// robots.txt, the user agent and the URL in hexadecimal, separated by tabs.

#include <iostream>
#include <sstream>

#include "robomata_googlebot.hpp"

static std::string decoded(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

int main() {
  // One matcher for all questions, as a crawler has it: an answer must not be that of the question before.
  googlebot::RobotsMatcher matcher;
  if (!matcher.disallow()) return 1;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream fields(line);
    std::string robots, agent, url;
    std::getline(fields, robots, '\t');
    std::getline(fields, agent, '\t');
    std::getline(fields, url, '\t');
    const bool allowed = matcher.OneAgentAllowedByRobots(decoded(robots), decoded(agent), decoded(url));
    if (matcher.disallow() == allowed) return 1;
    std::cout << (allowed ? "allow " : "disallow ") << matcher.matching_line() << "\n";
  }
}
