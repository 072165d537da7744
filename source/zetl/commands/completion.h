// What shells need to complete zetl's command line.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace zetl::command {

/// The shells that completionFor() knows: "bash", "zsh", "fish".
std::vector<std::string> completedShells();

/// The shell's completion script, made from the app's commands and options. Empty for an unknown shell.
std::string completionFor(const CLI::App& app, const std::string& shell);

}  // namespace zetl::command
