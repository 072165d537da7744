/// @file
/// Everything that is in a file, or comes through a pipe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace zetl::command {

/// Nothing if the file cannot be opened.
std::optional<std::string> contentOf(const std::filesystem::path& file);

/// What a pipe brings until its last writer closes it, or reading fails.
std::string readAll(int pipe);

}  // namespace zetl::command
