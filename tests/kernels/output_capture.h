// What a process writes to standard output: a kernel's printf goes there.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace zetl::kernels {

/// Collects it from construction to text().
class OutputCapture {
  public:
    OutputCapture() {
        std::fflush(stdout);
        saved_ = dup(STDOUT_FILENO);
        dup2(fileno(file_), STDOUT_FILENO);
    }
    ~OutputCapture() {
        restore();
        std::fclose(file_);
    }
    std::string text() {
        restore();
        std::fseek(file_, 0, SEEK_END);
        std::string result(static_cast<std::size_t>(std::max(0L, std::ftell(file_))), ' ');
        std::rewind(file_);
        result.resize(std::fread(result.data(), 1, result.size(), file_));
        return result;
    }

  private:
    std::FILE* file_ = std::tmpfile();
    int saved_ = -1;
    void restore() {
        if (saved_ < 0) return;
        std::fflush(stdout);
        dup2(saved_, STDOUT_FILENO);
        close(saved_);
        saved_ = -1;
    }
};

}  // namespace zetl::kernels
