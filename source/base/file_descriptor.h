// An owned file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace zetl {

/// Closes its descriptor when it is destroyed; -1 means "none".
class FileDescriptor {
  public:
    explicit FileDescriptor(int value = -1) noexcept : value_(value) {}
    FileDescriptor(FileDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~FileDescriptor() {
        if (value_ >= 0) ::close(value_);
    }

    int get() const noexcept { return value_; }
    int release() noexcept { return std::exchange(value_, -1); }
    explicit operator bool() const noexcept { return value_ >= 0; }

  private:
    int value_;
};

}  // namespace zetl
