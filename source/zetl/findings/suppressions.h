// Findings that a project knows of and does not want to see.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/finding.h"

namespace zetl::command {

/// One block of a file. Empty patterns match everything; all that are given must match the finding or one of its sides.
struct Suppression {
    std::string name;
    std::string kind;    ///< a shell pattern, such as race/*
    std::string kernel;  ///< a shell pattern
    std::string file;    ///< a shell pattern; a name without a slash matches in every directory
    std::uint32_t firstLine = 0;
    std::uint32_t lastLine = 0;  ///< 0: every line of the file
    std::uint64_t used = 0;      ///< findings that it has matched

    bool matches(const check::Finding& finding) const;
};

class Suppressions {
  public:
    Suppressions() = default;
    /// Adds the blocks of a file. Throws UsageError with the line if it is none, or cannot be read.
    void add(const std::string& path);
    /// True, and counted, if one of them matches.
    bool suppress(const check::Finding& finding);
    std::vector<std::string> unused() const;

  private:
    std::vector<Suppression> each_;
};

/// A block that matches this finding.
std::string suppressionOf(const check::Finding& finding);

}  // namespace zetl::command
