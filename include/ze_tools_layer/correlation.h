// Reads native binaries: kernels with their resources and machine code, and the source line of each instruction,
// including the chain of inlined calls.
//
//   std::string failure;
//   const auto binary = Binary::read({bytes, size}, failure);    // zeModuleGetNativeBinary, or zetModuleGetDebugInfo
//   for (const Kernel& kernel : binary->kernels())
//       for (const Instruction& instruction : binary->instructions(kernel))
//           for (const Place& place : binary->sourceOf(kernel, instruction.offset)) ...
//
// C++20, in libze_instrumentation.so. Only std::bad_alloc is thrown. A Binary may be used by one thread at a time.
// Standard library types cross this interface: build the tool with the C++ standard library that the package was built
// with.
#ifndef ZE_TOOLS_LAYER_CORRELATION_H
#define ZE_TOOLS_LAYER_CORRELATION_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#ifndef ZETL_CORRELATION_API
#define ZETL_CORRELATION_API __attribute__((visibility("default")))
#endif

namespace zetl::correlation {

/// A kernel, or the functions that kernels call, as the binary describes it. A value that the binary lacks is 0.
struct Kernel {
    std::string name;
    bool launchable = true;          ///< false: functions that kernels call
    std::uint64_t address = 0;       ///< of the code: a device address in a debug image, 0 in a native binary
    std::uint32_t codeBytes = 0;     ///< size of the code without trailing padding
    std::uint32_t simdWidth = 0;     ///< lanes per thread; 0 for functions, and in debug data of patch tokens
    std::uint32_t registers = 0;     ///< per thread, 64 bytes each; in a cubin per lane, 4 bytes each
    std::uint32_t localBytes = 0;    ///< per work-group
    std::uint32_t privateBytes = 0;  ///< per work-item
    std::uint32_t spillBytes = 0;    ///< per thread
    std::uint32_t barriers = 0;      ///< per work-group; more than 1: named barriers
    bool callsThroughStack = false;  ///< calls functions whose frames are in private memory
};

struct Instruction {
    std::uint32_t offset = 0;  ///< in bytes from the start of the kernel's code
    std::uint32_t bytes = 0;   ///< size of the encoding: 16, or 8 for a compacted Intel instruction
    std::string text;          ///< assembly on one line; for a cubin, the two 64-bit words
};

/// A place in the source. Lines and columns count from 1; 0 means unknown.
struct Place {
    std::string function;
    std::string file;
    int line = 0;
    int column = 0;
    bool operator==(const Place&) const = default;
};

class ZETL_CORRELATION_API Binary {
  public:
    struct Content;
    /// Reads a zebin, its debug image, patch tokens, their debug data (code and lines only), or an NVIDIA cubin (names,
    /// code and lines; an instruction's text is its two words). Copies the bytes. Returns null if they are none of
    /// these or are damaged; `failure` then names the part.
    static std::unique_ptr<Binary> read(std::span<const std::uint8_t> bytes, std::string& failure);
    ~Binary();

    /// "zebin", "debug image", "patch tokens", "debug data of patch tokens", or "cubin".
    const std::string& container() const noexcept;
    const std::string& buildOptions() const noexcept;  ///< as recorded by the compiler
    const std::vector<Kernel>& kernels() const noexcept;

    /// The functions below find a kernel by its name. They return nothing for a kernel that the binary does not have.
    /// The kernel's machine code, with trailing padding; valid as long as this object.
    std::span<const std::uint8_t> code(const Kernel& kernel) const noexcept;
    std::vector<Instruction> instructions(const Kernel& kernel) const;
    /// As instructions(), with the text of Intel's disassembler IGA, which includes scoreboard and messages. The first
    /// call opens libiga64.so.1, which comes with Intel's compiler. An instruction that IGA rejects keeps our text.
    std::vector<Instruction> igaInstructions(const Kernel& kernel) const;
    /// IGA's text of the instruction at the front of `code`, which is of the device with this version
    /// (ze_device_ip_version_ext_t); empty if IGA has none, or the version is unknown. Thread-safe.
    static std::string igaText(std::span<const std::uint8_t> code, std::uint32_t ipVersion);
    /// Why igaInstructions() cannot show IGA's text; empty if it can.
    const std::string& withoutIga() const;

    /// Why there are no source lines: the module was built without -g, or libdw.so.1 cannot be opened. Empty if there
    /// are lines.
    const std::string& withoutLines() const noexcept;
    /// The source of an instruction: its own place first, then the places that it was inlined at, innermost first.
    /// Empty if no line is known.
    std::vector<Place> sourceOf(const Kernel& kernel, std::uint32_t offset) const;
    /// Offsets of the instructions of a line. `file` is a name as sourceOf() returns it, or its part behind any '/'.
    std::vector<std::uint32_t> offsetsOf(const Kernel& kernel, const std::string& file, int line) const;

  private:
    std::unique_ptr<Content> content_;
    explicit Binary(std::unique_ptr<Content> content);
};

}  // namespace zetl::correlation

#endif
