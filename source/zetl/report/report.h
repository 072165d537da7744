// What a command found, and how other programs read it: JUnit, SARIF, annotations of GitHub Actions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "check/kinds.h"
#include "text/json.h"

namespace zetl::command {

/// A kind of problem that a command finds.
struct Rule {
    std::string name;     ///< "race/local"
    std::string summary;  ///< without a full stop
    check::Level level = check::Level::error;
};

struct Problem {
    std::size_t rule = 0;        ///< of the report's rules
    std::string text;            ///< a sentence without a full stop; empty: the rule's summary
    std::string source;          ///< "file:line"; empty: not known
    std::string function;        ///< the kernel or function that it is about; empty: none
    std::string key;             ///< names it in later runs
    Json more = Json::object();  ///< further members of its result in SARIF
};

struct Failure {
    std::string type;
    std::string message;
    std::string text;
};

struct TestCase {
    std::string suite;  ///< the class of the test
    std::string name;
    std::optional<Failure> failure{};
};

struct Report {
    const char* tool = "zetl";
    std::string program;  ///< that was run; in SARIF the file of what has no source
    std::vector<Rule> rules{};
    std::vector<Problem> problems{};
    std::vector<TestCase> cases{};
};

/// JUnit, with one suite.
std::string junitText(const Report& report);

/// SARIF 2.1.0. Files below `root` are named relative to it, and each location has a file: GitHub's code scanning takes
/// no log with one that has none.
std::string sarifText(const Report& report, const std::string& root, const char* version);

/// Workflow commands of GitHub Actions, one per line. Files below `root` are named relative to it, as GitHub wants
/// them.
std::string githubText(const Report& report, const std::string& root);

/// A location of SARIF. `source` is "file:line", or empty.
Json sarifLocation(const std::string& source, const std::string& function, const std::string& root);

}  // namespace zetl::command
