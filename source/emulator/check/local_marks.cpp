#include "emulator/check/local_marks.h"

#include <algorithm>
#include <new>

namespace zetl::emulator::check {

std::unique_ptr<LocalMarks> LocalMarks::make(std::uint64_t bytes) noexcept try {
    return std::unique_ptr<LocalMarks>(new LocalMarks(bytes / kGranule + 1));
} catch (const std::bad_alloc&) {
    return nullptr;
}

LocalMarks::LocalMarks(std::uint64_t count)
    : writers_(count), readers_(count), writeLines_(count), readLines_(count), readByMany_(count / kBlock + 1) {}

void LocalMarks::begin() noexcept {
    for (const std::uint64_t granule : barred_) writers_[granule] = 0;
    barred_.clear();
    if (generation_ < kLastGeneration) {
        ++generation_;
        return;
    }
    std::ranges::fill(writers_, 0);
    std::ranges::fill(readers_, 0);
    std::ranges::fill(readByMany_, 0);
    generation_ = 1;
}

void LocalMarks::bar(std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t granule = first; granule < std::min(end, count()); ++granule) {
        barred_.push_back(granule);
        writers_[granule] = kBarred;
    }
}

std::int32_t LocalMarks::packed(const Mark& mark) const noexcept {
    const auto epoch = static_cast<std::int32_t>(mark.epoch & Mark::kEpochMask);
    return generation_ << kGenerationAt | epoch << kEpochAt | mark.bytes << kBytesAt |
           (mark.thread << kThreadAt & kThread) | static_cast<std::int32_t>(mark.atomic) << 2 |
           static_cast<std::int32_t>(mark.whose);
}

Mark LocalMarks::unpacked(std::int32_t word, const Mark& now) const noexcept {
    if (word >> kGenerationAt != generation_) return {};
    Mark mark;
    mark.whose = static_cast<Whose>(word & kWhose);
    mark.atomic = (word >> 2 & 1) != 0;
    mark.thread = static_cast<std::uint8_t>((word & kThread) >> kThreadAt);
    mark.bytes = static_cast<std::uint8_t>(word >> kBytesAt & ((1 << kGranule) - 1));
    mark.epoch = static_cast<std::uint16_t>(word >> kEpochAt & static_cast<std::int32_t>(Mark::kEpochMask));
    mark.group = now.group;
    mark.launch = now.launch;
    return mark;
}

isa::LocalReads LocalMarks::reads(std::uint32_t epoch, std::uint32_t visible) noexcept {
    const Whole access = whole(Own{0, epoch, false}, visible, isa::kNoLine, false, false);
    if (access.visible == 0) return {};
    return {.dwords = static_cast<std::uint32_t>(count()),
            .writers = writers_.data(),
            .readers = readers_.data(),
            .lines = readLines_.data(),
            .visible = access.visible,
            .newer = access.newer,
            .one = access.own & ~kThread,
            .two = asSeveral(access.own) & ~kThread,
            .many = asMany(access.own),
            .kept = ~kThread};
}

// The compiler compares several at a time, because nothing depends on a single one.

bool LocalMarks::writeAtOnce(const Whole& access, std::uint64_t first, std::uint64_t end) noexcept {
    const std::int32_t* const writers = writers_.data();
    const std::int32_t* const readers = readers_.data();
    std::int32_t unclear = 0;
    for (std::uint64_t at = first; at < end; ++at)
        unclear |= static_cast<std::int32_t>(writers[at] >= access.visible) |
                   static_cast<std::int32_t>(readers[at] >= access.newer);
    if (unclear != 0) return false;
    std::fill(writers_.begin() + static_cast<std::ptrdiff_t>(first),
              writers_.begin() + static_cast<std::ptrdiff_t>(end), access.own);
    std::fill(writeLines_.begin() + static_cast<std::ptrdiff_t>(first),
              writeLines_.begin() + static_cast<std::ptrdiff_t>(end), access.line);
    return true;
}

bool LocalMarks::readAtOnce(const Whole& access, std::uint64_t first, std::uint64_t end) noexcept {
    const std::int32_t* const writers = writers_.data();
    std::int32_t* const readers = readers_.data();
    std::int32_t unclear = 0;
    std::int32_t read = 0;   // bits in which marks of readers differ from those of many
    std::int32_t newer = 0;  // somebody has read in this epoch
    const std::int32_t many = asMany(access.own);
    for (std::uint64_t at = first; at < end; ++at) {
        unclear |= static_cast<std::int32_t>(writers[at] >= access.visible);
        read |= (readers[at] & ~kThread) ^ many;
        newer |= static_cast<std::int32_t>(readers[at] >= access.newer);
    }
    if (unclear != 0) return false;
    if (read == 0) {
        for (std::uint64_t block = (first + kBlock - 1) / kBlock; block < end / kBlock; ++block)
            readByMany_[block] = many;
        return true;
    }
    if (newer != 0) return false;
    std::fill(readers + first, readers + end, access.own);
    std::fill(readLines_.begin() + static_cast<std::ptrdiff_t>(first),
              readLines_.begin() + static_cast<std::ptrdiff_t>(end), access.line);
    return true;
}

}  // namespace zetl::emulator::check
