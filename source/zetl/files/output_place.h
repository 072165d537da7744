// Opening what a user named as the place of an output.
#pragma once

#include <filesystem>
#include <string>

namespace zetl::command {

struct OutputPlace {
    int descriptor = -1;         ///< for writing; the caller closes it
    bool made = false;           ///< there was no such file before
    std::filesystem::path path;  ///< of the file itself, behind every link
    std::string failure;         ///< why there is no descriptor
};

/// Opens the file, or makes it; what it holds stays. Symbolic links of this user and of root are followed. Those of
/// other users are not: they could lead to any file that this user may write.
OutputPlace openOutput(const std::filesystem::path& path);

}  // namespace zetl::command
