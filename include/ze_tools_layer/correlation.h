// From a native binary back to what it was made of: kernels with their resources and machine code, and the source line
// of each instruction, with the calls that were inlined on the way to it.
//
//   std::string failure;
//   const auto binary = Binary::read({bytes, size}, failure);    // zeModuleGetNativeBinary, or zetModuleGetDebugInfo
//   for (const Kernel& kernel : binary->kernels())
//       for (const Instruction& instruction : binary->instructions(kernel))
//           for (const Place& place : binary->sourceOf(kernel, instruction.offset)) ...
//
// C++20, in libze_instrumentation.so. Nothing here throws but std::bad_alloc. A Binary may be read by one thread at a
// time.
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

/// A kernel, or the functions that kernels call, as the binary describes it. A count that it does not tell is 0.
struct Kernel {
    std::string name;
    bool launchable = true;          ///< false: functions
    std::uint64_t address = 0;       ///< of its code: on the device in a debug image, 0 in a native binary
    std::uint32_t codeBytes = 0;     ///< without the padding behind
    std::uint32_t simdWidth = 0;     ///< lanes of a thread; 0 for functions, and in debug data of patch tokens
    std::uint32_t registers = 0;     ///< of a thread, 64 bytes each; in a cubin of a lane, 4 bytes each
    std::uint32_t localBytes = 0;    ///< of a group
    std::uint32_t privateBytes = 0;  ///< of a work-item
    std::uint32_t spillBytes = 0;    ///< of a thread
    std::uint32_t barriers = 0;      ///< of a group; above 1: named ones
    bool callsThroughStack = false;  ///< calls functions that have frames in private memory
};

struct Instruction {
    std::uint32_t offset = 0;  ///< in bytes from the start of the kernel's code
    std::uint32_t bytes = 0;   ///< of its encoding: 16, or 8 where Intel's is compacted
    std::string text;          ///< assembly on one line; of a cubin its two 64-bit words
};

/// A place in the source. Lines and columns count from 1; 0: not known.
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
    /// zebin, a debug image of it, patch tokens, or their debug data (which know code and lines alone), or NVIDIA's
    /// cubin (names, code, lines; an instruction's text is its two words). The bytes are copied. Null and a failure
    /// that names the part if they are none of these.
    static std::unique_ptr<Binary> read(std::span<const std::uint8_t> bytes, std::string& failure);
    ~Binary();

    /// "zebin", "debug image", "patch tokens", "debug data of patch tokens", or "cubin".
    const std::string& container() const noexcept;
    const std::string& buildOptions() const noexcept;  ///< as the compiler recorded them
    const std::vector<Kernel>& kernels() const noexcept;

    /// Kernels are found by their names alone. What follows is empty for one that the binary does not have.
    /// Its machine code, with the padding behind; valid as long as this object.
    std::span<const std::uint8_t> code(const Kernel& kernel) const noexcept;
    std::vector<Instruction> instructions(const Kernel& kernel) const;
    /// The same in the words of Intel's disassembler, IGA, with scoreboard and messages: libiga64.so.1, which comes
    /// with the compiler and is opened by the first call. An instruction that it has no words for has ours.
    std::vector<Instruction> igaInstructions(const Kernel& kernel) const;
    /// The Xe-HPC instruction at the front of `code` in those words; empty if there are none. Any thread.
    static std::string igaText(std::span<const std::uint8_t> code);
    /// Why there are none; empty if IGA's library could be opened.
    static const std::string& withoutIga();

    /// Why there are no source lines: the module was built without -g, or libdw.so.1 cannot be opened. Empty if there
    /// are lines.
    const std::string& withoutLines() const noexcept;
    /// Where the instruction came from: its own place first, then the places from which the function of each was
    /// inlined. Empty where no line is known.
    std::vector<Place> sourceOf(const Kernel& kernel, std::uint32_t offset) const;
    /// Offsets of the instructions of a line. `file` is what sourceOf() calls it, or the end of that behind a '/'.
    std::vector<std::uint32_t> offsetsOf(const Kernel& kernel, const std::string& file, int line) const;

  private:
    std::unique_ptr<Content> content_;
    explicit Binary(std::unique_ptr<Content> content);
};

}  // namespace zetl::correlation

#endif
