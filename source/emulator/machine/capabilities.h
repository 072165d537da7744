// What devices report of arguments and atomics. Both Level Zero and OpenCL report it.
#pragma once

#include <cstdint>

namespace zetl::emulator::machine {

/// The largest size of all arguments of a kernel together, in bytes.
inline constexpr std::uint32_t kMaxArgumentBytes = 2048;

/// Atomics on floating-point numbers, by the bits that ze_device_fp_atomic_ext_flags_t and cl_ext_float_atomics share.
namespace float_atomics {

inline constexpr std::uint32_t kGlobalExchange = 1u << 0;
inline constexpr std::uint32_t kGlobalAdd = 1u << 1;
inline constexpr std::uint32_t kGlobalMinMax = 1u << 2;
inline constexpr std::uint32_t kLocalExchange = 1u << 16;
inline constexpr std::uint32_t kLocalAdd = 1u << 17;
inline constexpr std::uint32_t kLocalMinMax = 1u << 18;
inline constexpr std::uint32_t kExchange = kGlobalExchange | kLocalExchange;
inline constexpr std::uint32_t kMinMax = kGlobalMinMax | kLocalMinMax;

inline constexpr std::uint32_t kAll = kExchange | kMinMax | kGlobalAdd | kLocalAdd;

// Those of Xe-HPC as its drivers of 2022 report them.
inline constexpr std::uint32_t kOfHalves = kExchange | kMinMax;
inline constexpr std::uint32_t kOfFloats = kExchange | kGlobalAdd | kMinMax;
inline constexpr std::uint32_t kOfDoubles = kExchange | kGlobalAdd;

}  // namespace float_atomics
}  // namespace zetl::emulator::machine
