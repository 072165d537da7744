// What a thread that looks at accesses found last: a lock for each access would be most of what checks cost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace zetl::emulator::check {

/// How many of a kind a thread remembers. Few: a library that a program loads late has little room for variables of
/// threads (glibc keeps 1,664 bytes for all such libraries), and is refused if it needs more.
inline constexpr std::size_t kFoundLast = 4;

/// The few of a kind of values that the calling thread found last, by numbers.
template <class Value>
class FoundLast {
  public:
    /// The value of that number, or what find() gives, which may be null. Values found under another version are
    /// forgotten.
    template <class Find>
    static Value* of(std::uint64_t version, std::uint64_t number, Find&& find) noexcept {
        thread_local std::array<FoundLast, kFoundLast> all{};
        FoundLast& one = all[number % kFoundLast];
        if (one.version_ != version || one.number_ != number) one = FoundLast(version, number, find());
        return one.value_;
    }

    constexpr FoundLast() noexcept = default;

  private:
    FoundLast(std::uint64_t version, std::uint64_t number, Value* value) noexcept
        : version_(version), number_(number), value_(value) {}

    std::uint64_t version_ = 0;
    std::uint64_t number_ = 0;
    Value* value_ = nullptr;
};

/// What find() gave this thread last, at this place in the program, if that was for the same key; otherwise what it
/// gives now, which is not null. Values found under another version are forgotten.
template <class Key, class Find>
auto foundLast(std::uint64_t version, const Key* key, Find&& find) -> decltype(find()) {
    struct Known {
        std::uint64_t version = 0;
        const Key* key = nullptr;
        decltype(find()) value = nullptr;
    };
    thread_local Known known;
    if (known.version != version || known.key != key) known = {version, key, find()};
    return known.value;
}

}  // namespace zetl::emulator::check
