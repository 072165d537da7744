// The readers of a device for which this process does something, such as counting.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "endpoint/unshared_descriptor.h"

namespace zetl::emulator::peers {

/// What is done begins with the first reader and ends with the last. Not thread-safe. A class made of it calls end() in
/// its destructor.
class DeviceReaders {
  public:
    explicit DeviceReaders(std::string kind) : kind_(std::move(kind)) {}
    virtual ~DeviceReaders() = default;
    DeviceReaders(const DeviceReaders&) = delete;
    DeviceReaders& operator=(const DeviceReaders&) = delete;

    /// The kind of the readers' endpoints.
    const std::string& kind() const noexcept { return kind_; }

    struct Reader {
        std::string name;  ///< name of its endpoint
        endpoint::UnsharedDescriptor socket;
    };
    const std::vector<std::unique_ptr<Reader>>& readers() const noexcept { return readers_; }
    bool knows(const std::string& name) const noexcept;
    /// Serves the reader at the other end of the connection. If it throws bad_alloc, nothing has changed.
    void add(const std::string& name, FileDescriptor socket);
    /// The reader is gone.
    void remove(const std::string& name) noexcept;

  private:
    /// Throws bad_alloc. end() follows.
    virtual void begin() = 0;
    virtual void end() noexcept = 0;
    /// Returns false if the reader is gone, or the host refuses. Throws bad_alloc, with nothing changed.
    virtual bool welcome(const std::string& name, int socket) = 0;
    virtual void forget(const std::string&) noexcept {}

    const std::string kind_;
    std::vector<std::unique_ptr<Reader>> readers_;
};

}  // namespace zetl::emulator::peers
