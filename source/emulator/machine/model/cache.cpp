#include "emulator/machine/model/cache.h"

#include <algorithm>
#include <new>
#include <type_traits>

namespace zetl::emulator::machine {
namespace {

constexpr std::uint32_t kLatest = (1u << 31) - 1;

}  // namespace

Cache::Cache(Shape shape) noexcept
    : ways_(shape.ways),
      sets_(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(shape.bytes / shape.lineBytes / shape.ways))) {}

Cache::Cache(const Cache& other)
    : ways_(other.ways_), sets_(other.sets_), clock_(other.clock_), emptied_(other.emptied_) {
    if (!other.lines_) return;
    set(0);
    std::copy_n(other.lines_.get(), count(), lines_.get());
}

/// Ages fit 31 bits: when they run out, every line starts again as equally old.
std::uint32_t Cache::now() noexcept {
    if (clock_ == kLatest) {
        for (Way* way = lines_.get(); way != lines_.get() + count(); ++way) way->used = holds(*way) ? 1 : 0;
        clock_ = 1;
        emptied_ = 0;
    }
    return ++clock_;
}

Cache::Way* Cache::set(std::uint32_t line) {
    static_assert(std::is_trivially_copyable_v<Way>);
    if (!lines_) lines_.reset(static_cast<Way*>(std::calloc(count(), sizeof(Way))));
    if (!lines_) throw std::bad_alloc();
    return lines_.get() + std::size_t{line % sets_} * ways_;
}

Cache::Way* Cache::find(std::uint32_t line) {
    Way* const first = set(line);
    for (Way* way = first; way != first + ways_; ++way)
        if (way->line == line && holds(*way)) return way;
    return nullptr;
}

Cache::Result Cache::access(std::uint32_t line, Use use) {
    Way* way = find(line);
    Result result{.hit = way != nullptr};
    if (way == nullptr) {
        Way* const first = set(line);
        way = std::min_element(first, first + ways_, [](const Way& a, const Way& b) { return a.used < b.used; });
        result.wroteBack = holds(*way) && way->changed != 0;
        result.former = way->line;
        *way = {line, 0, 0};
    }
    way->used = now() & kLatest;
    if (use == Use::write) way->changed = 1;
    return result;
}

bool Cache::touch(std::uint32_t line) {
    Way* const way = find(line);
    if (way != nullptr) way->used = now() & kLatest;
    return way != nullptr;
}

void Cache::drop(std::uint32_t line) {
    if (Way* const way = find(line)) {
        way->used = 0;
        way->changed = 0;
    }
}

void Cache::clear() noexcept { emptied_ = clock_; }

}  // namespace zetl::emulator::machine
