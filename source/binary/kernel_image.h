// What a native binary specifies for one kernel: how its threads are set up and where each argument goes.
//
// Plain data, filled by the container readers and never changed afterwards; readable from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zetl::binary {

using Bytes = std::vector<std::uint8_t>;

/// Resources and launch rules of a kernel or of an exported function.
struct ExecutionEnvironment {
    std::uint32_t simdSize = 0;           ///< lanes per thread: 16 or 32 on this device (1 for scalar kernels)
    std::uint32_t grfCount = 128;         ///< registers of 64 bytes per thread: 128 or 256
    std::uint32_t slmBytes = 0;           ///< local memory declared in the kernel; local arguments follow it
    std::uint32_t barrierCount = 0;       ///< above 1: named barriers are used
    std::uint32_t privateBytes = 0;       ///< per work item, informative; buffers are in memoryBuffers
    std::uint32_t spillBytes = 0;         ///< per thread, informative
    std::uint32_t inlineDataBytes = 0;    ///< head of the cross-thread data that arrives in a register
    std::uint32_t skipPerThreadLoad = 0;  ///< code offset at which threads start that find their local ids in registers
    std::array<std::uint32_t, 3> requiredGroupSize{};  ///< all 0: any
    std::uint32_t requiredSubGroupSize = 0;            ///< 0: chosen by the compiler
    std::array<std::uint8_t, 3> walkOrder{0, 1, 2};    ///< dimension that varies fastest first
    bool generatesLocalIds = false;  ///< local ids are made by the dispatcher, no per-thread block in memory
    bool hasStackCalls = false;
    bool hasGlobalAtomics = false;
    bool hasDpas = false;
    bool hasPrintf = false;                   ///< writes records to a printf buffer
    bool independentForwardProgress = false;  ///< sub-groups of a group progress independently
};

enum class PayloadKind : std::uint8_t {
    globalIdOffset,     ///< 3 x u32
    localSize,          ///< 3 x u32
    enqueuedLocalSize,  ///< 3 x u32
    groupCount,         ///< 3 x u32
    globalSize,         ///< 3 x u32
    workDimensions,     ///< u32
    pointer,            ///< a device address given as argument
    localPointer,       ///< an offset in the group's local memory, for a __local argument
    value,              ///< bytes of an argument passed by value
    privateBase,        ///< address of private memory for all hardware threads
    printfBuffer,       ///< address of the printf buffer
    implicitArguments,  ///< address of the implicit-argument record
    bufferOffset,       ///< offset of a buffer argument from its surface's base; always 0 here
    constantBase,       ///< address of the module's constants
    globalBase,         ///< address of the module's variables
    assertBuffer,       ///< address of the assertion buffer, 0 if there is none
    syncBuffer,         ///< address of the group synchronisation buffer
    scratchPointer,     ///< address of scratch memory
    inlineSampler,      ///< offset of the state of a sampler that the program declares
    indirectData,       ///< address of the data behind the inline ones; known when a group begins
};

/// One piece of the cross-thread data. A piece with size 0 is never listed.
struct PayloadArgument {
    PayloadKind kind;
    std::uint32_t offset = 0;  ///< in the cross-thread data
    std::uint32_t size = 0;    ///< bytes to write there
    /// Kernel argument index, for pointer, localPointer, value and bufferOffset; index of an inline sampler.
    std::uint32_t argument = 0;
    std::uint32_t sourceOffset = 0;     ///< first byte taken from the argument, or from the three numbers
    std::uint32_t localAlignment = 16;  ///< of a localPointer
};

/// The per-thread block that precedes a thread's code reading it.
struct PerThreadPayload {
    bool packedLocalIds = false;  ///< SIMD1 form: one u16 per dimension
    std::uint32_t offset = 0;
    std::uint32_t size = 0;  ///< whole registers of 64 bytes: three of u16 local ids, X, Y, Z, or one of packed ones
};

enum class MemoryKind : std::uint8_t { scratch, global, slm };
enum class MemoryUse : std::uint8_t { privateSpace, spillFill, single };

/// Memory that the dispatcher provides for each thread (or for each lane, if perLane).
struct MemoryBuffer {
    MemoryKind kind = MemoryKind::scratch;
    MemoryUse use = MemoryUse::single;
    std::uint32_t size = 0;
    std::uint32_t slot = 0;
    bool perLane = false;
};

enum class AddressSpace : std::uint8_t { none, global, local, constant, image, sampler };
enum class Access : std::uint8_t { none, readOnly, writeOnly, readWrite };

/// How one argument of the kernel is passed, from the payload; the list is dense, index = argument index.
struct KernelArgument {
    enum class Kind : std::uint8_t { unused, pointer, localPointer, value, image, sampler };
    Kind kind = Kind::unused;
    AddressSpace space = AddressSpace::none;
    Access access = Access::none;
    std::uint32_t size = 0;  ///< bytes of the value the caller must give (by value: end of the last piece taken)
};

/// An image argument as its pieces of the payload find it: the bytes of the argument. What is not told stays 0.
struct ImageArgument {
    std::uint64_t state = 0;  ///< offset of the surface state
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t depth = 0;
    std::uint32_t layers = 0;
    std::uint32_t channelType = 0;   ///< as OpenCL numbers them
    std::uint32_t channelOrder = 0;  ///< the same
    std::uint32_t samples = 0;
    std::uint32_t levels = 0;
    std::uint64_t handle = 0;  ///< as the program gave it
};

/// The same of a sampler argument.
struct SamplerArgument {
    std::uint64_t state = 0;       ///< offset of the sampler state
    std::uint32_t address = 0;     ///< how coordinates outside are treated, as compiled code numbers it
    std::uint32_t normalized = 0;  ///< 8: coordinates are fractions of the size
    std::uint32_t snap = 0;        ///< all ones: coordinates below zero are to become -1
    std::uint32_t unused = 0;
    std::uint64_t handle = 0;  ///< as the program gave it
};

/// A sampler that the program declares as a constant.
struct InlineSampler {
    enum class Address : std::uint8_t { none, repeat, clampToEdge, clampToBorder, mirror };
    std::uint32_t index = 0;
    Address address = Address::none;
    bool linear = false;
    bool normalized = false;
};

/// What the source states about one argument (zeKernelGetArgumentName, reflection). Empty texts if unknown.
struct ArgumentReflection {
    std::uint32_t index = 0;
    std::string name;
    std::string typeName;
    std::string addressQualifier;
    std::string accessQualifier;
    std::string typeQualifiers;
    std::uint32_t typeBytes = 0;
};

/// A range of registers that the kernel leaves alone, in bytes of the linear register file.
struct FreeRegisters {
    std::uint32_t start = 0;
    std::uint32_t count = 0;
};

/// An instruction that reads (or, written = true, writes) registers through an address register.
struct IndirectAccess {
    std::uint32_t instructionOffset = 0;
    bool written = false;
    std::uint32_t start = 0;
    std::uint32_t bytes = 0;
};

/// Contents of the instrumentation record (.gtpin_info.<kernel>), present only if it was asked for at build time.
struct GtpinInfo {
    std::uint32_t version = 0;
    bool registersReallocated = false;
    bool hasRegisterInfo = false;
    std::uint32_t scratchBytes = 0;
    std::optional<std::uint32_t> registerCount;
    std::optional<std::uint32_t> perThreadPrologueBytes;
    std::optional<std::uint32_t> crossThreadPrologueBytes;
    std::vector<FreeRegisters> freeRegisters;
    std::vector<IndirectAccess> indirectAccesses;
    Bytes raw;  ///< the record as stored
};

/// The strings that a kernel prints, by the numbers that its records have.
using NumberedStrings = std::map<std::uint32_t, std::string>;

/// One kernel of a module.
struct KernelImage {
    std::string name;
    std::uint32_t codeSection = 0;  ///< index in ModuleImage::code
    ExecutionEnvironment environment;
    std::vector<PayloadArgument> payload;
    std::optional<PerThreadPayload> perThread;
    std::vector<MemoryBuffer> memoryBuffers;
    std::vector<InlineSampler> inlineSamplers;
    std::vector<KernelArgument> arguments;
    std::vector<ArgumentReflection> reflection;
    std::string attributes;  ///< source attributes, separated by blanks, as zeKernelGetSourceAttributes returns them
    std::optional<GtpinInfo> gtpin;
    NumberedStrings printfStrings;        ///< of patch tokens; zebin prints by address
    std::uint32_t crossThreadBytes = 0;   ///< end of the last payload piece, rounded up to 32
    bool needsImplicitArguments = false;  ///< r0.0 must point at an implicit-argument record (payload.h)
    /// Not 0: the kernel makes no room for such a record, but calls functions, perhaps of other modules, that look for
    /// one at r0.0. When it reaches this offset in its code, it has read its own arguments.
    std::uint32_t recordFrom = 0;
    std::string unsupported;  ///< not empty: the reason why the kernel cannot be launched on this device (images, say)

    /// True if its functions read an implicit-argument record, in any of the ways to find it.
    bool hasImplicitArguments() const noexcept;
    /// True if it takes images or samplers, or declares samplers.
    bool usesImages() const noexcept;
    /// True if it needs a printf buffer, because it prints or calls functions that might.
    bool mayPrint() const noexcept;
    /// Scratch bytes a hardware thread needs; 0 if none.
    std::uint32_t scratchBytes() const noexcept;
    /// Bytes of private memory a hardware thread needs behind privateBase; 0 if none.
    std::uint64_t privateBytesPerThread() const noexcept;
};

}  // namespace zetl::binary
