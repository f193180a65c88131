// Checks URLs against one robots.txt, with the classes of robomata.hpp: check FILE AGENT URL...

#include <fstream>
#include <iostream>
#include <iterator>

#include "robomata.hpp"

int main(int count, char** arguments) {
  if (count < 4) {
    std::cerr << "usage: check FILE AGENT URL...\n";
    return 2;
  }
  try {
    std::ifstream file(arguments[1], std::ios::binary);
    // A directory can be opened, but reading it throws.
    const std::string body((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file.good()) throw std::ios_base::failure("not opened");
    const robomata::Robots robots(body);
    const robomata::Rules rules = robots.for_agent(arguments[2]);
    bool all = true;
    for (int i = 3; i < count; i++) {
      const robomata::Verdict verdict = rules.check(arguments[i]);
      std::cout << (verdict.is_allowed() ? "allowed" : "not allowed") << ", line " << verdict.line() << ": "
                << arguments[i] << "\n";
      all = all && verdict.is_allowed();
    }
    return all ? 0 : 1;
  } catch (const std::ios_base::failure&) {
    std::cerr << arguments[1] << ": cannot be read\n";
    return 2;
  } catch (const robomata::Error& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
