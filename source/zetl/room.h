// Whether a file can grow.
#pragma once

#include <csignal>
#include <cstdint>

namespace zetl::command {

/// While it lives, a file that may not grow (ulimit -f) is an error of the call and not a signal.
class FileSizeErrors {
  public:
    FileSizeErrors() : former_(std::signal(SIGXFSZ, SIG_IGN)) {}
    ~FileSizeErrors() { std::signal(SIGXFSZ, former_); }
    FileSizeErrors(const FileSizeErrors&) = delete;
    FileSizeErrors& operator=(const FileSizeErrors&) = delete;

  private:
    void (*former_)(int);
};

/// The errno that keeps a regular file from taking so many bytes more, 0 if it can take them or is no regular file. The
/// file stays as it is.
int lackOfRoom(int descriptor, std::uint64_t bytes);

}  // namespace zetl::command
