// Lines of source files, found where the compiler saw them or where the user says.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace zetl::debugger {

class SourceText {
  public:
    /// Directories to search, in order, for a file that is not where the compiler saw it.
    void addDirectory(std::string directory) { directories_.push_back(std::move(directory)); }
    const std::vector<std::string>& directories() const noexcept { return directories_; }

    /// Empty if there is no such file or line.
    std::string line(const std::string& file, int number);
    int lines(const std::string& file) { return static_cast<int>(textOf(file).size()); }
    /// Where the file was found; empty if it was not.
    std::string pathOf(const std::string& file) const;

  private:
    const std::vector<std::string>& textOf(const std::string& file);

    std::vector<std::string> directories_;
    std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace zetl::debugger
