//! Logs of requests, judged by the robots.txt in force at their time.

pub mod agents;
