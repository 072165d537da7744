// The fields of message steps: one struct for each family of handlers. Lowering fills it in, encode() writes it into a
// Step, and of() reads it back for the handler; no other code uses those fields.
//
// A family's Form chooses its handler; places are byte offsets in Thread::state.
#pragma once

#include <bit>
#include <tuple>

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/step.h"
#include "isa/xe/atomic_operation.h"
#include "isa/xe/memory_space.h"

namespace zetl::emulator::isa {

/// For a family with one handler.
struct OneForm {
    static constexpr std::size_t kCount = 1;
    constexpr std::size_t index() const noexcept { return 0; }
};

/// A load or store by each lane at its own address.
struct LaneAccess {
    struct Form {
        MemorySpace space;
        bool write;
        std::uint8_t data;  ///< data size as encoded in the descriptor
        bool whole;         ///< no lane is off
        static constexpr std::size_t kDataSizes = 8;
        static constexpr std::size_t kCount = kLaneSpaces * 2 * kDataSizes * 2;
        constexpr std::size_t index() const noexcept {
            return ((indexOf(space) * 2 + write) * kDataSizes + data) * 2 + whole;
        }
    };
    std::uint32_t addresses;
    std::uint32_t registers;  ///< the data to store, or the result
    std::uint32_t components;
    std::uint32_t componentBytes;  ///< of registers

    void encode(Step& s) const noexcept {
        s.src[0] = addresses;
        s.dst = registers;
        s.kind = static_cast<std::uint8_t>(components);
        s.value = static_cast<std::int32_t>(componentBytes);
    }
    static LaneAccess of(const Step& s) noexcept {
        return {.addresses = static_cast<std::uint32_t>(s.src[0]),
                .registers = s.dst,
                .components = s.kind,
                .componentBytes = static_cast<std::uint32_t>(s.value)};
    }
};

/// The addresses of all lanes from a base and a pitch.
struct StridedAddresses {
    using Form = OneForm;
    std::uint32_t payload;
    std::uint32_t addresses;  ///< the result
    std::uint32_t addressBytes;

    void encode(Step& s) const noexcept {
        s.src[0] = payload;
        s.dst = addresses;
        s.size = static_cast<std::uint8_t>(addressBytes);
    }
    static StridedAddresses of(const Step& s) noexcept {
        return {.payload = static_cast<std::uint32_t>(s.src[0]), .addresses = s.dst, .addressBytes = s.size};
    }
};

/// One run of memory for all lanes.
struct BlockAccess {
    using Form = OneForm;
    MemorySpace space;
    bool write;
    bool wideAddress;  ///< addresses have 64 bits
    std::uint32_t address;
    std::uint32_t registers;
    std::uint32_t bytes;

    void encode(Step& s) const noexcept {
        s.src[0] = address;
        s.dst = registers;
        s.value = static_cast<std::int32_t>(bytes);
        s.kind = static_cast<std::uint8_t>(space);
        s.size = write;
        s.stride = wideAddress;
        s.mask.lanes = 1;
    }
    static BlockAccess of(const Step& s) noexcept {
        return {.space = static_cast<MemorySpace>(s.kind),
                .write = s.size != 0,
                .wideAddress = s.stride != 0,
                .address = static_cast<std::uint32_t>(s.src[0]),
                .registers = s.dst,
                .bytes = static_cast<std::uint32_t>(s.value)};
    }
};

/// A block of scratch memory at a fixed offset, regardless of the lanes that are on.
struct ScratchAccess {
    using Form = OneForm;
    bool write;
    std::uint32_t offset;
    std::uint32_t registers;
    std::uint32_t bytes;

    void encode(Step& s) const noexcept {
        s.src[0] = offset;
        s.dst = registers;
        s.value = static_cast<std::int32_t>(bytes);
        s.size = write;
    }
    static ScratchAccess of(const Step& s) noexcept {
        return {.write = s.size != 0,
                .offset = static_cast<std::uint32_t>(s.src[0]),
                .registers = s.dst,
                .bytes = static_cast<std::uint32_t>(s.value)};
    }
};

/// Two-dimensional blocks of a surface that the payload describes.
struct Block2dAccess {
    using Form = OneForm;
    bool write;
    bool transposed;
    bool packed;  ///< elements of a column share dwords
    std::uint32_t elementBytes;
    std::uint32_t payload;
    std::uint32_t registers;
    std::uint32_t registerBytes;  ///< size of the registers for which the message states to have room
    std::int32_t right = 0;       ///< elements by which the message moves the blocks
    std::int32_t down = 0;        ///< and rows

    void encode(Step& s) const noexcept {
        s.src[0] = payload;
        s.src[1] = static_cast<std::uint32_t>(right);
        s.src[2] = static_cast<std::uint32_t>(down);
        s.dst = registers;
        s.value = static_cast<std::int32_t>(registerBytes);
        s.size = static_cast<std::uint8_t>(elementBytes);
        const unsigned bits = unsigned{write} | unsigned{transposed} << 1 | unsigned{packed} << 2;
        s.kind = static_cast<std::uint8_t>(bits);
        s.mask.lanes = 1;
    }
    static Block2dAccess of(const Step& s) noexcept {
        return {.write = (s.kind & 1) != 0,
                .transposed = (s.kind & 2) != 0,
                .packed = (s.kind & 4) != 0,
                .elementBytes = s.size,
                .payload = static_cast<std::uint32_t>(s.src[0]),
                .registers = s.dst,
                .registerBytes = static_cast<std::uint32_t>(s.value),
                .right = static_cast<std::int32_t>(s.src[1]),
                .down = static_cast<std::int32_t>(s.src[2])};
    }
};

/// An atomic operation by each lane at its own address.
struct AtomicAccess {
    struct Form {
        std::uint8_t elementBytes;  ///< 2, 4, 8
        std::uint8_t addressBytes;  ///< 4, 8
        static constexpr std::size_t kCount = 3 * 2;
        constexpr std::size_t index() const noexcept {
            return (static_cast<std::size_t>(std::countr_zero(elementBytes)) - 1) * 2 + (addressBytes == 8);
        }
    };
    MemorySpace space;
    AtomicOperation operation;
    bool wanted;  ///< the old values are wanted
    std::uint32_t addresses;
    std::uint32_t operands;
    std::uint32_t result;
    std::uint32_t secondOperand;  ///< bytes from the first operand to the second

    void encode(Step& s) const noexcept {
        s.src[0] = addresses;
        s.src[1] = operands;
        s.dst = result;
        s.kind = static_cast<std::uint8_t>(operation);
        s.size = static_cast<std::uint8_t>(space);
        s.stride = wanted;
        s.value = static_cast<std::int32_t>(secondOperand);
    }
    static AtomicAccess of(const Step& s) noexcept {
        return {.space = static_cast<MemorySpace>(s.size),
                .operation = static_cast<AtomicOperation>(s.kind),
                .wanted = s.stride != 0,
                .addresses = static_cast<std::uint32_t>(s.src[0]),
                .operands = static_cast<std::uint32_t>(s.src[1]),
                .result = s.dst,
                .secondOperand = static_cast<std::uint32_t>(s.value)};
    }
};

/// A family's handlers in one table, by Form::index(); null where the hardware has no such form.
template <class Family>
struct Handlers {
    Handler run[Family::Form::kCount];

    constexpr Handler of(const typename Family::Form& form) const noexcept {
        return form.index() < Family::Form::kCount ? run[form.index()] : nullptr;
    }
};
using MessageHandlers = std::tuple<Handlers<LaneAccess>, Handlers<StridedAddresses>, Handlers<BlockAccess>,
                                   Handlers<ScratchAccess>, Handlers<Block2dAccess>, Handlers<AtomicAccess>>;

/// Selects the memory window of the thread that the message uses.
inline void setWindow(Step& s, std::uint32_t window) noexcept { s.extra = window; }
inline std::uint32_t windowOf(const Step& s) noexcept { return s.extra % kMemoryWindows; }

}  // namespace zetl::emulator::isa
