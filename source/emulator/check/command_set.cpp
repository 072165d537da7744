#include "emulator/check/command_set.h"

#include <algorithm>

namespace zetl::emulator::check {

void CommandSet::add(std::uint64_t command) {
    if (command < begin_) return;
    const auto word = static_cast<std::size_t>((command - begin_) / kBits);
    if (word >= words_.size() + kMostWords) {  // so far ahead that all before it is dropped
        begin_ = command / kBits * kBits;
        words_.assign(1, std::uint64_t{1} << (command % kBits));
        return;
    }
    if (word >= words_.size()) words_.resize(word + 1);
    words_[word] |= std::uint64_t{1} << (command % kBits);
    settle();
}

void CommandSet::add(const CommandSet& other) {
    if (other.begin_ > begin_) drop(static_cast<std::size_t>((other.begin_ - begin_) / kBits));
    const auto skipped = static_cast<std::size_t>((begin_ - other.begin_) / kBits);
    if (skipped < other.words_.size()) {
        words_.resize(std::max(words_.size(), other.words_.size() - skipped));
        for (std::size_t i = skipped; i < other.words_.size(); ++i) words_[i - skipped] |= other.words_[i];
    }
    settle();
}

void CommandSet::drop(std::size_t words) {
    begin_ += words * kBits;
    words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(std::min(words, words_.size())));
}

void CommandSet::settle() {
    const auto full = std::ranges::find_if(words_, [](std::uint64_t word) { return ~word != 0; }) - words_.begin();
    const std::size_t tooMany = words_.size() > kMostWords ? words_.size() - kMostWords : 0;
    drop(std::max(static_cast<std::size_t>(full), tooMany));
}

}  // namespace zetl::emulator::check
