// A lowered piece of machine code: all the code of one module, shared by its kernels and functions.
//
// Immutable after lower() except for its watches, which may change while threads run it. Thread-safe. It must outlive
// every thread that is inside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/register_limit.h"
#include "emulator/isa/state_slots.h"
#include "isa/xe/architecture.h"
#include "isa/xe/instruction.h"

namespace zetl::emulator::isa {

struct Step;
struct Thread;
class LineObserver;

/// Lines number the instructions of a program from 0 in address order.
using Line = std::uint32_t;
inline constexpr Line kNoLine = ~0u;

struct LowerOptions {
    const Architecture* architecture = &kXeHpc;
    std::uint32_t base = 0;       ///< address of the first byte relative to the instruction base
    std::uint32_t registers = 0;  ///< that a thread has; code that names others is illegal. 0: as many as there can be
    std::vector<RegisterLimit> limits = {};  ///< of parts of the code, ascending; in front of the first, `registers`
    bool simd16 = true;  ///< prepare for kernels of this width; another width still runs, with its masks checked
    bool simd32 = true;
    bool markLines =
        false;  ///< give sync and nop a step of their own, so that breakpoints there do not slip to the next line
};

/// Adds the registers that executing the instruction may write.
void addWritten(StateSlots& slots, const Instruction& instruction);

/// How often an opcode or message form occurs in a program (not how often it was executed).
struct Usage {
    std::string name;
    Exactness exactness;
    std::uint32_t count;
};

class Program {
  public:
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    const Architecture& architecture() const noexcept;
    std::uint32_t base() const noexcept;
    std::uint32_t codeBytes() const noexcept;
    Line lineCount() const noexcept;
    /// The line whose instruction starts at `ip` (relative to the instruction base), or kNoLine.
    Line lineAt(std::uint32_t ip) const noexcept;
    std::uint32_t ipOf(Line line) const noexcept;
    const Instruction& instruction(Line line) const noexcept;

    /// Sorted by name. It lists all code: a kernel that lists something unsupported may never execute it.
    std::vector<Usage> usage() const;

    /// The observer is called before each execution of the line, on the worker that runs the thread. Several observers
    /// may watch one line, the same one only once. Takes effect for running threads within one quantum; an observer may
    /// be called until every thread that was inside the program at unwatch() has left resume().
    void watch(Line line, LineObserver& observer);
    void unwatch(Line line, LineObserver& observer);

    /// Threads stop before the line with Status::breakpoint. Visible to threads within one quantum.
    void setBreakpoint(Line line, bool on);
    bool hasBreakpoint(Line line) const noexcept;

    /// Registers that its lines may write; a thread leaves all others as they were when it began.
    StateSlots written() const noexcept;
    /// Registers whose former content a thread that enters at `ip` may see. `lanes` are on then; 0 if not all lanes of
    /// the kernel's width are.
    StateSlots readFirst(std::uint32_t ip, std::uint32_t lanes) const;

    class Code;  // internal: code.h
    const Code& code() const noexcept { return *code_; }
    Code& code() noexcept { return *code_; }
    explicit Program(std::unique_ptr<Code> code);

  private:
    std::unique_ptr<Code> code_;
};

/// Decodes and lowers `bytes` of machine code. Never fails: code that cannot be decoded or is not supported becomes a
/// line that faults when executed. Bytes are copied as needed. Time and memory are linear in the code size.
std::unique_ptr<Program> lower(std::span<const std::byte> code, const LowerOptions& options = {});

/// The host instruction set that programs lowered now will use: "avx512", "avx2" or "sse4". It is the best one that the
/// processor has, unless ZETL_EMULATOR_VECTORS names another.
std::string_view hostInstructionSet() noexcept;

}  // namespace zetl::emulator::isa
