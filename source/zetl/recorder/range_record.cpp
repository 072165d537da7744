#include "recorder/range_record.h"

#include <algorithm>
#include <cstddef>

#include "recorder/live_stream.h"

namespace zetl::recorder {
namespace {

using namespace command;

/// As much of the text as there is room for, with its end.
char* append(char* at, const char* end, std::string_view text) {
    const auto size = std::min<std::size_t>(text.size(), static_cast<std::size_t>(end - at) - 1);
    text.copy(at, size);  // an empty one may have no memory
    at[size] = 0;
    return at + size + 1;
}

}  // namespace

Record* addRange(std::string_view name, std::string_view domain, const Record* around, std::uint32_t thread) noexcept {
    const auto words = static_cast<std::uint16_t>(
        1 + std::min<std::size_t>((name.size() + domain.size() + 2 + 7) / 8, kMostNameWords));
    auto* record = thread != 0 ? Recording::add(kRange, words, thread) : Recording::addHere(kRange, words);
    if (!record) return nullptr;
    record->payload()[0] = Recording::placeOf(around);
    auto* text = reinterpret_cast<char*>(record->payload() + 1);
    const auto* end = reinterpret_cast<const char*>(record->payload() + words);
    text = append(text, end - 1, name);  // leaves a byte for the end of the domain
    append(text, end, domain);
    Recording::finish(record, now());
    return record;
}

void finishRange(Record* range) noexcept {
    range->end = now();
    LiveStream::range(reinterpret_cast<const char*>(range->payload() + 1), range->begin.load(std::memory_order_relaxed),
                      range->end);
}

}  // namespace zetl::recorder
