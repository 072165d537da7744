// A mistake that was found, with all that is known of it. Facts alone: a printer decides what people see.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/kinds.h"

namespace zetl::check {

enum class Access : std::uint8_t { none, read, write, atomic };

/// One side of a mistake: an instruction of a thread.
struct Side {
    Access access = Access::none;
    std::string command;  ///< what accessed, if no thread of a kernel did: "memory copy", "host"; otherwise empty
    std::string kernel;
    std::uint64_t ip = 0;  ///< bytes from the kernel's first instruction
    std::string source;    ///< "file:line"; empty: the module has no lines
    /// "file:line (function)" where the function of `source` was inlined, and where each next function was.
    std::vector<std::string> inlinedAt;
    std::array<std::uint32_t, 3> group{};
    std::uint32_t thread = 0;  ///< number of the hardware thread in its group
    /// The work-item in its group, if one lane is to blame.
    std::optional<std::array<std::uint32_t, 3>> item;
};

/// A call of the program.
struct Call {
    std::string function;      ///< "zeMemFree"
    std::uint64_t thread = 0;  ///< the operating system's number of the thread that called
    std::string threadName{};  ///< empty if it has none
    std::string from{};        ///< "program+0x1234 (function)" for each caller; empty if that is not known
};

/// The allocation that an address belongs to, or the nearest.
struct Object {
    std::string kind;         ///< "device", "host", "shared", "local memory" ...
    std::uint64_t begin = 0;  ///< address; 0 for local memory
    std::uint64_t bytes = 0;
    std::int64_t offset = 0;  ///< of the access from `begin`
    std::string argument{};   ///< of the kernel, that points into it: "argument 1 (a)"; empty: none does
    std::string made{};       ///< where the program made it: "program+0x1234 (function)"; empty if that is not known
    std::optional<Call> freed{};  ///< which call freed it, if it was freed and that is known
};

/// Of the runs of a program under different orders of its groups and threads, those that showed a mistake.
struct Schedules {
    std::string first;       ///< the schedule that repeats it: a seed, "first" or "last"
    std::uint64_t seen = 1;  ///< how many showed it
};

struct Finding {
    Kind kind = Kind::fault;
    std::string message;      ///< a sentence without a full stop
    std::vector<Side> sides;  ///< the access that was found first, and for a race the one before it
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;  ///< of one lane's access
    std::optional<Object> object;
    std::string hint;
    std::vector<std::string> chain;        ///< of waits: why each is not over, the host's first
    std::uint64_t count = 1;               ///< how often it was seen at these instructions
    std::optional<Schedules> schedules{};  ///< nothing if the program ran once, in the usual order
    bool onlyWarns = false;                ///< a warning, although its kind is an error: devices let it pass
};

/// How bad it is.
inline Level levelOf(const Finding& finding) noexcept {
    const Level level = infoOf(finding.kind).level;
    return finding.onlyWarns ? std::min(level, Level::warning) : level;
}

/// A checked process writes one line for each finding into a file PID.jsonl. If there is no room for a line, the
/// process renames the file, so that it ends in this.
inline constexpr const char* kIncompleteSuffix = ".incomplete.jsonl";

/// One line of JSON, without its end. Text that is no UTF-8 is replaced.
std::string toJson(const Finding& finding);
/// Nothing for a line that toJson() did not make: such lines come from a process that may have been killed while it
/// wrote, or that is hostile.
std::optional<Finding> fromJson(const std::string& line);

}  // namespace zetl::check
