// What was built before: answers of the compiler, on disk, shared by the processes of one user.
//
// An entry is found by all that decides what a build gives (the program, the command, the variables that the compiler's
// process gets) and holds only as long as each library that the compiler consisted of is the file that it was. Only
// successful builds are kept.
//
// Thread-safe, across processes, too. Whatever goes wrong with a file is a miss: a cache cannot fail a build. A file is
// as hostile as anything else from outside: of another owner, damaged or truncated, it is not used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/command.h"

namespace zetl::compiler {

class BuildCache {
  public:
    static constexpr std::uint64_t kMaxBytes = 256ull << 20;

    /// Entries lie in `directory`, which is made when the first one is kept; empty: nothing is found or kept. Beyond
    /// `maxBytes` of all entries together, those not used for longest go. Other files in the directory stay, and do
    /// not count.
    explicit BuildCache(std::string directory, std::uint64_t maxBytes = kMaxBytes)
        : directory_(std::move(directory)), maxBytes_(maxBytes) {}
    /// Where ZETL_BUILD_CACHE says (empty: nowhere), else in ze-tools-layer/builds below XDG_CACHE_HOME or ~/.cache;
    /// nowhere if there is no home directory.
    static BuildCache ofUser();

    std::optional<Answer> find(const Command& command) const;
    void keep(const Command& command, const Answer& answer) const;

  private:
    std::string directory_;
    std::uint64_t maxBytes_;
};

/// As run(), or what it answered before.
Answer build(const Command& command);

/// What it answered before, if that is known.
std::optional<Answer> builtBefore(const Command& command);

}  // namespace zetl::compiler
