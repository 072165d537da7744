// The types of a random kernel: OpenCL C's integers, float and double, alone and as vectors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zetl::random_kernels {

enum class Base : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };
inline constexpr int kBases = 10;

struct Type {
    Base base = Base::int32;
    int width = 1;  ///< 1, 2, 3, 4, 8 or 16

    std::uint32_t bits() const;
    bool isReal() const { return base >= Base::float32; }
    bool isSigned() const;
    bool isVector() const { return width > 1; }
    /// Integers that C turns into int before it computes.
    bool isPromoted() const { return !isVector() && bits() < 32; }
    std::string name() const;
    Type scalar() const { return {base, 1}; }
    Type of(Base other) const { return {other, width}; }
    Type asSigned() const;    ///< the signed integer of this size
    Type asUnsigned() const;  ///< the unsigned one
    bool operator==(const Type&) const = default;
};

inline constexpr Type kInt{Base::int32, 1};
inline constexpr Type kUint{Base::uint32, 1};

/// Values at which operations tend to go wrong, as OpenCL C literals of a scalar type. Reals without NaN.
const std::vector<std::string>& edges(Base base);

}  // namespace zetl::random_kernels
