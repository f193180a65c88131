// For programs that used google/robotstxt: include this file instead of its "robots.h".

#ifndef ROBOMATA_GOOGLEBOT_HPP
#define ROBOMATA_GOOGLEBOT_HPP

#include "robomata.hpp"

namespace googlebot {
using ::robomata::RobotsMatcher;
}  // namespace googlebot

#endif  // ROBOMATA_GOOGLEBOT_HPP
