// Lets `zetl trace --attach` record this process.
#pragma once

#include <memory>

#include "attachment/recorder_library.h"
#include "base/polling_thread.h"
#include "endpoint/listening.h"
#include "endpoint/unshared_descriptor.h"

namespace zetl::attachment {

/// A socket of this process's user, and a thread that serves one connection at a time. A recording lasts as long as its
/// connection. Lives until the process ends; a forked child has none.
class Service {
  public:
    /// Starts it if ZETL_ATTACH is 1, at the first call. If that fails, the log has the reason, and nobody can attach.
    static void startIfWanted() noexcept;

    Service(endpoint::Listening listening, FileDescriptor wake);
    bool begin() noexcept;

  private:
    void run() noexcept;
    void serveOnce();
    void accept();
    /// Empty: it records.
    std::string answer(int client);
    void end() noexcept;

    const endpoint::UnsharedDescriptor listening_;
    const std::unique_ptr<endpoint::PublishedName> name_;
    RecorderLibrary recorder_;
    std::unique_ptr<endpoint::UnsharedDescriptor> client_;  // null: nobody records
    PollingThread thread_;
};

}  // namespace zetl::attachment
