// Begins and ends of commands, kept for the streams that follow a device.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/executed_command.h"
#include "provider/commands.h"

namespace zetl::emulator::access {

/// One open stream: the latest records, at most as many as it was opened for. Thread-safe.
class RecordedCommands final : public provider::CommandStream {
  public:
    RecordedCommands(driver::Device& device, std::size_t capacity) : device_(device), ring_(capacity) {}

    const driver::Device& device() const noexcept { return device_; }
    bool follows(const driver::Device& device, std::uint32_t tile) const;
    void run(bool running);
    bool running() const;
    void add(const zetl_command_record_t& record) noexcept;

    zetl_status_t start() override;
    zetl_status_t stop() override;
    std::uint64_t pending() override;
    std::uint64_t drain(std::uint64_t capacity, zetl_command_record_t* records, zetl_loss_t& loss) override;
    void close() override;

  private:
    driver::Device& device_;
    mutable Mutex mutex_;
    std::vector<zetl_command_record_t> ring_ ZETL_GUARDED_BY(mutex_);
    std::size_t first_ ZETL_GUARDED_BY(mutex_) = 0;
    std::size_t count_ ZETL_GUARDED_BY(mutex_) = 0;
    zetl_loss_t loss_ ZETL_GUARDED_BY(mutex_){sizeof(zetl_loss_t), ZETL_LOSS_NONE, 0, 0, 0};
    bool running_ ZETL_GUARDED_BY(mutex_) = false;
};

/// All open streams of the process. Workers report commands only while a stream runs. Thread-safe.
class CommandStreams {
  public:
    static CommandStreams& instance();

    std::shared_ptr<RecordedCommands> open(driver::Device& device, std::size_t capacity);
    /// Words left in the device's event memory before the first of its streams runs are dropped.
    void start(RecordedCommands& stream);
    void close(const RecordedCommands& stream);

    void executed(driver::Device& device, const driver::ExecutedCommand& command) noexcept;

  private:
    mutable Mutex mutex_;
    /// Passes the record to all streams that follow the device, or the record's tile of it.
    void tell(const driver::Device& device, zetl_command_record_t record) noexcept ZETL_REQUIRES(mutex_);

    std::vector<std::shared_ptr<RecordedCommands>> streams_ ZETL_GUARDED_BY(mutex_);
    std::uint64_t commands_ ZETL_GUARDED_BY(mutex_) = 0;
};

}  // namespace zetl::emulator::access
