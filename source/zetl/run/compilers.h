// The compilers for the emulated GPU that are here: the system's, and one with a C library of its own.
//
// Which one a driver takes is decided by source/compiler/start.cpp. Programs that zetl starts get the newest.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "run/installation.h"

namespace zetl::command {

struct Compiler {
    std::filesystem::path bundle = {};      ///< its directory; empty: the system's
    std::string identity = {};              ///< file and version; empty if it cannot be used
    std::string reason = {};                ///< why it cannot be used
    std::vector<std::string> devices = {};  ///< the products it builds for, of those that were asked for

    bool isUsable() const { return !identity.empty(); }
    /// By the version at the end of its identity; an unknown one is older than any other.
    bool isNewerThan(const Compiler& other) const;
};

/// Starts the compiler's program to ask it. ZETL_OCLOC and ZETL_COMPILER_LIBRARY count for the system's.
Compiler askSystemsCompiler(const Installation& installation, const std::vector<std::string>& products = {});
Compiler askBundledCompiler(const Installation& installation, const std::filesystem::path& bundle,
                            const std::vector<std::string>& products = {});

/// Whether a directory has a compiler with its own C library.
bool hasBundle(const std::filesystem::path& directory);

/// Asks which compiler is the newest, beside this program; the result waits for the answer, and is to be called once.
/// It is the value of ZETL_COMPILER for a program, if the driver would not choose the newest compiler by itself: where
/// the system's is newer than the one that was installed with zetl. Nothing if the environment chooses.
using BetterCompiler = std::function<std::optional<std::string>()>;
BetterCompiler askForBetterCompiler(const Installation& installation);

/// What `--compiler` says, as the driver reads it. Throws UsageError if there is no such compiler.
std::string compilerNamed(const Installation& installation, const std::string& choice);

}  // namespace zetl::command
