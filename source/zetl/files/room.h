// Whether a file can grow.
#pragma once

#include <csignal>
#include <cstdint>

namespace zetl::command {

/// While it exists, exceeding ulimit -f is an error of the call and not a signal.
class FileSizeErrors {
  public:
    FileSizeErrors() : former_(std::signal(SIGXFSZ, SIG_IGN)) {}
    ~FileSizeErrors() { std::signal(SIGXFSZ, former_); }
    FileSizeErrors(const FileSizeErrors&) = delete;
    FileSizeErrors& operator=(const FileSizeErrors&) = delete;

  private:
    void (*former_)(int);
};

/// The errno with which a regular file cannot grow by this many bytes; 0 if it can, or is not a regular file. The file
/// is not changed.
int lackOfRoom(int descriptor, std::uint64_t bytes);

}  // namespace zetl::command
