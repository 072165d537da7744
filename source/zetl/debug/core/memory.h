// The debuggee's memory as users see it: without the breakpoints in its code.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/instruction.h"
#include "core/link.h"
#include "core/location.h"

namespace zetl::debugger {

/// With the count of bytes, what stands before the address, and the address.
inline constexpr char kUnreadable[] =
    "cannot read {} bytes at {}{:#x}: no allocation has them all; info args shows where buffers begin";

class Memory {
  public:
    explicit Memory(Link& link) : link_(link) {}

    /// While it lives, memory is read in large pieces, each once: an expression reads many bytes near each other.
    class Together {
      public:
        explicit Together(const Memory& memory) : memory_(memory) { ++memory_.together_; }
        ~Together() {
            if (--memory_.together_ == 0) memory_.pieces_.clear();
        }
        Together(const Together&) = delete;
        Together& operator=(const Together&) = delete;

      private:
        const Memory& memory_;
    };

    /// Nothing if any of it cannot be read.
    std::optional<Bytes> read(std::uint64_t address, std::size_t bytes) const;
    bool write(std::uint64_t address, const Bytes& data);
    /// The local memory of the thread's work-group; offsets from its beginning.
    std::optional<Bytes> readLocal(const ThreadId& thread, std::uint64_t offset, std::size_t bytes) const;
    bool writeLocal(const ThreadId& thread, std::uint64_t offset, const Bytes& data);
    /// A space of one thread (ze_tools_layer/lane_memory.h).
    std::optional<Bytes> readOwn(const ThreadId& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                                 std::size_t bytes) const;
    bool writeOwn(const ThreadId& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                  const Bytes& data);

    /// The instruction without our breakpoint.
    std::optional<Instruction> instruction(std::uint64_t address) const;

    /// Breakpoints are counted: each insertion needs one removal. False if there is no code.
    bool insertBreakpoint(std::uint64_t address);
    void removeBreakpoint(std::uint64_t address);
    bool hasBreakpoint(std::uint64_t address) const { return inserted_.contains(address); }
    unsigned insertionsAt(std::uint64_t address) const {
        const auto known = inserted_.find(address);
        return known == inserted_.end() ? 0 : known->second.count;
    }
    /// Clears a breakpoint bit that the compiler left on an instruction, which would stop every thread.
    void clearMark(std::uint64_t address);
    void forget(std::uint64_t begin, std::uint64_t end);

  private:
    std::optional<Bytes> raw(std::uint64_t address, std::size_t bytes) const;
    /// Bytes of one piece; nothing if they must be read by themselves.
    std::optional<Bytes> ofPiece(std::uint64_t address, std::size_t bytes) const;
    bool setBreakpoint(std::uint64_t address, const BreakpointCode& code, bool on);
    std::optional<BreakpointCode> setByAddress(std::uint64_t address, const Instruction& original);
    void hideBreakpoints(std::uint64_t address, Bytes& data, bool on) const;

    Link& link_;
    struct Inserted {
        unsigned count;
        BreakpointCode code;
        bool byAddress;
    };
    std::map<std::uint64_t, Inserted> inserted_;
    mutable unsigned together_ = 0;
    mutable std::map<std::uint64_t, Bytes> pieces_;  ///< by address; empty: it cannot be read as a whole
};

}  // namespace zetl::debugger
