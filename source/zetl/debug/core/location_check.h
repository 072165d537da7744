// Whether variables of optimised code are where the compiler's debug information says.
//
// Compilers name a register for a range of code, and in that range give the register to other values, or compute the
// variable later. Which instructions wrote the register last, on which lines, and how, shows that. Lines that set the
// variable are found in the source text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/assignments.h"
#include "core/frame.h"

namespace zetl::debugger {

/// For one session: keeps what it learns about source texts.
class LocationCheck {
  public:
    explicit LocationCheck(SourceText& source) : source_(source) {}

    bool trusts() const noexcept { return trusts_; }
    /// All locations are believed as they stand.
    void setTrust(bool trusts) noexcept { trusts_ = trusts; }

    /// Other code may be where there was some.
    void forgetCode() { known_.clear(); }

    /// Why the variable's location, in code of Intel's GPUs, is not to be trusted where the frame stands; empty:
    /// nothing is known against it. `here` and `beside`: the location for the lane, and for another one. `isRunning`:
    /// the lane executes the instruction there. `sharing`: other variables that are said to be in the same place.
    std::string doubtOf(const Variable& variable, const Frame& frame, const isa::xe::Architecture& architecture,
                        const Location& here, const Location& beside, bool isRunning,
                        const std::vector<Variable>& sharing);

  private:
    const AssigningLines& linesOf(const Variable& variable, const Frame& frame);

    SourceText& source_;
    bool trusts_ = false;
    std::size_t directories_ = 0;  ///< to look into for source texts, when this was found out:
    /// Answers by address, scope, name, line of the declaration, first byte, count of bytes, their pitch, and whether
    /// the lane runs.
    std::map<
        std::tuple<std::uint64_t, std::size_t, std::string, int, std::uint32_t, std::uint32_t, std::uint32_t, bool>,
        std::string>
        known_;
    /// By file, line of the declaration, name, and number of directories to look into.
    std::map<std::tuple<std::string, int, std::string, std::size_t>, AssigningLines> lines_;
};

}  // namespace zetl::debugger
