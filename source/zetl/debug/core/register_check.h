// Whether one register of a variable's location holds the variable, by the instructions that wrote it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/assignments.h"
#include "core/code_flow.h"
#include "core/debug_info.h"
#include "core/type.h"

namespace zetl::debugger {

/// The variable, its place in the kernel's code, and what is known of both.
struct LocationQuestion {
    const CodeFlow& flow;
    const DebugInfo& debug;
    std::uint64_t begin = 0;  ///< of the kernel's code
    std::uint64_t body = 0;   ///< offset of its first line
    std::uint32_t now = 0;    ///< the instruction where the thread stands
    bool isRunning = true;    ///< the lane executes it
    std::uint64_t first = 0;  ///< offsets of the location's range, without what is before the body
    std::uint64_t end = 0;
    bool isArgument = false;              ///< of a function that was called: it has its value before the body
    instrumentation::ByteRange localIds;  ///< the registers in which the thread got them
    std::uint32_t given = 0;              ///< the end of the registers that are set when a thread starts
    std::vector<Scope> scopes{};          ///< from the variable's function outwards
    int callLine = 0;                     ///< of an inlined call, which gives its parameters their values
    std::set<int> linesOfOthers;          ///< which set other variables that are said to be in the same place
    const Type* type = nullptr;
    const AssigningLines& lines;
};

class RegisterCheck {
  public:
    /// `pitch`: bytes from lane to lane, 0 if all lanes share the register; nothing if that is not known.
    RegisterCheck(const LocationQuestion& question, instrumentation::ByteRange bytes,
                  std::optional<std::uint32_t> pitch);

    /// Why it is not to be trusted; empty: nothing is known against it.
    std::string doubt() const;

  private:
    std::uint64_t offsetOf(std::uint32_t number) const { return about_.flow.instruction(number).ip; }
    int lineOf(std::uint32_t number) const { return about_.debug.lineAt(about_.begin + offsetOf(number)).line; }
    bool isInside(std::uint32_t number) const;
    bool isOwnLine(int line) const;
    bool isOwn(std::uint32_t number) const;
    bool isConstantIn(const Scope& scope) const;
    bool isInCalled(std::uint32_t number) const;
    bool anyOwn(const std::vector<std::uint32_t>& writers) const;
    bool isOfOneValue(std::uint32_t number) const;
    bool isAsAtFirst(std::uint32_t number) const;
    bool goesAround(std::uint32_t number) const;
    bool mayBeOwn(std::uint32_t number) const;
    bool areOnOneLine(const std::vector<std::uint32_t>& writers) const;
    bool areOthersWritersBelieved() const;
    bool isOnDeclaration() const;
    bool isWrittenFrom(std::uint32_t number) const;
    bool holdsLocalIds() const;
    std::string nameOfRegister() const;
    std::string placeOf(std::uint32_t number) const;
    std::string layout(std::uint32_t written) const;

    std::string unwritten() const;
    std::string header() const;
    std::string heldByOther() const;
    std::string ofOtherVariable() const;
    std::string ofOtherSort() const;
    std::string ofOtherLanes() const;
    std::string overwritten() const;
    std::string notYet() const;
    std::string unfinished() const;
    std::string otherwiseLaidOut() const;

    const LocationQuestion& about_;
    const instrumentation::ByteRange bytes_;
    const std::optional<std::uint32_t> pitch_;
    const std::vector<std::uint32_t> last_;  ///< those that wrote it last
    const std::vector<std::uint32_t> all_;   ///< those in the location's range that write it
};

}  // namespace zetl::debugger
