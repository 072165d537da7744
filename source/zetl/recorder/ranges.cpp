#include "recorder/ranges.h"

#include <algorithm>
#include <cstddef>

#include "recorder/live_stream.h"
#include "recorder/recording.h"

namespace zetl::recorder {
namespace {

using namespace command;

/// The open range of this thread that began last; null: none. Each range names the one around it.
constinit thread_local Record* innermost = nullptr;
/// How many ranges of this thread are open, and which of them are recorded: neither those that began while recording
/// was paused or full, nor those too deep for a bit of their own.
constinit thread_local std::uint64_t recorded = 0;
constinit thread_local std::uint32_t depth = 0;
constexpr std::uint32_t kMostDepth = 64;

/// As much of the text as there is room for, with its end.
char* append(char* at, const char* end, std::string_view text) {
    const auto size = std::min<std::size_t>(text.size(), static_cast<std::size_t>(end - at) - 1);
    text.copy(at, size);  // an empty one may have no memory
    at[size] = 0;
    return at + size + 1;
}

Record* addRange(std::string_view name, std::string_view domain) noexcept {
    const auto words = static_cast<std::uint16_t>(
        1 + std::min<std::size_t>((name.size() + domain.size() + 2 + 7) / 8, kMostNameWords));
    auto* record = Recording::addHere(kRange, words);
    if (!record) return nullptr;
    record->payload()[0] = Recording::placeOf(innermost);
    auto* text = reinterpret_cast<char*>(record->payload() + 1);
    const auto* end = reinterpret_cast<const char*>(record->payload() + words);
    text = append(text, end - 1, name);  // leaves a byte for the end of the domain
    append(text, end, domain);
    Recording::finish(record, now());
    return record;
}

}  // namespace

void openRange(std::string_view name, std::string_view domain) noexcept {
    auto* record = depth < kMostDepth && Recording::isOn() ? addRange(name, domain) : nullptr;
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
        innermost->end = now();
        LiveStream::range(reinterpret_cast<const char*>(innermost->payload() + 1),
                          innermost->begin.load(std::memory_order_relaxed), innermost->end);
        innermost = Recording::at(innermost->payload()[0]);
    } else {
        innermost = nullptr;
    }
}

std::uint32_t openRanges() noexcept { return depth; }

}  // namespace zetl::recorder
