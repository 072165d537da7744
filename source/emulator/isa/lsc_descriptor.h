// The descriptor of load/store cache (LSC) messages.
#pragma once

#include "emulator/isa/instruction.h"

namespace zetl::emulator::isa::lsc {

enum Operation : uint8_t {
    kLoad = 0,
    kLoadQuad = 2,
    kStore = 4,
    kStoreQuad = 6,
    kFirstAtomic = 8,
    kLastAtomic = 0x1a,
    kFence = 0x1f
};
enum Surface : uint8_t { kFlat, kBindless, kScratch, kBindingTable };
inline constexpr uint8_t kAddress32 = 2, kAddress64 = 3;
inline constexpr uint8_t kD32 = 2, kD64 = 3;
inline constexpr uint8_t kPayloadTable = 255;

/// A descriptor's fields with their meaning.
struct Descriptor {
    explicit Descriptor(const Message& m)
        : op(m.descriptor & 63),
          addressSize(m.descriptor >> 7 & 3),
          data(m.descriptor >> 9 & 7),
          vector(m.descriptor >> 12 & 7),
          components(m.descriptor >> 12 & 15),
          transposed(m.descriptor >> 15 & 1),
          surface(m.descriptor >> 29 & 3),
          local(m.function == SharedFunction::slm) {}
    uint8_t op, addressSize, data, vector, components;
    bool transposed;
    uint8_t surface;
    bool local;

    bool atomic() const { return op >= kFirstAtomic && op <= kLastAtomic; }
    bool quad() const { return op == kLoadQuad || op == kStoreQuad; }
    bool stores() const { return op == kStore || op == kStoreQuad; }
    uint32_t vectorLength() const {
        constexpr uint8_t lengths[] = {1, 2, 3, 4, 8, 16, 32, 64};
        return lengths[vector];
    }
    uint32_t memoryBytes() const {
        constexpr uint8_t bytes[] = {1, 2, 4, 8, 1, 2, 2, 0};
        return bytes[data];
    }
    uint32_t registerBytes() const {
        constexpr uint8_t bytes[] = {1, 2, 4, 8, 4, 4, 4, 0};
        return bytes[data];
    }
    uint32_t addressBytes() const { return addressSize == kAddress64 ? 8 : 4; }
};

}  // namespace zetl::emulator::isa::lsc
