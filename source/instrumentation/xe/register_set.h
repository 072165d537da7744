// Sets of register bytes, such as those that are read, written, live or free.
#pragma once

#include <ze_tools_layer/instrumentation.h>

#include <array>
#include <cstdint>
#include <vector>

#include "isa/xe/architecture.h"

namespace zetl::instrumentation {

/// The registers that carry values from one instruction to another, as one row of bytes.
namespace place {
using instrumentation::kRegisterBytes;
static_assert(kRegisterBytes == isa::xe::kRegisterBytes);
inline constexpr std::uint32_t kGeneral = 0;  ///< r0 to r255
inline constexpr std::uint32_t kGeneralBytes = 256 * kRegisterBytes;
inline constexpr std::uint32_t kAccumulator = kGeneral + kGeneralBytes;  ///< acc0 to acc15, extra precision included
inline constexpr std::uint32_t kAccumulatorBytes = 16 * kRegisterBytes;
inline constexpr std::uint32_t kFlag = kAccumulator + kAccumulatorBytes;  ///< f0 to f3
inline constexpr std::uint32_t kFlagBytes = 4;
inline constexpr std::uint32_t kFlags = 4;
inline constexpr std::uint32_t kAddress = kFlag + kFlagBytes * kFlags;  ///< a0
inline constexpr std::uint32_t kAddressBytes = 32;
inline constexpr std::uint32_t kEnd = kAddress + kAddressBytes;
}  // namespace place

/// A set of bytes. Bytes beyond the row are ignored.
class RegisterSet {
  public:
    static RegisterSet all() noexcept;

    void add(ByteRange range) noexcept;
    void remove(ByteRange range) noexcept;
    bool holds(std::uint32_t byte) const noexcept { return meets({byte, 1}); }
    bool meets(ByteRange range) const noexcept;

    RegisterSet& operator|=(const RegisterSet& other) noexcept;
    RegisterSet operator~() const noexcept;
    bool operator==(const RegisterSet&) const = default;

    /// The members below `end` from `begin` on, in as few ranges as possible, ascending.
    std::vector<ByteRange> ranges(std::uint32_t begin, std::uint32_t end) const;

  private:
    static constexpr std::uint32_t kBits = 64;
    std::array<std::uint64_t, (place::kEnd + kBits - 1) / kBits> words_{};  ///< one bit per byte

    /// Calls back with the word and the bits of it that the range covers, for each word until it says to stop.
    template <class F>
    static void eachWord(ByteRange range, F&& function) noexcept;
};

}  // namespace zetl::instrumentation
