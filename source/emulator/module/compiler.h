// Intel's graphics compiler: compiles SPIR-V or OpenCL C to a native binary, through libocloc.
//
// Each build runs in a process of its own (compiler/process.h); ZETL_COMPILER_LIBRARY names another library, and
// ZETL_COMPILER_SECONDS limits its processor time. Every function is thread-safe, and builds run beside each other.
// Results of earlier builds come from a cache on disk (compiler/build_cache.h); no other file is kept.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "binary/kernel_image.h"
#include "binary/outcome.h"
#include "binary/spirv.h"
#include "isa/xe/architecture.h"

namespace zetl::emulator::module {

inline constexpr std::uint64_t kMaxSourceBytes = 256ull << 20;

struct CompileRequest {
    enum class Language : std::uint8_t { spirv, openclC } language = Language::spirv;
    std::span<const std::uint8_t> source;
    std::string_view buildFlags;                         ///< as in ze_module_desc_t::pBuildFlags
    std::span<const binary::SpecValue> constants;        ///< SPIR-V only
    std::string_view device = zetl::isa::xe::kPvc.name;  ///< as the compiler calls it
    bool zebin = true;                                   ///< false: patch tokens
};

/// The result. On failure `binary` is empty, `outcome` has the reason, and `log` still has the compiler's messages.
struct CompileResult {
    binary::Bytes binary;
    std::string log;
    std::uint32_t profileFlags = 0;  ///< of -zet-profile-flags, for zetKernelGetProfileInfo
    binary::Outcome<binary::Done> outcome = binary::Done{};
    explicit operator bool() const noexcept { return static_cast<bool>(outcome); }
};

/// One SPIR-V module of a program.
struct ProgramPart {
    std::span<const std::uint8_t> spirv;
    std::string_view buildFlags;
    std::span<const binary::SpecValue> constants;
};

/// Links SPIR-V modules, so that exports of one resolve imports of another, and compiles the whole with the flags of
/// all. Causes of failure as for compile().
CompileResult compileProgram(std::span<const ProgramPart> parts, std::string_view device = zetl::isa::xe::kPvc.name);

/// Compiles. Causes of failure: compilerMissing, buildFailed, damaged (not SPIR-V), badArgument (a constant's size),
/// limit (source too large).
CompileResult compile(const CompileRequest& request);

}  // namespace zetl::emulator::module
