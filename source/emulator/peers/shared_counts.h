// Counts in memory that several processes share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/file_descriptor.h"
#include "emulator/peers/device_counts.h"
#include "emulator/peers/sealed_memory.h"

namespace zetl::emulator::peers {

namespace detail {
struct Page;
}

/// The writer's side: memory without a name, whose size cannot be changed. It is freed with the last process that has
/// it.
class SharedCounts {
  public:
    /// Returns nothing, and sets errno, if the host has no memory or descriptor for it.
    static std::optional<SharedCounts> create();

    /// For readers, which can only read it.
    int descriptor() const noexcept { return memory_.descriptor.get(); }
    /// What readers find that come late: the newest ones.
    static constexpr std::size_t kKept = 128;
    /// One thread at a time may call it.
    void publish(const DeviceCounts& counts) noexcept;

  private:
    explicit SharedCounts(SealedMemory memory) noexcept : memory_(std::move(memory)) {}
    detail::Page* page() const noexcept;
    SealedMemory memory_;
};

/// The reader's side. The writer is not trusted: its data are numbers and nothing else.
class SeenCounts {
  public:
    /// Returns nothing if the descriptor is no such memory: another size, another kind of file, or a file that could
    /// shrink, which would end the reading process.
    static std::optional<SeenCounts> map(const FileDescriptor& descriptor);

    /// Whether there is more to read; a writer that rests only has to check this.
    bool changed() const noexcept;
    /// Reads what was published first after what was read before, as far as it is kept. Returns false and changes
    /// nothing if there is no more, or if the writer is writing, was killed while it wrote, or does not stop.
    bool read(DeviceCounts& counts) noexcept;

  private:
    explicit SeenCounts(Mapping mapping) noexcept : mapping_(std::move(mapping)) {}
    const detail::Page* page() const noexcept;
    Mapping mapping_;
    std::uint64_t next_ = 0;  ///< the number of what is to be read next
};

}  // namespace zetl::emulator::peers
