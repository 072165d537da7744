// Describes the emulated machine: devices, their topology, clocks and sizes. Each profile is a data file in profiles/;
// they are embedded in the library, so that nothing has to be installed beside it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/machine/capabilities.h"
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

    /// What its compilers build for. The key `product` names it; without that it is the first product of the
    /// architecture that the key `architecture` names.
    const zetl::isa::xe::Product* product = &zetl::isa::xe::kPvc;

    std::uint32_t tiles = 1;
    std::uint32_t slices = 1;
    std::uint32_t subslicesPerSlice = 1;
    std::uint32_t eusPerSubslice = 8;
    std::uint32_t threadsPerEu = 8;
    std::uint32_t presentSubslices = 0;  ///< if the last slices lack some; 0: all are there

    std::uint32_t coreClockMhz = 0;
    std::uint64_t timerHz = 0;                    ///< device timestamp ticks per second
    std::uint32_t timestampValidBits = 36;        ///< of global timestamps
    std::uint32_t kernelTimestampValidBits = 32;  ///< of kernel timestamps
    /// Of times in counter reports. The default is that of Xe-HPC: its counter unit's timestamps wrap after half the
    /// time that kernel timestamps take. Tools know that about this family (device ids 0x0Bxx), and mask kernel
    /// timestamps to one bit less before they compare them with report times.
    std::uint32_t reportTimeBits = 31;

    std::uint64_t memoryBytes = 0;         ///< device memory of one tile
    std::uint64_t maxAllocationBytes = 0;  ///< largest single allocation
    std::uint32_t memoryClockMhz = 0;
    std::uint32_t memoryBusBits = 0;
    std::uint64_t cacheBytes = 0;  ///< last-level cache
    std::uint32_t slmBytes = 0;    ///< local memory of one sub-slice, and the most one work-group may use
    std::uint32_t maxGroupSize = 0;

    // What Intel's driver says of the kind of device; the defaults are those of Xe-HPC.
    std::uint32_t memoryType = 2;        ///< as GT_MEMORY_TYPES numbers them: 1 LPDDR5, 2 HBM2, 4 GDDR6
    std::uint32_t integrated = 0;        ///< 1: its memory is the host's
    std::uint32_t errorCorrection = 1;   ///< 1: of its memory
    std::uint32_t hostAtomics = 0;       ///< 1: kernels' atomics work in host allocations
    std::uint32_t sharedConcurrent = 1;  ///< 1: host and device may access shared allocations at the same time
    std::uint32_t halfAtomics = float_atomics::kOfHalves;
    std::uint32_t floatAtomics = float_atomics::kOfFloats;
    std::uint32_t doubleAtomics = float_atomics::kOfDoubles;
    std::uint32_t computeQueues = 4;
    std::uint32_t linkCopyQueues = 7;  ///< beside the main copy engine's queue
    std::uint32_t pciGeneration = 0;   ///< the highest that its link to the host has; 0: none, or not published
    std::uint32_t pciLanes = 0;        ///< of that link

    TimingModel timing;  ///< named by the key `timing`; the default is that of the architecture

    TickWidth timestampWidth() const noexcept { return {timestampValidBits}; }
    TickWidth kernelTimestampWidth() const noexcept { return {kernelTimestampValidBits}; }
    TickWidth reportTimeWidth() const noexcept { return {reportTimeBits}; }

    const zetl::isa::xe::Architecture& architecture() const noexcept { return *product->architecture; }

    std::uint32_t subslices() const noexcept {
        return presentSubslices != 0 ? presentSubslices : slices * subslicesPerSlice;
    }
    std::uint32_t threadsPerSubslice() const noexcept { return eusPerSubslice * threadsPerEu; }
    std::uint32_t eus() const noexcept { return subslices() * eusPerSubslice; }
    std::uint32_t threads() const noexcept { return subslices() * threadsPerSubslice(); }

    /// The number of threads per sub-slice that kernels with so many registers can use: with 256 registers a thread
    /// takes the register file of two, so half of the slots stay empty.
    std::uint32_t usableThreadsPerSubslice(std::uint32_t grfCount) const noexcept {
        return eusPerSubslice * usableThreadsPerEu(grfCount);
    }
    /// An EU has registers for eight threads with 128 of them; threads with fewer are as many as it has slots.
    std::uint32_t usableThreadsPerEu(std::uint32_t grfCount) const noexcept {
        constexpr std::uint32_t kUsual = 128;
        constexpr std::uint32_t kMost = 8 * kUsual;
        const std::uint32_t registers = std::min(threadsPerEu * kUsual, kMost);
        return std::clamp(registers / std::max(grfCount, 1u), 1u, threadsPerEu);
    }

    /// The local memory that a group gets when it asks for `bytes`: it is handed out in steps.
    std::uint32_t slmGiven(std::uint32_t bytes) const noexcept;

    /// The thread's slot, 0 .. threads()-1, sub-slice major. It is the hardware thread id that code derives from sr0.0
    /// to find its private memory, which therefore needs threads() parts.
    std::uint32_t slotOf(const ThreadId& id) const noexcept;
    /// Whether the device has such a thread (a single one).
    bool has(const ThreadId& id) const noexcept {
        return id.slice < slices && id.subslice < subslicesPerSlice && id.eu < eusPerSubslice &&
               id.thread < threadsPerEu && slotOf(id) < threads();
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

/// Reads an embedded profile by name, or a YAML file if `nameOrPath` contains a slash or ends in .yaml. Several of
/// them, with a plus sign between each two, are one machine with the devices of all, in this order. Throws ProfileError
/// with file, key and remedy if one does not exist, does not parse, or describes an impossible device.
Profile loadProfile(std::string_view nameOrPath);

/// The profile that ZETL_EMULATED_DEVICE names, or the default if it is unset or empty. Throws ProfileError.
Profile configuredProfile();

}  // namespace zetl::emulator::machine
