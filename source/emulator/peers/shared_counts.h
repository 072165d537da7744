// Counts in memory that several processes see.
#pragma once

#include <cstdint>
#include <optional>

#include "base/file_descriptor.h"
#include "emulator/peers/device_counts.h"

namespace zetl::emulator::peers {

namespace detail {
struct Page;
}

/// The writer's side: memory without a name, whose size nobody can change. It goes with the last process that has it.
class SharedCounts {
  public:
    /// Nothing, with errno, if the host has no memory or descriptor for it.
    static std::optional<SharedCounts> create();
    SharedCounts(SharedCounts&& other) noexcept;
    SharedCounts& operator=(SharedCounts&&) = delete;
    ~SharedCounts();

    /// For readers. They can only look at it.
    int descriptor() const noexcept { return descriptor_.get(); }
    /// By one thread at a time.
    void publish(const DeviceCounts& counts) noexcept;

  private:
    SharedCounts(FileDescriptor descriptor, detail::Page* page) noexcept;
    FileDescriptor descriptor_;
    detail::Page* page_;
};

/// The reader's side. The writer may be anybody: what it writes is taken as numbers and nothing else.
class SeenCounts {
  public:
    /// Nothing if that is no such memory: another size, another kind of file, or one that could shrink, which would end
    /// the process that reads it.
    static std::optional<SeenCounts> map(const FileDescriptor& descriptor);
    SeenCounts(SeenCounts&& other) noexcept;
    SeenCounts& operator=(SeenCounts&&) = delete;
    ~SeenCounts();

    /// Whether something was published since the last read; a writer that rests only has to check this.
    bool changed() const noexcept;
    /// What was published last. False: the writer is at it, was killed there, or does not stop; nothing is changed.
    bool read(DeviceCounts& counts) noexcept;

  private:
    explicit SeenCounts(const detail::Page* page) noexcept : page_(page) {}
    const detail::Page* page_;
    std::uint64_t version_ = 0;  ///< that was read last; 0: none was published
};

}  // namespace zetl::emulator::peers
