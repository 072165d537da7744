// Describes the emulated machine: devices, their topology, clocks and sizes. Each profile is a data file in profiles/;
// they are embedded in the library, so that nothing has to be installed beside it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/machine/thread_id.h"
#include "emulator/machine/tick_width.h"
#include "emulator/machine/timing.h"
#include "isa/xe/architecture.h"

namespace zetl::emulator::machine {

/// The largest number of tiles of a device.
inline constexpr std::uint32_t kMaxTiles = 8;

/// One device. All counts are of one tile unless they say otherwise.
struct DeviceProfile {
    std::string name;
    std::uint32_t vendorId = 0;
    std::uint32_t deviceId = 0;
    std::uint32_t revision = 0;

    /// What its compilers build for. The key `architecture` names it: the architecture's first product.
    const zetl::isa::xe::Product* product = &zetl::isa::xe::kPvc;

    std::uint32_t tiles = 1;
    std::uint32_t slices = 1;
    std::uint32_t subslicesPerSlice = 1;
    std::uint32_t eusPerSubslice = 8;
    std::uint32_t threadsPerEu = 8;

    std::uint32_t coreClockMhz = 0;
    std::uint64_t timerHz = 0;                    ///< device timestamp ticks per second
    std::uint32_t timestampValidBits = 36;        ///< of global timestamps
    std::uint32_t kernelTimestampValidBits = 32;  ///< of kernel timestamps

    std::uint64_t memoryBytes = 0;         ///< device memory of one tile
    std::uint64_t maxAllocationBytes = 0;  ///< largest single allocation
    std::uint32_t memoryClockMhz = 0;
    std::uint32_t memoryBusBits = 0;
    std::uint64_t cacheBytes = 0;  ///< last-level cache
    std::uint32_t slmBytes = 0;    ///< local memory of one sub-slice, and the most one work-group may use
    std::uint32_t maxGroupSize = 0;
    TimingModel timing;  ///< named by the key `timing`; the default is that of the architecture

    TickWidth timestampWidth() const noexcept { return {timestampValidBits}; }
    TickWidth kernelTimestampWidth() const noexcept { return {kernelTimestampValidBits}; }
    /// The width of times in counter reports. The counter unit's timestamps wrap after half the time that kernel
    /// timestamps take. Tools know that about this family (device ids 0x0Bxx), and mask kernel timestamps to one bit
    /// less before they compare them with report times.
    TickWidth reportTimeWidth() const noexcept { return {kernelTimestampValidBits - 1}; }

    const zetl::isa::xe::Architecture& architecture() const noexcept { return *product->architecture; }

    std::uint32_t subslices() const noexcept { return slices * subslicesPerSlice; }
    std::uint32_t threadsPerSubslice() const noexcept { return eusPerSubslice * threadsPerEu; }
    std::uint32_t eus() const noexcept { return subslices() * eusPerSubslice; }
    std::uint32_t threads() const noexcept { return subslices() * threadsPerSubslice(); }

    /// The number of threads per sub-slice that kernels with so many registers can use: with 256 registers a thread
    /// takes the register file of two, so half of the slots stay empty.
    std::uint32_t usableThreadsPerSubslice(std::uint32_t grfCount) const noexcept {
        return threadsPerSubslice() / (grfCount > 128 ? 2 : 1);
    }

    /// The local memory that a group gets when it asks for `bytes`: it is handed out in steps.
    std::uint32_t slmGiven(std::uint32_t bytes) const noexcept;

    /// The thread's slot, 0 .. threads()-1, sub-slice major. It is the hardware thread id that code derives from sr0.0
    /// to find its private memory, which therefore needs threads() parts.
    std::uint32_t slotOf(const ThreadId& id) const noexcept;
    /// Whether the device has such a thread (a single one).
    bool has(const ThreadId& id) const noexcept {
        return id.slice < slices && id.subslice < subslicesPerSlice && id.eu < eusPerSubslice &&
               id.thread < threadsPerEu;
    }
    ThreadId threadAt(std::uint32_t slot) const noexcept;
    /// sr0.0 of the thread in that slot, and msg0.0, which code of some architectures reads beside it.
    std::uint32_t statusRegister(std::uint32_t slot) const noexcept;
    std::uint32_t messageRegister(std::uint32_t slot) const noexcept;
};

struct Profile {
    std::string id;  ///< file name without extension
    std::vector<DeviceProfile> devices;
};

struct ProfileError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The names of the embedded profiles, the default first.
std::vector<std::string> profileNames();

/// Reads an embedded profile by name, or a YAML file if `nameOrPath` contains a slash or ends in .yaml. Throws
/// ProfileError with file, key and remedy if it does not exist, does not parse, or describes an impossible device.
Profile loadProfile(std::string_view nameOrPath);

/// The profile that ZETL_EMULATED_DEVICE names, or the default if it is unset or empty. Throws ProfileError.
Profile configuredProfile();

}  // namespace zetl::emulator::machine
