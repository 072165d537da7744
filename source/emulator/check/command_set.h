// A set of commands, by their numbers: what happened before something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zetl::emulator::check {

/// Commands are numbered as they are submitted, from 1. Numbers far behind the newest member count as members, so that
/// a set stays small: what may be missed by that is a race of two commands with thousands between them.
class CommandSet {
  public:
    bool has(std::uint64_t command) const noexcept {
        if (command < begin_) return true;
        const std::uint64_t word = (command - begin_) / kBits;
        return word < words_.size() && (words_[word] >> (command % kBits) & 1) != 0;
    }
    void add(std::uint64_t command);
    void add(const CommandSet& other);

  private:
    static constexpr std::uint64_t kBits = 64;
    static constexpr std::size_t kMostWords = 128;

    /// Drops words from the front that are full, or too many.
    void settle();
    void drop(std::size_t words);

    std::uint64_t begin_ = 0;  // a multiple of kBits; all numbers below are members
    std::vector<std::uint64_t> words_{1};
};

}  // namespace zetl::emulator::check
