// Something that builds an OpenCL C program and runs its kernels: the emulated GPU, or PoCL as reference.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernel_case.h"

namespace zetl::kernels {

/// A program built for one device.
class BuiltProgram {
  public:
    virtual ~BuiltProgram() = default;
    /// Runs a kernel to its end; the arguments' buffers hold the results afterwards. Returns what it printed. Throws
    /// std::runtime_error that names the call that failed and its code.
    virtual std::string run(const std::string& kernel, const CaseLaunch& launch,
                            std::vector<CaseArgument>& arguments) = 0;
    /// Of registers that a kernel has too few of, in memory. 0 if the device does not say.
    virtual std::uint32_t spilledBytes(const std::string&) { return 0; }
};

/// The form in which the driver gets a program. It compiles SPIR-V; the others are native binaries.
enum class Form : std::uint8_t { spirv, zebin, patchTokens };

/// The emulated GPU through the stock loader.
std::unique_ptr<BuiltProgram> buildForLevelZero(const std::string& source, const std::string& options, Form form);

/// The major version of the front end of the emulated GPU's compiler, by which versions of that can be told apart in
/// sources (__clang_major__): 13 in 22.43, 16 in 26.27.
std::uint32_t frontEndVersion();

/// True, with a line that says so, if the emulated GPU's compiler is older than the device.
bool compilerIsOlder();

/// PoCL through the OpenCL ICD loader.
std::unique_ptr<BuiltProgram> buildForPocl(const std::string& source, const std::string& options);

}  // namespace zetl::kernels
