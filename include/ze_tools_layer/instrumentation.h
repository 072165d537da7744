// Instruments native binaries: splits a kernel's machine code into basic blocks, inserts instructions that use free
// registers, and writes a binary that the driver loads instead of the original.
//
//   std::string failure;
//   auto program = Program::read({image, bytes}, failure);
//   for (Section& section : program->sections())
//       for (const Block& block : section.blocks())
//           if (const auto code = countingCode(section, block.begin, counterAddress))
//               section.insertBefore(block.begin, *code);
//   const auto rewritten = program->write(failure);
//
// Binaries come from the device-access interface before they are loaded (rewrite_before_load, device_access.h), or from
// zeModuleGetNativeBinary. Offsets are bytes from the start of a section's code as it was read; they keep their meaning
// while code is inserted.
//
// C++20, in libze_instrumentation.so. Only std::bad_alloc is thrown. An object may be used by one thread at a time.
// Standard library types cross this interface: build the tool with the C++ standard library that the package was built
// with.
//
// Intel's code is fully decoded: Xe-HPC, Xe2. For NVIDIA cubins, only basic blocks and block counters are supported.
#ifndef ZE_TOOLS_LAYER_INSTRUMENTATION_H
#define ZE_TOOLS_LAYER_INSTRUMENTATION_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#ifndef ZETL_INSTRUMENTATION_API
#define ZETL_INSTRUMENTATION_API __attribute__((visibility("default")))
#endif

namespace zetl::instrumentation {

/// xe: Intel's, from Xe-HPC on, in zebins and patch tokens. sass: NVIDIA SASS, in cubins.
enum class InstructionSet : std::uint8_t { xe, sass };

/// The size of an Intel GPU's register.
inline constexpr std::uint32_t kRegisterBytes = 64;

/// Consecutive bytes of the register file: r1.4 is byte 68.
struct ByteRange {
    std::uint32_t start = 0;
    std::uint32_t count = 0;
    bool operator==(const ByteRange&) const = default;
};

/// A basic block: the instructions in [begin, end).
struct Block {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::vector<std::uint32_t> successors;  ///< indices in Section::blocks()
    bool leaves = false;                    ///< may continue in code outside the section
};

/// The registers of a message: address payload, data payload and result. A count of 0 means none.
struct MessageRegisters {
    std::uint32_t address = 0;
    std::uint32_t addressCount = 0;
    std::uint32_t data = 0;
    std::uint32_t dataCount = 0;
    std::uint32_t result = 0;
    std::uint32_t resultCount = 0;
    std::uint32_t lanes = 0;         ///< execution size of the instruction
    std::uint32_t addressBytes = 0;  ///< size of one lane's address in the payload; 0: no address per lane
    bool accessesMemory = false;
};

/// Instructions to insert. The functions below append Intel instructions, encoded alike for every architecture. Each
/// one is executed by a single lane (where stated, by sixteen) regardless of the execution mask, writes no flag, and
/// waits for the results that it needs from the instructions before it. Registers are numbers from 0 to 255. Numbers
/// are not checked: only the low eight bits of a larger one are encoded, and an accumulator above 7 encodes a different
/// architecture register.
class ZETL_INSTRUMENTATION_API InsertedCode {
  public:
    InsertedCode() = default;
    /// Takes whole instructions that were encoded elsewhere.
    InsertedCode(InstructionSet set, std::vector<std::uint8_t> bytes) : set_(set), bytes_(std::move(bytes)) {}

    /// Waits until no message reads or writes registers. Call it before writing a free register that a message may
    /// still use.
    InsertedCode& waitForMessages();
    /// target.0:uq = value.
    InsertedCode& load(std::uint32_t target, std::uint64_t value);
    /// target.0 = source.0, 64 bits.
    InsertedCode& copy(std::uint32_t target, std::uint32_t source);
    /// target.0 = a.0 + b.0, 64 bits.
    InsertedCode& add(std::uint32_t target, std::uint32_t a, std::uint32_t b);
    /// target.0 = a.0 & b.0, 64 bits.
    InsertedCode& bitAnd(std::uint32_t target, std::uint32_t a, std::uint32_t b);
    /// target.0:ud = a.0:ud - b.0:ud.
    InsertedCode& subtract32(std::uint32_t target, std::uint32_t a, std::uint32_t b);
    /// target.0:ud = the low 32 bits of the cycle counter.
    InsertedCode& readTime(std::uint32_t target);
    /// target.0:ud = the mask of active lanes.
    InsertedCode& readLanes(std::uint32_t target);
    /// Copy all 64 bytes of a register to an accumulator, 0 to 7, and back.
    InsertedCode& save(std::uint32_t accumulator, std::uint32_t source);
    InsertedCode& restore(std::uint32_t target, std::uint32_t accumulator);
    /// Atomically adds one to the 64-bit integer at the address in address.0. Register `address` + 1 must exist.
    InsertedCode& increment(std::uint32_t address);
    /// Atomically adds addend.0 to the 64-bit integer at the address in address.0. With `result`, two registers from
    /// there receive the previous value. Each payload occupies two registers.
    InsertedCode& atomicAdd(std::uint32_t address, std::uint32_t addend, std::optional<std::uint32_t> result = {});
    /// Stores `count` registers at the address in address.0. `count` is 1, 2, 4 or 8, and is not checked.
    InsertedCode& store(std::uint32_t address, std::uint32_t source, std::uint32_t count);
    /// Wait until the last message has read its payload, or has written its result.
    InsertedCode& waitForPayload();
    InsertedCode& waitForResult();

    InstructionSet instructionSet() const noexcept { return set_; }
    std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }

  private:
    InstructionSet set_ = InstructionSet::xe;
    std::vector<std::uint8_t> bytes_;
    InsertedCode& append(std::uint64_t low, std::uint64_t high);
};

/// The code of one kernel, or of the functions that kernels call.
class ZETL_INSTRUMENTATION_API Section {
  public:
    struct Content;
    explicit Section(std::unique_ptr<Content> content);
    Section(Section&&) noexcept;
    ~Section();

    const std::string& name() const noexcept;
    InstructionSet instructionSet() const noexcept;
    bool isKernel() const noexcept;
    /// Lanes per thread (per warp in cubins); 0 for functions.
    std::uint32_t simdWidth() const noexcept;
    /// Registers per thread, 128 or 256; in cubins 4-byte registers per lane.
    std::uint32_t registerCount() const noexcept;
    std::span<const std::uint8_t> code() const noexcept;

    /// Offsets of all instructions, ascending.
    std::vector<std::uint32_t> instructions() const;
    /// The assembly text of one instruction; in cubins its two words. Empty if no instruction begins there.
    std::string text(std::uint32_t offset) const;
    /// The message at `offset`, Xe only. Empty if no message begins there. If its registers are only known at run time,
    /// only `lanes` is set.
    std::optional<MessageRegisters> message(std::uint32_t offset) const;
    const std::vector<Block>& blocks() const noexcept;
    /// Why code cannot be inserted into this section; empty if it can.
    const std::string& obstacle() const noexcept;

    /// The next four functions are for Xe only and return nothing for cubins. The first three return nothing if no
    /// instruction begins at the offset.
    /// Bytes of the register file that are dead when the instruction begins, and may be overwritten there.
    std::vector<ByteRange> freeBefore(std::uint32_t offset) const;
    /// Registers whose bytes are all free there, ascending.
    std::vector<std::uint32_t> freeRegisters(std::uint32_t offset) const;
    /// Accumulators that save() may overwrite there.
    std::vector<std::uint32_t> freeAccumulators(std::uint32_t offset) const;
    /// Bytes of the register file that no instruction reads or writes.
    std::vector<ByteRange> untouched() const;

    /// Inserts code that runs on every path to the instruction. Code inserted by several calls runs in the order of the
    /// calls. Returns false if no instruction begins at the offset, if there is an obstacle(), if the code is for the
    /// other instruction set or is not whole instructions (for Xe also if it is empty or contains a branch), or if the
    /// code that follows depends on its distance from an instruction that reads the instruction pointer.
    bool insertBefore(std::uint32_t offset, const InsertedCode& code);
    /// Where the instruction will be in the written code, given the insertions so far. An offset inside an Xe
    /// instruction moves with that instruction; in cubins, an offset at which no instruction begins is returned as is.
    std::uint32_t movedTo(std::uint32_t offset) const;

    const Content& content() const noexcept { return *content_; }

  private:
    std::unique_ptr<Content> content_;
};

/// A native binary.
class ZETL_INSTRUMENTATION_API Program {
  public:
    struct Content;
    /// Copies the bytes. Returns null if they are not a sound native binary; `failure` then names the part.
    static std::unique_ptr<Program> read(std::span<const std::uint8_t> binary, std::string& failure);
    ~Program();

    std::vector<Section>& sections() noexcept;
    /// Returns the binary with the inserted code; symbols, relocations, line table, frames and start offsets are
    /// adjusted. Returns nothing and sets `failure` if that is impossible; patch tokens cannot be rewritten.
    std::vector<std::uint8_t> write(std::string& failure) const;

  private:
    std::unique_ptr<Content> content_;
    explicit Program(std::unique_ptr<Content> content);
};

/// Returns code that atomically adds one to the 64-bit integer at a device address each time a thread reaches the
/// instruction (in cubins: each time lanes of a warp reach it together). The code uses registers that are free there,
/// or saves one in an accumulator; in cubins it uses registers above those of all kernels. Returns nothing if no
/// register is free, or if code of another instruction set was already inserted there.
ZETL_INSTRUMENTATION_API std::optional<InsertedCode> countingCode(const Section& section, std::uint32_t offset,
                                                                  std::uint64_t address);

}  // namespace zetl::instrumentation

#endif
