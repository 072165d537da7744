// Results of former builds, kept on disk and shared by the processes of one user.
//
// The key of an entry is all that decides the result of a build (the program, the compiler, the command, the variables
// that the compiler's process gets). An entry is valid only as long as each library of the compiler is the same file as
// it was. Only successful builds are kept.
//
// Thread-safe, also across processes. Any problem with a file is a miss: a cache cannot make a build fail. A file is
// not trusted: if it belongs to another user, or is damaged or truncated, it is not used.
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

/// Like run(), or returns its former result.
Answer build(const Command& command);

/// The former result, if it is known.
std::optional<Answer> builtBefore(const Command& command);

}  // namespace zetl::compiler
