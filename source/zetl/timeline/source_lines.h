// Lines of source files, and printing of untrusted names.
#pragma once

#include <ze_tools_layer/correlation.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zetl::command {

/// Names come from a file: nothing in them may move the cursor of a terminal.
std::string printable(std::string text);

/// Reads source files when their lines are requested. A missing file has no lines.
class SourceLines {
  public:
    std::string line(const correlation::Place& place);

  private:
    std::map<std::string, std::optional<std::vector<std::string>>> files_;

    static std::vector<std::string> read(const std::string& name);
};

}  // namespace zetl::command
