// A kernel test as data: corpus/<name>.cl is the source, corpus/<name>.yaml says how to launch it and what to expect.
// docs/explanation/modules.md describes the format.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "element_type.h"

namespace zetl::kernels {

/// One kernel argument with its initial contents.
struct CaseArgument {
    enum class Kind : std::uint8_t { buffer, scalar, local } kind = Kind::buffer;
    const ElementType* type = nullptr;
    Bytes bytes;  ///< buffer contents, or the scalar's (or vector's, or struct's) value
    std::uint32_t localBytes = 0;
    Tolerance tolerance;            ///< of a buffer against the reference
    bool compared = true;           ///< false: the buffer's end state is no result
    std::optional<Bytes> expected;  ///< explicit expectation: the head of the buffer
    std::optional<Bytes> mistaken;  ///< the head that a compiler is known to make of it instead
};

/// One launch of one kernel.
struct CaseLaunch {
    std::string kernel;
    std::string referenceKernel;  ///< what PoCL runs instead; empty: nothing, only explicit expectations count
    std::array<std::uint32_t, 3> global{1, 1, 1};
    std::array<std::uint32_t, 3> local{1, 1, 1};
    std::array<std::uint32_t, 3> offset{0, 0, 0};
    std::uint32_t dimensions = 1;
    std::vector<CaseArgument> arguments;
    std::string expectedOutput;                   ///< of printf
    std::map<std::string, std::string> excluded;  ///< build variant to the reason why it cannot be right
    std::map<std::string, std::string> mistaken;  ///< build variant to the compilers' mistake that it may have
};

struct KernelCase {
    std::string name;
    std::string source;
    std::string options;           ///< for Intel's compiler, before those of the variant
    std::string referenceOptions;  ///< for PoCL
    std::vector<CaseLaunch> launches;
};

/// Reads corpus/<name>.yaml and the source beside it. Throws std::runtime_error that names file and key.
KernelCase readCase(const std::filesystem::path& yaml);

/// All cases of a directory, by name.
std::vector<std::filesystem::path> caseFiles(const std::filesystem::path& directory);

}  // namespace zetl::kernels
