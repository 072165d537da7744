// Device memory that the launches of one kernel need besides their arguments.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "binary/kernel_image.h"
#include "emulator/driver/memory/state_heap.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::driver {

/// Private memory for every hardware thread, allocated at the first launch, and printf buffers, which are reused.
/// Thread-safe; shared by the kernel and its launches.
class KernelMemory {
  public:
    KernelMemory() = default;
    /// With the samplers that the kernel declares. OUT_OF_DEVICE_MEMORY.
    static Result<std::shared_ptr<KernelMemory>> create(const binary::KernelImage& image);
    KernelMemory(const KernelMemory&) = delete;
    KernelMemory& operator=(const KernelMemory&) = delete;
    ~KernelMemory();

    /// The address of private memory with `bytesPerThread` for each slot of the tile. Concurrent launches share it,
    /// since one thread at a time uses a slot. OUT_OF_DEVICE_MEMORY.
    Result<std::uint64_t> privateBase(const machine::Tile& tile, std::uint64_t bytesPerThread);

    /// Returns an empty printf buffer. Give it back after its text has been taken out. OUT_OF_DEVICE_MEMORY.
    Result<std::uint64_t> takePrintfBuffer();
    void givePrintfBuffer(std::uint64_t address);

    /// Offsets of the states of the declared samplers, by index.
    std::vector<std::uint64_t> samplerOffsets() const;

  private:
    std::vector<std::shared_ptr<StateSlot>> samplers_;  // by index; constant
    Mutex mutex_;
    std::map<std::uint32_t, std::uint64_t> private_ ZETL_GUARDED_BY(mutex_);  // by tile
    std::vector<std::uint64_t> freeBuffers_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::driver
