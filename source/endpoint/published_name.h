// Keeps a socket's name in a directory as long as its process lives.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/file_descriptor.h"

namespace zetl::endpoint {

/// Removes the name when it is destroyed or, if it never is, when the process ends; never from a forked child.
class PublishedName {
  public:
    /// `directoryToRemove`: path of the directory, if it is to be removed with the name; else empty.
    PublishedName(FileDescriptor directory, std::string name, std::string directoryToRemove = "");
    ~PublishedName();
    PublishedName(const PublishedName&) = delete;
    PublishedName& operator=(const PublishedName&) = delete;

    /// Removes it now.
    void withdraw() const noexcept;

  private:
    const FileDescriptor directory_;
    const std::string name_;
    const std::string directoryToRemove_;
    const pid_t process_;
};

}  // namespace zetl::endpoint
