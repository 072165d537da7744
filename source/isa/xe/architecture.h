// The architectures of Intel GPUs that this project knows. All that differs from one to another, and that others must
// not spell, is here: sizes, encodings, how threads start, and the names by which compilers and binaries call them.
//
// Constant data, readable from any thread. A second architecture is a value in architecture.cpp and, if its compacted
// instructions differ, tables beside compaction_xe_hpc.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/xe/opcodes.h"

namespace zetl::isa::xe {

struct Architecture;
struct CompactionTables;  // compaction.h

/// The size of a general register and of an accumulator, in bytes. Xe-HPC, Xe2, Xe3 and Xe3P have the same, so that
/// arrays and the layout of a thread's state can be constant; the registers of Xe-HPG have 32 bytes. (Intel's graphics
/// compiler, visa/iga/IGALibrary/Models/Models.cpp.)
inline constexpr std::uint32_t kRegisterBytes = 64;

/// The version of a graphics core, GMDID in Intel's words.
struct IpVersion {
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    std::uint32_t revision = 0;

    /// As ze_device_ip_version_ext_t and CL_DEVICE_IP_VERSION_INTEL have it.
    constexpr std::uint32_t packed() const noexcept { return major << 22 | minor << 14 | revision; }
    static constexpr IpVersion unpacked(std::uint32_t packed) noexcept {
        return {packed >> 22, packed >> 14 & 0xff, packed & 0x3f};
    }
    bool operator==(const IpVersion&) const = default;
};

/// A kind of device that compilers build for.
struct Product {
    std::string_view name = {};       ///< as compilers call it (ocloc -device)
    std::uint32_t productFamily = 0;  ///< in zebin's notes and in patch tokens (igfxfmid.h of Intel's compiler)
    std::uint32_t coreFamily = 0;     ///< the same for its core
    IpVersion ip = {};                ///< compute-runtime, shared/source/dll/devices/product_config.inl
    const Architecture* architecture = nullptr;
};

/// Dwords of r0 when a thread starts, and where it finds its place. (Intel's graphics compiler,
/// documentation/visa/4_visa_header.md; for the barrier's number of threads visa/TranslateSendSync.cpp.)
struct ThreadStart {
    std::uint8_t arguments = 0;           ///< offset of the indirect data, in bytes
    std::array<std::uint8_t, 3> group{};  ///< number of the group in each dimension
    std::uint8_t number = 0;              ///< number of the thread in its group, from bit 0
    std::uint8_t threadsShift = 0;        ///< in the same dword: where the group's number of threads begins
    std::uint8_t scratch = 0;             ///< the scratch surface's state
    std::uint8_t scratchShift = 0;        ///< its first bit
    /// msg0.0, which can be read, has the number of the sub-slice; otherwise sr0.0 has it, too. (Measured: code of
    /// kernels with private memory, ocloc 26.27.)
    bool subsliceInMessage = false;
    /// Dword of r0 that begins the 64-bit address of the indirect data, which the inline data begin with, too; 0: they
    /// are at the offset in `arguments`. (Measured: prologues for cri, ocloc 26.27.)
    std::uint8_t argumentsAddress = 0;
};

/// Opcodes by number. A number means the same on every architecture that has it.
struct OpcodeSet {
    std::array<std::uint64_t, 2> bits{};

    constexpr void add(Opcode opcode) noexcept {
        const auto number = static_cast<std::uint8_t>(opcode);
        bits[number / 64] |= std::uint64_t{1} << number % 64;
    }
    constexpr void remove(Opcode opcode) noexcept {
        const auto number = static_cast<std::uint8_t>(opcode);
        bits[number / 64] &= ~(std::uint64_t{1} << number % 64);
    }
    constexpr bool has(std::uint8_t number) const noexcept {
        return number < 128 && (bits[number / 64] >> number % 64 & 1) != 0;
    }
};

/// How assembly text calls them: architecture registers without their own number ("acc"), and the units that messages
/// go to.
using RegisterNames = std::array<std::string_view, 17>;
using FunctionNames = std::array<std::string_view, 16>;

/// Encodings of messages.
enum class MessageForm : std::uint8_t {
    send,  ///< 32-bit descriptor and extended descriptor, in the instruction or in a0
    /// The same, but to memory (ugm) a0 and a part in the instruction, the address's offset, are one extended
    /// descriptor. (visa/iga/IGALibrary/Backend/GED/Decoder.cpp, decodeSendInfoXe2, and measured: libiga64 2.40.14.)
    sendWithOffset,
};

/// Encodings of operands.
enum class OperandForm : std::uint8_t {
    eightBit,  ///< registers have numbers of eight bits; each source has a region
    nineBit,   ///< of nine bits; the second source has one bit for its region
};

struct Architecture {
    std::string_view name;   ///< in device profiles, timing models and messages: "xe-hpc"
    std::string_view title;  ///< in sentences: "Xe-HPC"

    // Registers
    std::uint32_t registerBytes = kRegisterBytes;
    std::span<const std::uint32_t> registerCounts;  ///< that a kernel can have, ascending
    std::uint32_t addressBytes = 32;                ///< of a0
    std::uint32_t scalarBytes = 0;                  ///< of s0; 0: there is none
    std::span<const std::uint32_t> subGroupSizes;   ///< lanes of a thread, ascending
    /// Lanes of 32 bits that an engine computes at once.
    std::uint32_t engineLanes = 0;
    /// The same of reals of 64 bits.
    std::uint32_t doubleLanes = 8;
    /// Cycles in which an engine multiplies one row by dpas.
    std::uint32_t matrixCycles = 1;

    std::uint32_t localBytes = 128 << 10;  ///< the most local memory of a group

    // Code
    OpcodeSet opcodes;
    const CompactionTables* compaction = nullptr;  ///< null: those of Xe3P, which are of another kind
    OperandForm operands = OperandForm::eightBit;
    MessageForm messages = MessageForm::send;
    ThreadStart start;

    // Names
    RegisterNames registerNames;               ///< by ArchitectureRegister
    FunctionNames functionNames;               ///< by SharedFunction
    std::uint32_t igaPlatform = 0;             ///< iga_gen_t of libiga64 (visa/iga/IGALibrary/api/iga.h)
    std::string_view nativeFormat;             ///< what Level Zero names its native binaries by; 16 characters
    const char* chip = nullptr;                ///< of emulated devices, by which metrics are planned (device_access.h)
    std::span<const Product* const> products;  ///< the first is the one of profiles that name none

    bool images = false;    ///< the emulated GPU has images and samplers
    bool executes = false;  ///< the emulated GPU can execute it; otherwise its code can only be read

    bool has(std::uint8_t opcode) const noexcept { return opcodes.has(opcode); }
    const Product& product() const noexcept { return *products.front(); }
    std::uint32_t widestThread() const noexcept { return subGroupSizes.back(); }
};

extern const Architecture kXeHpc;  ///< Data Center GPU Max
extern const Architecture kXe2;    ///< Battlemage, Lunar Lake
extern const Architecture kXe3;    ///< Panther Lake, Wildcat Lake, most of Nova Lake
extern const Architecture kXe3P;   ///< Crescent Island, Nova Lake P

extern const Product kPvc;
extern const Product kBmg;
extern const Product kLnl;
extern const Product kPtl;
extern const Product kWcl;
extern const Product kNvlS;
extern const Product kNvlU;
extern const Product kCri;
extern const Product kNvlP;

std::span<const Architecture* const> allArchitectures() noexcept;
/// Null if there is none of this name.
const Architecture* findArchitecture(std::string_view name) noexcept;
/// The product of this name; null if unknown.
const Product* findProduct(std::string_view name) noexcept;
/// The product with this version, whatever its revision; null if unknown.
const Product* findProduct(const IpVersion& ip) noexcept;
/// The product that a binary's notes name. A product family of 0 is not stated, and the core family decides; null if
/// both are unknown or 0.
const Product* findProduct(std::uint32_t productFamily, std::uint32_t coreFamily) noexcept;

}  // namespace zetl::isa::xe
