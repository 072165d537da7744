// The descriptor of load/store cache (LSC) messages.
#pragma once

#include "isa/xe/instruction.h"

namespace zetl::isa::xe::lsc {

enum Operation : std::uint8_t {
    kLoad = 0,
    kLoadStrided,
    kLoadQuad,
    kLoadBlock2d,
    kStore,
    kStoreStrided,
    kStoreQuad,
    kStoreBlock2d,
    kFirstAtomic = 8,
    kLastAtomic = 0x1a,
    kStoreUncompressed = 0x1c,
    kFence = 0x1f,
    kReserved = 0x3f
};
/// Behind these operations general messages have atomics on bf, numbered as those on f are.
inline constexpr std::uint8_t kFirstBrainAtomic = 0x21;
inline constexpr std::uint8_t kLastBrainAtomic = 0x25;
enum Surface : std::uint8_t { kFlat, kBindless, kScratch, kBindingTable };
inline constexpr std::uint8_t kAddress16 = 1;
inline constexpr std::uint8_t kAddress32 = 2;
inline constexpr std::uint8_t kAddress64 = 3;
inline constexpr std::uint8_t kD32 = 2;
inline constexpr std::uint8_t kD64 = 3;
inline constexpr std::uint8_t kD8InDword = 4;
inline constexpr std::uint8_t kD16InDword = 5;
inline constexpr std::uint8_t kPayloadTable = 255;
/// Scopes of fences, in the field that gives the kind of data in other messages.
inline constexpr std::uint8_t kGroupScope = 0;
inline constexpr std::uint8_t kDeviceScope = 3;

/// The fields of a descriptor and their meaning.
struct Descriptor {
    explicit Descriptor(const Message& m) noexcept;
    std::uint8_t op;
    std::uint8_t addressSize;
    std::uint8_t data;
    std::uint8_t vector;
    std::uint8_t components;
    bool packed;  ///< block2d: elements of a column share dwords
    bool transposed;
    std::uint8_t surface;
    bool local;
    /// Of general messages: the payload has offsets of 32 bits, to which the instruction adds an address of 64.
    bool narrowOffsets = false;
    bool signedOffsets = false;
    std::uint8_t scale = 1;         ///< by which offsets are multiplied; 0: one that the hardware does not have
    std::uint8_t surfaceIndex = 0;  ///< of general messages: the surface behind the one whose state is named

    bool atomic() const {
        return (op >= kFirstAtomic && op <= kLastAtomic) || (op >= kFirstBrainAtomic && op <= kLastBrainAtomic);
    }
    bool quad() const { return op == kLoadQuad || op == kStoreQuad; }
    bool strided() const { return op == kLoadStrided || op == kStoreStrided; }
    bool block2d() const { return op == kLoadBlock2d || op == kStoreBlock2d; }
    /// What is wrong with a two-dimensional block; null if the hardware has it. Elements that share dwords are smaller
    /// than these, and stores know one order.
    const char* block2dProblem() const {
        if (local || surface != kFlat) return "block2d of a surface in local memory or a table";
        if (data > kD64) return "block2d of this element size";
        if (packed && data >= kD32) return "block2d that packs elements of 32 bits or more";
        return stores() && (packed || transposed) ? "block2d that stores packed or transposed elements" : nullptr;
    }
    bool loads() const { return op <= kLoadBlock2d; }
    bool stores() const { return (op >= kStore && op <= kStoreBlock2d) || op == kStoreUncompressed; }
    /// True for a fence that orders only accesses that the threads of one group see.
    bool withinGroup() const { return local || data == kGroupScope; }
    std::uint32_t vectorLength() const {
        constexpr std::uint8_t lengths[] = {1, 2, 3, 4, 8, 16, 32, 64};
        return lengths[vector];
    }
    std::uint32_t memoryBytes() const {
        constexpr std::uint8_t bytes[] = {1, 2, 4, 8, 1, 2, 2, 0};
        return bytes[data];
    }
    std::uint32_t registerBytes() const {
        constexpr std::uint8_t bytes[] = {1, 2, 4, 8, 4, 4, 4, 0};
        return bytes[data];
    }
    std::uint32_t addressBytes() const { return 1u << addressSize; }
};

/// How many bytes the instruction's part of the extended descriptor moves each address; a block of two dimensions is
/// moved in both. (visa/iga/IGALibrary/Backend/Messages/MessageDecoderLSC.cpp, and measured: libiga64 2.40.14.)
std::int32_t addressOffset(const Message& m) noexcept;

/// By how many elements and rows the extended descriptor moves a block of two dimensions. (The same source.)
struct BlockOffset {
    std::int32_t x = 0;
    std::int32_t y = 0;
};
BlockOffset blockOffset(const Message& m) noexcept;

}  // namespace zetl::isa::xe::lsc
