// A socket's name in a directory, as long as its process lives.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/file_descriptor.h"

namespace zetl::debug {

/// Removes the name at the end of its life or, if nobody ends it, of the process; never from a forked child.
class PublishedName {
  public:
    PublishedName(FileDescriptor directory, std::string name);
    ~PublishedName();
    PublishedName(const PublishedName&) = delete;
    PublishedName& operator=(const PublishedName&) = delete;

    /// Removes it now.
    void withdraw() const noexcept;

  private:
    const FileDescriptor directory_;
    const std::string name_;
    const pid_t process_;
};

}  // namespace zetl::debug
