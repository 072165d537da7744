#include "recorder/ranges.h"

#include "recorder/range_record.h"
#include "recorder/recording.h"

namespace zetl::recorder {
namespace {

/// The open range of this thread that began last; null: none. Each range names the one around it.
constinit thread_local Record* innermost = nullptr;
/// How many ranges of this thread are open, and which of them are recorded: neither those that began while recording
/// was paused or full, nor those too deep for a bit of their own.
constinit thread_local std::uint64_t recorded = 0;
constinit thread_local std::uint32_t depth = 0;
constexpr std::uint32_t kMostDepth = 64;

}  // namespace

void openRange(std::string_view name, std::string_view domain) noexcept {
    auto* record = depth < kMostDepth && Recording::isOn() ? addRange(name, domain, innermost, 0) : nullptr;
    if (record) innermost = record;
    if (depth < kMostDepth) {
        const auto bit = std::uint64_t(1) << depth;
        recorded = record ? recorded | bit : recorded & ~bit;
    }
    ++depth;
}

/// After a fork, the open ranges of the child belong to its parent.
void closeRange() noexcept {
    if (depth == 0) return;  // one too many
    --depth;
    if (depth >= kMostDepth || (recorded >> depth & 1) == 0) return;
    if (innermost && Recording::owns(innermost)) {
        finishRange(innermost);
        innermost = Recording::at(innermost->payload()[0]);
    } else {
        innermost = nullptr;
    }
}

std::uint32_t openRanges() noexcept { return depth; }

}  // namespace zetl::recorder
