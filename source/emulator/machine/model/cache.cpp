#include "emulator/machine/model/cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace zetl::emulator::machine {
namespace {

constexpr std::uint32_t kChanged = 1;

constexpr std::uint32_t tagOf(std::uint32_t line) noexcept { return (line + 1) << 1; }

std::uint32_t* zeros(std::size_t count) {
    void* const memory = std::calloc(count, sizeof(std::uint32_t));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<std::uint32_t*>(memory);
}

/// The first becomes `tag`; those before `end` move one back.
void putFirst(std::uint32_t* ways, std::uint32_t end, std::uint32_t tag) noexcept {
    std::memmove(ways + 1, ways, end * sizeof *ways);
    ways[0] = tag;
}

}  // namespace

Cache::Cache(Shape shape) noexcept
    : number_(shape.ways),
      sets_(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(shape.bytes / shape.lineBytes / shape.ways))),
      mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0) {}

Cache::Cache(const Cache& other)
    : number_(other.number_), sets_(other.sets_), mask_(other.mask_), generation_(other.generation_) {
    if (!other.ways_) return;
    set(0);
    std::copy_n(other.ways_.get(), std::size_t{sets_} * number_, ways_.get());
    std::copy_n(other.filledIn_.get(), sets_, filledIn_.get());
}

std::uint32_t* Cache::set(std::uint32_t line) {
    if (!ways_) {
        Zeros<std::uint32_t> filledIn(zeros(sets_));
        ways_.reset(zeros(std::size_t{sets_} * number_));
        filledIn_ = std::move(filledIn);
    }
    const std::uint32_t number = setOf(line);
    std::uint32_t* const ways = ways_.get() + std::size_t{number} * number_;
    if (filledIn_[number] != generation_) {
        filledIn_[number] = generation_;
        std::fill_n(ways, number_, 0);
    }
    return ways;
}

/// Its way, or the number of ways.
std::uint32_t Cache::find(const std::uint32_t* ways, std::uint32_t line) const noexcept {
    const std::uint32_t tag = tagOf(line);
    std::uint32_t way = 0;
    while (way < number_ && (ways[way] & ~kChanged) != tag) ++way;
    return way;
}

Cache::Result Cache::access(std::uint32_t line, Use use) {
    std::uint32_t* const ways = set(line);
    const std::uint32_t changed = use == Use::write ? kChanged : 0;
    const std::uint32_t way = find(ways, line);
    if (way == 0) {
        ways[0] |= changed;
        return {.hit = true};
    }
    if (way != number_) {
        putFirst(ways, way, ways[way] | changed);
        return {.hit = true};
    }
    const std::uint32_t last = ways[number_ - 1];
    putFirst(ways, number_ - 1, tagOf(line) | changed);
    return {.hit = false, .wroteBack = (last & kChanged) != 0, .former = (last >> 1) - 1};
}

bool Cache::touch(std::uint32_t line) {
    std::uint32_t* const ways = set(line);
    const std::uint32_t way = find(ways, line);
    if (way == number_) return false;
    putFirst(ways, way, ways[way]);
    return true;
}

void Cache::drop(std::uint32_t line) {
    std::uint32_t* const ways = set(line);
    const std::uint32_t way = find(ways, line);
    if (way == number_) return;
    std::memmove(ways + way, ways + way + 1, (number_ - way - 1) * sizeof *ways);
    ways[number_ - 1] = 0;
}

void Cache::clear() noexcept {
    if (++generation_ != 0) return;
    // So often that old generations come again.
    generation_ = 1;
    ways_.reset();
    filledIn_.reset();
}

}  // namespace zetl::emulator::machine
