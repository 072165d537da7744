// Instrumentation of native binaries: a kernel's machine code is taken apart into basic blocks, instructions are
// inserted where registers are free, and a binary is written that the driver loads in place of the first.
//
//   std::string failure;
//   auto program = Program::read({image, bytes}, failure);
//   for (Section& section : program->sections())
//       for (const Block& block : section.blocks())
//           if (const auto code = countingCode(section, block.begin, counterAddress))
//               section.insertBefore(block.begin, *code);
//   const auto rewritten = program->write(failure);
//
// The device-access interface hands binaries over before they are loaded (rewrite_before_load, device_access.h);
// zeModuleGetNativeBinary gives those of a module. C++20, in libze_instrumentation.so. Offsets are in bytes from the
// start of a section's code as it was read; they keep their meaning while code is inserted. Nothing here throws but
// std::bad_alloc. Objects are used by one thread at a time.
//
// Intel's Xe-HPC code is known in full; of NVIDIA's, in cubins, the blocks are known and what counts them.
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

/// Xe-HPC of Intel's, in zebin and patch tokens; SASS of NVIDIA's, in cubins.
enum class InstructionSet : std::uint8_t { xe, sass };

/// Of Xe's registers.
inline constexpr std::uint32_t kRegisterBytes = 64;

/// Consecutive bytes of the register file: r1.4 is byte 68.
struct ByteRange {
    std::uint32_t start = 0;
    std::uint32_t count = 0;
    bool operator==(const ByteRange&) const = default;
};

/// Instructions that are executed one after the other, from the one at `begin` up to `end`.
struct Block {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::vector<std::uint32_t> successors;  ///< indices in Section::blocks()
    bool leaves = false;                    ///< goes on, perhaps, in code that is not in the section
};

/// The registers of a message: `address` with its length in registers, and what is stored; 0 registers: none.
struct MessageRegisters {
    std::uint32_t address = 0;
    std::uint32_t addressCount = 0;
    std::uint32_t data = 0;
    std::uint32_t dataCount = 0;
    std::uint32_t result = 0;
    std::uint32_t resultCount = 0;
    std::uint32_t lanes = 0;         ///< of the instruction
    std::uint32_t addressBytes = 0;  ///< of one lane's address in the payload; 0: the message takes none a lane
    bool accessesMemory = false;
};

/// Instructions to be inserted. Those that have a function here are Xe's. All are executed by one lane, or, where said,
/// by sixteen, whatever the execution mask is; none writes a flag. Each waits for what it needs of those before it.
/// Registers are numbers, 0 to 255. Numbers are put into the encoding unchecked: of a greater one the low eight bits
/// count, and an accumulator above 7 is another architecture register.
class ZETL_INSTRUMENTATION_API InsertedCode {
  public:
    InsertedCode() = default;
    /// Whole instructions, encoded elsewhere.
    InsertedCode(InstructionSet set, std::vector<std::uint8_t> bytes) : set_(set), bytes_(std::move(bytes)) {}

    /// Until no message reads or writes registers any more: before a free register is written that a message may still
    /// use.
    InsertedCode& waitForMessages();
    /// r.0:uq = value.
    InsertedCode& load(std::uint32_t target, std::uint64_t value);
    /// target.0 = source.0, 64 bits.
    InsertedCode& copy(std::uint32_t target, std::uint32_t source);
    /// target.0 = a.0 + b.0, 64 bits.
    InsertedCode& add(std::uint32_t target, std::uint32_t a, std::uint32_t b);
    /// target.0 = a.0 & b.0, 64 bits.
    InsertedCode& bitAnd(std::uint32_t target, std::uint32_t a, std::uint32_t b);
    /// target.0:ud = a.0:ud - b.0:ud.
    InsertedCode& subtract32(std::uint32_t target, std::uint32_t a, std::uint32_t b);
    /// target.0:ud = cycle counter, its low 32 bits.
    InsertedCode& readTime(std::uint32_t target);
    /// target.0:ud = lanes that are on.
    InsertedCode& readLanes(std::uint32_t target);
    /// The sixty-four bytes of a register into an accumulator, 0 to 7, and back.
    InsertedCode& save(std::uint32_t accumulator, std::uint32_t source);
    InsertedCode& restore(std::uint32_t target, std::uint32_t accumulator);
    /// Adds one to the 64-bit integer at the address in address.0. The register behind `address` must exist.
    InsertedCode& increment(std::uint32_t address);
    /// Adds addend.0 to it. With `result`, two registers from there hold the former value. Payloads are two registers
    /// each.
    InsertedCode& atomicAdd(std::uint32_t address, std::uint32_t addend, std::optional<std::uint32_t> result = {});
    /// `count` registers, 1, 2, 4 or 8 (not checked either), go to the address in address.0.
    InsertedCode& store(std::uint32_t address, std::uint32_t source, std::uint32_t count);
    /// Until the last message has read its payload, or has written its result.
    InsertedCode& waitForPayload();
    InsertedCode& waitForResult();

    InstructionSet instructionSet() const noexcept { return set_; }
    std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }

  private:
    InstructionSet set_ = InstructionSet::xe;
    std::vector<std::uint8_t> bytes_;
    InsertedCode& append(std::uint64_t low, std::uint64_t high);
};

/// The code of one kernel, or of functions that kernels call.
class ZETL_INSTRUMENTATION_API Section {
  public:
    struct Content;
    explicit Section(std::unique_ptr<Content> content);
    Section(Section&&) noexcept;
    ~Section();

    const std::string& name() const noexcept;
    InstructionSet instructionSet() const noexcept;
    bool isKernel() const noexcept;
    /// Lanes of a thread (a warp of CUDA's), 0 for functions. Registers of a thread: 128 or 256; in cubins 4-byte
    /// registers of a lane.
    std::uint32_t simdWidth() const noexcept;
    std::uint32_t registerCount() const noexcept;
    std::span<const std::uint8_t> code() const noexcept;

    /// Offsets of all instructions, ascending; and one of them as assembly, in cubins as its two words. Empty where no
    /// instruction begins.
    std::vector<std::uint32_t> instructions() const;
    std::string text(std::uint32_t offset) const;
    /// Of Xe only. Nothing where no message begins; of one whose registers are known at run time only, its lanes alone.
    std::optional<MessageRegisters> message(std::uint32_t offset) const;
    const std::vector<Block>& blocks() const noexcept;
    /// Why nothing can be inserted; empty if it can.
    const std::string& obstacle() const noexcept;

    /// Which registers are free is known of Xe only: the next four are empty for cubins. The first three are empty
    /// where no instruction begins. Bytes whose values nobody wants any more when the instruction begins: they may be
    /// overwritten there.
    std::vector<ByteRange> freeBefore(std::uint32_t offset) const;
    /// Registers all of whose bytes are free there, ascending.
    std::vector<std::uint32_t> freeRegisters(std::uint32_t offset) const;
    /// Accumulators that save() may overwrite there.
    std::vector<std::uint32_t> freeAccumulators(std::uint32_t offset) const;
    /// Bytes that no instruction reads or writes.
    std::vector<ByteRange> untouched() const;

    /// Every way to the instruction leads through the code, in the order of the calls. False: no instruction starts
    /// there, there is an obstacle, the code is of another instruction set or no whole instructions (of Xe also if it
    /// is empty or has a branch), or what follows depends on its distance from an instruction that reads the
    /// instruction pointer.
    bool insertBefore(std::uint32_t offset, const InsertedCode& code);
    /// Where the instruction will be in the written code, with what was inserted so far. An offset at which none begins
    /// moves, in Xe's code, by as much as the instruction that it lies in, and stays what it is in cubins.
    std::uint32_t movedTo(std::uint32_t offset) const;

    const Content& content() const noexcept { return *content_; }

  private:
    std::unique_ptr<Content> content_;
};

/// A native binary.
class ZETL_INSTRUMENTATION_API Program {
  public:
    struct Content;
    /// Null and a failure that names the part, if the bytes are no sound native binary. They are copied.
    static std::unique_ptr<Program> read(std::span<const std::uint8_t> binary, std::string& failure);
    ~Program();

    std::vector<Section>& sections() noexcept;
    /// The binary with what was inserted: symbols, relocations, line table, frames and start offsets moved along. Empty
    /// and a failure where that cannot be: patch tokens are not changed.
    std::vector<std::uint8_t> write(std::string& failure) const;

  private:
    std::unique_ptr<Content> content_;
    explicit Program(std::unique_ptr<Content> content);
};

/// Code that adds one to the 64-bit integer at a device address each time a thread comes to the instruction (of CUDA:
/// the lanes of a warp that come to it together). It takes registers that are free there, or else keeps one in the
/// accumulator meanwhile; in cubins, registers behind those of all kernels. Nothing if none is free, or where code of
/// another set is inserted.
ZETL_INSTRUMENTATION_API std::optional<InsertedCode> countingCode(const Section& section, std::uint32_t offset,
                                                                  std::uint64_t address);

}  // namespace zetl::instrumentation

#endif
