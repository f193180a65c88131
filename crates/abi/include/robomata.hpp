// robomata for C++17: classes over robomata.h that free what they hold.
//
//     robomata::Robots robots("User-agent: *\nDisallow: /private");
//     robomata::Rules rules = robots.for_agent("ExampleBot");
//     if (rules.is_allowed("https://example.com/private")) { ... }
//
// `robomata::RobotsMatcher` has the calls of google/robotstxt's class of that name. `robomata_googlebot.hpp` also gives it
// that library's namespace.

#ifndef ROBOMATA_HPP
#define ROBOMATA_HPP

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "robomata.h"

namespace robomata {

// A call failed. `code` is one of the numbers that begin with ROBOMATA_ERROR_.
class Error : public std::runtime_error {
 public:
  Error(int32_t code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int32_t code() const noexcept { return code_; }

 private:
  int32_t code_;
};

namespace internal {

inline const uint8_t* data(std::string_view text) noexcept {
  return reinterpret_cast<const uint8_t*>(text.data());
}

inline void check(int32_t code) {
  if (code == ROBOMATA_OK) return;
  const uint8_t* text = nullptr;
  size_t length = 0;
  robomata_last_error(&text, &length);
  throw Error(code, std::string(reinterpret_cast<const char*>(text), length));
}

inline std::string take(RobomataText* text) {
  const std::unique_ptr<RobomataText, void (*)(RobomataText*)> owner(text, robomata_text_free);
  return std::string(reinterpret_cast<const char*>(robomata_text_data(text)), robomata_text_length(text));
}

}  // namespace internal

enum class Dialect : uint32_t {
  kRfc9309 = ROBOMATA_RFC9309,
  kGoogle = ROBOMATA_GOOGLE,
  kKoster1996 = ROBOMATA_KOSTER1996,
  kAcap = ROBOMATA_ACAP,
  kYandex = ROBOMATA_YANDEX,
};

// Whether a crawler may fetch a URL, and why.
class Verdict {
 public:
  explicit Verdict(RobomataVerdict verdict) noexcept : verdict_(verdict) {}
  bool is_allowed() const noexcept { return verdict_.verdict == ROBOMATA_ALLOW; }
  bool is_disallowed() const noexcept { return verdict_.verdict == ROBOMATA_DISALLOW; }
  // The 1-based line of the rule that decided; 0 if no line did.
  uint32_t line() const noexcept { return verdict_.line; }
  // One of the numbers that begin with ROBOMATA_REASON_.
  uint8_t reason() const noexcept { return verdict_.reason; }
  RobomataVerdict raw() const noexcept { return verdict_; }

 private:
  RobomataVerdict verdict_;
};

// The rules of a robots.txt for one crawler, compiled. Threads may share them.
class Rules {
 public:
  explicit Rules(RobomataRules* rules) noexcept : rules_(rules) {}

  // The verdict on an absolute URL, or a path with a query.
  Verdict check(std::string_view url) const {
    RobomataVerdict verdict = {};
    internal::check(robomata_check(rules_.get(), internal::data(url), url.size(), &verdict));
    return Verdict(verdict);
  }

  // The verdict on any text: see robomata_check_any_text.
  Verdict check_any_text(std::string_view text) const {
    RobomataVerdict verdict = {};
    internal::check(robomata_check_any_text(rules_.get(), internal::data(text), text.size(), &verdict));
    return Verdict(verdict);
  }

  bool is_allowed(std::string_view url) const { return check(url).is_allowed(); }

  // The group, the rules that match, and the one that decides, as JSON.
  std::string explain(std::string_view url) const {
    RobomataText* text = nullptr;
    internal::check(robomata_explain(rules_.get(), internal::data(url), url.size(), &text));
    return internal::take(text);
  }

 private:
  struct Free {
    void operator()(RobomataRules* rules) const noexcept { robomata_rules_free(rules); }
  };
  std::unique_ptr<RobomataRules, Free> rules_;
};

// A parsed robots.txt. Threads may share it.
class Robots {
 public:
  // `status` is the HTTP status of the fetch, ROBOMATA_NO_RESPONSE or ROBOMATA_TOO_MANY_REDIRECTS. At most `max_robots_bytes`
  // are read: 512000 to 4294967294, or 0 for the dialect's own limit.
  explicit Robots(std::string_view body, Dialect dialect = Dialect::kRfc9309, uint32_t status = 200,
                  uint32_t max_robots_bytes = 0) {
    RobomataRobots* robots = nullptr;
    internal::check(robomata_robots_parse_within(internal::data(body), body.size(),
                                                 static_cast<uint32_t>(dialect), status, max_robots_bytes, &robots));
    robots_.reset(robots);
  }

  // Throws if `agent` names no crawler.
  Rules for_agent(std::string_view agent) const {
    RobomataRules* rules = nullptr;
    internal::check(robomata_rules_new(robots_.get(), internal::data(agent), agent.size(), &rules));
    return Rules(rules);
  }

  // Delays, sitemaps, and problems in the lines, as JSON.
  std::string summary(std::string_view agent) const {
    RobomataText* text = nullptr;
    internal::check(robomata_summary(robots_.get(), internal::data(agent), agent.size(), &text));
    return internal::take(text);
  }

 private:
  struct Free {
    void operator()(RobomataRobots* robots) const noexcept { robomata_robots_free(robots); }
  };
  std::unique_ptr<RobomataRobots, Free> robots_;
};

// The calls of google/robotstxt's RobotsMatcher, in the dialect `google`. These things differ:
//
// - Of several user agents, the first one that the file names counts, instead of all of them together.
// - A body that begins like compressed data, an archive, a WARC or another file is no robots.txt: every URL is disallowed,
//   without a line. That library finds no rules in it, and allows every URL.
// - A call that fails for lack of memory throws. Then and until another call, `disallow` is true.
class RobotsMatcher {
 public:
  // Whether the crawler with these names may fetch `url`.
  bool AllowedByRobots(std::string_view robots_body, const std::vector<std::string>* user_agents,
                       const std::string& url) {
    verdict_ = Verdict(RobomataVerdict{});
    std::string agent;
    for (const std::string& name : *user_agents) {
      if (!IsValidUserAgentToObey(name)) continue;
      if (!agent.empty()) agent += ',';
      agent += name;
    }
    // Another name is that of no group: the rules for all crawlers apply.
    if (agent.empty()) agent = "*";
    try {
      verdict_ = Robots(robots_body, Dialect::kGoogle).for_agent(agent).check_any_text(url);
    } catch (const Error& error) {
      // Any site can send a body that is no robots.txt. The verdict is then ROBOMATA_INVALID.
      if (error.code() != ROBOMATA_ERROR_ARGUMENT) throw;
    }
    return verdict_.is_allowed();
  }

  bool OneAgentAllowedByRobots(const std::string& robots_txt, const std::string& user_agent,
                               const std::string& url) {
    const std::vector<std::string> user_agents = {user_agent};
    return AllowedByRobots(robots_txt, &user_agents, url);
  }

  // Whether the last URL was disallowed; true if there was none.
  bool disallow() const { return !verdict_.is_allowed(); }

  // The 1-based line of the rule that decided for the last URL; 0 if no line did.
  int matching_line() const { return static_cast<int>(verdict_.line()); }

  // Whether a name consists of letters, `-` and `_`, so that a group can name it.
  static bool IsValidUserAgentToObey(std::string_view user_agent) {
    if (user_agent.empty()) return false;
    for (const char c : user_agent) {
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!is_letter && c != '-' && c != '_') return false;
    }
    return true;
  }

 private:
  Verdict verdict_{RobomataVerdict{}};
};

}  // namespace robomata

#endif  // ROBOMATA_HPP
