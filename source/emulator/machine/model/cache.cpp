#include "emulator/machine/model/cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace zetl::emulator::machine {
namespace {

using cache_set::Loop;
using cache_set::Quarters;
using cache_set::Vectors;
using cache_set::Whole;

constexpr std::uint32_t kChanged = 1;
constexpr std::size_t kSetAlignment = 64;  // at which sets begin, so that one of sixteen ways is one line of the host's

constexpr std::uint32_t tagOf(std::uint32_t line) noexcept { return (line + 1) << 1; }

}  // namespace

Cache::Cache(Shape shape, Vectors vectors) noexcept
    : number_(shape.ways),
      sets_(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(shape.bytes / shape.lineBytes / shape.ways))),
      mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0),
      vectors_(number_ == cache_set::kWays ? vectors : Vectors::none) {}

Cache::Cache(const Cache& other)
    : number_(other.number_),
      sets_(other.sets_),
      mask_(other.mask_),
      vectors_(other.vectors_),
      generation_(other.generation_) {
    if (other.ways_ == nullptr) return;
    take();
    std::memcpy(ways_, other.ways_, bytesOfWays());
    std::copy_n(other.filledIn_, sets_, filledIn_);
}

void Cache::take() {
    const std::size_t bytes = kSetAlignment + bytesOfWays() + sets_;
    memory_.reset(static_cast<std::byte*>(std::calloc(bytes, 1)));
    if (!memory_) throw std::bad_alloc();
    void* begin = memory_.get();
    std::size_t left = bytes;
    ways_ = static_cast<std::uint32_t*>(std::align(kSetAlignment, bytesOfWays(), begin, left));
    filledIn_ = reinterpret_cast<std::uint8_t*>(ways_) + bytesOfWays();
}

inline std::uint32_t* Cache::set(std::uint32_t line) noexcept {
    const std::uint32_t number = setOf(line);
    std::uint32_t* const ways = ways_ + std::size_t{number} * number_;
    if (filledIn_[number] != generation_) {
        filledIn_[number] = generation_;
        std::fill_n(ways, number_, 0);
    }
    return ways;
}

template <class Set>
inline Cache::Result Cache::accessBy(const Set& by, std::uint32_t line, Use use) noexcept {
    std::uint32_t* const ways = set(line);
    const std::uint32_t changed = use == Use::write ? kChanged : 0;
    const std::uint32_t way = by.find(ways, tagOf(line), kChanged);
    if (way != by.ways) {
        by.putFirst(ways, way, ways[way] | changed);
        return {.hit = true};
    }
    const std::uint32_t last = ways[by.ways - 1];
    by.putFirst(ways, by.ways - 1, tagOf(line) | changed);
    return {.hit = false, .wroteBack = (last & kChanged) != 0, .former = (last >> 1) - 1};
}

template <class Set>
inline std::uint64_t Cache::readBy(const Set& by, Lines lines) noexcept {
    std::uint64_t hits = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) hits |= std::uint64_t{accessBy(by, lines[i], Use::read).hit} << i;
    return hits;
}

template <class Set>
inline std::uint64_t Cache::touchBy(const Set& by, Lines lines) noexcept {
    std::uint64_t hits = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::uint32_t* const ways = set(lines[i]);
        const std::uint32_t way = by.find(ways, tagOf(lines[i]), kChanged);
        if (way == by.ways) continue;
        by.putFirst(ways, way, ways[way]);
        hits |= std::uint64_t{1} << i;
    }
    return hits;
}

// Separate functions, into which those of the vectors are inlined.
[[gnu::target("avx512f")]] Cache::Result Cache::accessByWhole(std::uint32_t line, Use use) noexcept {
    return accessBy(Whole(), line, use);
}
[[gnu::target("avx512f")]] std::uint64_t Cache::readByWhole(Lines lines) noexcept { return readBy(Whole(), lines); }
[[gnu::target("avx512f")]] std::uint64_t Cache::touchByWhole(Lines lines) noexcept { return touchBy(Whole(), lines); }

Cache::Result Cache::access(std::uint32_t line, Use use) {
    if (ways_ == nullptr) take();
    switch (vectors_) {
        case Vectors::whole:
            return accessByWhole(line, use);
        case Vectors::quarters:
            return accessBy(Quarters(), line, use);
        case Vectors::none:
            break;
    }
    return accessBy(Loop{number_}, line, use);
}

std::uint64_t Cache::read(Lines lines) {
    if (ways_ == nullptr) take();
    switch (vectors_) {
        case Vectors::whole:
            return readByWhole(lines);
        case Vectors::quarters:
            return readBy(Quarters(), lines);
        case Vectors::none:
            break;
    }
    return readBy(Loop{number_}, lines);
}

std::uint64_t Cache::touch(Lines lines) {
    if (ways_ == nullptr) take();
    switch (vectors_) {
        case Vectors::whole:
            return touchByWhole(lines);
        case Vectors::quarters:
            return touchBy(Quarters(), lines);
        case Vectors::none:
            break;
    }
    return touchBy(Loop{number_}, lines);
}

void Cache::drop(std::uint32_t line) {
    if (ways_ == nullptr) return;
    std::uint32_t* const ways = set(line);
    const std::uint32_t way = Loop{number_}.find(ways, tagOf(line), kChanged);
    if (way == number_) return;
    std::memmove(ways + way, ways + way + 1, (number_ - way - 1) * sizeof *ways);
    ways[number_ - 1] = 0;
}

void Cache::clear() noexcept {
    if (++generation_ != 0) return;
    // So often that old generations come again.
    generation_ = 1;
    memory_.reset();
    ways_ = nullptr;
}

}  // namespace zetl::emulator::machine
