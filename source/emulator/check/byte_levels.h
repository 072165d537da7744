// How well bytes are defined, a byte for each.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>

#include "base/mutex.h"
#include "emulator/check/version.h"
#include "emulator/machine/memory.h"

namespace zetl::emulator::check {

/// From what a byte comes. Ordered: what comes of several is the highest of them.
enum class Level : std::uint8_t {
    defined,
    unwritten,  ///< nobody has written it; copies are no mistake
    partly,     ///< unwritten, but a mask has cleared some of its bits
    computed,   ///< of something unwritten
    chosen,     ///< by a condition that something unwritten decides
};

/// Levels of a stretch of memory of which nothing is written yet: zeroed pages that the host gives when they are
/// touched.
class MemoryLevels {
  public:
    /// Null if the host refuses.
    static std::unique_ptr<MemoryLevels> make(std::uint64_t bytes);
    ~MemoryLevels();
    MemoryLevels(const MemoryLevels&) = delete;
    MemoryLevels& operator=(const MemoryLevels&) = delete;

    /// Bytes behind the end are defined, and cannot be set.
    Level at(std::uint64_t offset) const noexcept {
        return offset < count_ ? static_cast<Level>(bytes_[offset] ^ kUnwritten) : Level::defined;
    }
    void set(std::uint64_t offset, Level level) noexcept {
        if (level != Level::defined) undefine(offset);
        if (offset < count_) bytes_[offset] = static_cast<std::uint8_t>(level) ^ kUnwritten;
    }
    void define(std::uint64_t offset, std::uint64_t bytes) noexcept {
        if (!isWhole()) defineSome(offset, bytes);
    }
    /// All of them are.
    bool defined(std::uint64_t offset, std::uint64_t bytes) const noexcept {
        if (isWhole()) return true;
        return bytes == sizeof(std::uint32_t) && count_ >= bytes && offset <= count_ - bytes
                   ? wordDefined(offset)
                   : someDefined(offset, bytes);
    }
    /// The same of dwords, by lane, with all lanes at once. False, with nothing done, if one lies behind the end.
    bool defineWords(std::span<const std::uint64_t, 32> offsets, std::uint32_t lanes) noexcept {
        if (!haveWords(offsets, lanes)) return false;
        if (!isWhole())
            eachOf(lanes, [&](std::uint32_t lane) { std::memcpy(bytes_ + offsets[lane], &kDefinedWord, kWord); });
        return true;
    }
    bool wordsDefined(std::span<const std::uint64_t, 32> offsets, std::uint32_t lanes) const noexcept {
        if (!haveWords(offsets, lanes)) return false;
        std::uint32_t differing = 0;
        if (!isWhole())
            eachOf(lanes, [&](std::uint32_t lane) {
                std::uint32_t levels = 0;
                std::memcpy(&levels, bytes_ + offsets[lane], kWord);
                differing |= levels ^ kDefinedWord;
            });
        return differing == 0;
    }
    void forget() noexcept;
    std::uint64_t count() const noexcept { return count_; }
    /// Every byte is defined, and somebody has noticed.
    bool isWhole() const noexcept { return isWhole_.load(std::memory_order_relaxed); }
    /// Looks whether it is, from where it was not the last time. Of levels that one host thread uses at a time.
    void lookFurther() noexcept;

  private:
    static constexpr std::size_t kWord = sizeof(std::uint32_t);
    static constexpr std::uint32_t kDefinedWord = 0x01010101;                                // as set() writes it
    static constexpr std::uint8_t kUnwritten = static_cast<std::uint8_t>(Level::unwritten);  // is zero in its pages
    MemoryLevels(std::uint8_t* bytes, std::uint64_t count) noexcept : bytes_(bytes), count_(count) {}
    void defineSome(std::uint64_t offset, std::uint64_t bytes) noexcept;
    bool someDefined(std::uint64_t offset, std::uint64_t bytes) const noexcept;
    bool wordDefined(std::uint64_t offset) const noexcept {
        std::uint32_t levels = 0;
        std::memcpy(&levels, bytes_ + offset, kWord);
        return levels == kDefinedWord;
    }
    bool haveWords(std::span<const std::uint64_t, 32> offsets, std::uint32_t lanes) const noexcept {
        if (count_ < kWord) return false;
        std::uint64_t outside = 0;  // has the highest bit if one of them is
        eachOf(lanes, [&](std::uint32_t lane) { outside |= offsets[lane] | (count_ - kWord - offsets[lane]); });
        return outside >> 63 == 0;
    }
    /// Most often all lanes are on, and the compiler takes several at once.
    template <class F>
    static void eachOf(std::uint32_t lanes, F&& f) noexcept {
        if (lanes == ~0u)
            for (std::uint32_t lane = 0; lane < 32; ++lane) f(lane);
        else
            for (; lanes != 0; lanes &= lanes - 1) f(static_cast<std::uint32_t>(std::countr_zero(lanes)));
    }
    void undefine(std::uint64_t offset) noexcept {
        isWhole_.store(false, std::memory_order_relaxed);
        if (offset < definedTo_.load(std::memory_order_relaxed)) definedTo_.store(offset, std::memory_order_relaxed);
    }
    std::uint8_t* const bytes_;
    const std::uint64_t count_;
    std::atomic<bool> isWhole_{false};
    std::atomic<std::uint64_t> definedTo_{0};  // bytes before it are, as lookFurther() has seen
};

/// Of allocations, by their ids. Thread-safe; levels of bytes that several threads write at once are one of theirs.
class LevelsOfAllocations {
  public:
    /// Lives until the allocation does not. Null if all of its bytes count as defined: memory that the host or others
    /// may write unseen, and memory for which the host has none, which is logged once.
    MemoryLevels* of(const machine::Allocation& allocation) noexcept;
    /// Another one when of() may give others: 1 or more.
    std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }
    /// Drops those of allocations that no longer exist. Call it while nothing is executed that uses of().
    void keepOnly(const machine::Memory& memory);

  private:
    MemoryLevels* found(const machine::Allocation& allocation) noexcept;

    std::atomic<std::uint64_t> version_{nextVersion()};  // of what threads remember of levels_
    Mutex mutex_;
    std::map<std::uint64_t, std::unique_ptr<MemoryLevels>> levels_ ZETL_GUARDED_BY(mutex_);
    bool refused_ ZETL_GUARDED_BY(mutex_) = false;
};

}  // namespace zetl::emulator::check
