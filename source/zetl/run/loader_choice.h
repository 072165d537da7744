// Which Level Zero loader programs get: the system's, or the one that was installed with zetl.
#pragma once

#include <filesystem>
#include <string>

#include "run/installation.h"

namespace zetl::command {

/// SYCL's run time, from oneAPI 2025 on, calls functions that older loaders lack, and crashes.
constexpr int kOldestLoaderForSycl = 28;  // of 1.x

struct LoaderChoice {
    std::filesystem::path found;    // what programs open by themselves; empty if there is none
    std::string version;            // of that, such as "1.8.0"; empty if unknown
    std::string reason;             // why none was opened
    std::filesystem::path inFront;  // directory of zetl's own loader if programs get that one; otherwise empty

    /// Whether the found loader is known to be too old for SYCL.
    bool isTooOld() const;
};

/// Looks for the loader as a program would. Programs get zetl's own loader, if one is installed, where the found one is
/// missing, too old for SYCL, or zetl's own.
LoaderChoice chooseLoader(const Installation& installation);

/// The version in a loader's file name, "libze_loader.so.1.8.0"; empty if the name has none.
std::string versionInName(const std::filesystem::path& file);

}  // namespace zetl::command
