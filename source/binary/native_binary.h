// Reads a native module from any of its containers.
#pragma once

#include <cstdint>
#include <span>

#include "binary/module_image.h"
#include "binary/outcome.h"
#include "isa/xe/architecture.h"

namespace zetl::binary {

// Limits on what a binary may ask for. They are far above what the compiler produces. A binary beyond them is refused
// with Cause::limit, since serving it would be slow.
inline constexpr std::uint64_t kMaxContainerBytes = 1ull << 30;
inline constexpr std::uint64_t kMaxCodeBytes = 256ull
                                               << 20;  ///< all kernels of a module; the instruction heap is 4 GiB
inline constexpr std::uint64_t kMaxDataBytes = 4ull << 30;
inline constexpr std::uint32_t kMaxKernels = 16384;
inline constexpr std::uint32_t kMaxArguments = 1024;          ///< of a kernel
inline constexpr std::uint32_t kMaxCrossThreadBytes = 8192;   ///< 128 registers
inline constexpr std::uint32_t kMaxSlmBytes = 384 << 10;      ///< of a group, on any device
inline constexpr std::uint32_t kMaxScratchBytes = 512 << 10;  ///< of a hardware thread, per buffer
inline constexpr std::uint32_t kMaxPrivateBytes = 64 << 20;   ///< of a lane or a thread, per buffer
inline constexpr std::uint32_t kMaxSymbols = 1 << 20;
inline constexpr std::uint32_t kMaxRelocations = 1 << 22;

/// The container that the bytes are in. Patch tokens lie bare or in an ELF file of their own; bytes that fit no
/// container count as patch tokens.
ModuleImage::Container containerOf(std::span<const std::uint8_t> bytes);

/// The product that the notes of a zebin name; that of Xe-HPC if they name none that is known, and for other
/// containers.
const isa::xe::Product& productOf(std::span<const std::uint8_t> bytes);

/// Reads zebin (ELF with .ze_info) or the older patch-token container, told apart by their contents; of an archive, the
/// member for `device`, the product that runs here. Never trusts a byte: damaged, oversized or foreign input gives an
/// Error. The bytes are copied. Thread-safe.
Outcome<ModulePointer> readNative(std::span<const std::uint8_t> bytes, const isa::xe::Product& device = isa::xe::kPvc);

/// readNative of what is no archive.
Outcome<ModulePointer> readBinary(std::span<const std::uint8_t> bytes, const isa::xe::Product& device = isa::xe::kPvc);

/// Reads one ELF zebin; readNative without the choice.
Outcome<ModulePointer> readZebin(std::span<const std::uint8_t> bytes, const isa::xe::Product& device = isa::xe::kPvc);

/// Reads the patch-token container, in its outer ELF or bare.
Outcome<ModulePointer> readPatchTokens(std::span<const std::uint8_t> bytes,
                                       const isa::xe::Product& device = isa::xe::kPvc);

}  // namespace zetl::binary
