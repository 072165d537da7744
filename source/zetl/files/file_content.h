/// @file
/// The whole content of a file or a pipe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace zetl::command {

/// Nothing if the file cannot be opened.
std::optional<std::string> contentOf(const std::filesystem::path& file);

/// Everything read from a pipe until its last writer closes it, or reading fails.
std::string readAll(int pipe);

}  // namespace zetl::command
