// Messages and the granules that they access, one behind the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "emulator/isa/program.h"

namespace zetl::emulator::check {

/// Who accesses granules by which line.
struct LoggedMessage {
    std::uint64_t mark = 0;  ///< packed, of whole granules
    isa::Line line = 0;
    bool write = false;
    bool isRun = false;  ///< its granules are neighbours: the list holds the first, and the one behind the last
};

/// Not thread-safe.
class MessageLog {
  public:
    static constexpr std::size_t kChunkWords = 1 << 14;

    /// Whether one more message of so many granules needs another chunk.
    bool isFull(std::size_t granules) const noexcept {
        return last_ == nullptr || words_ + kHead + granules > kChunkWords;
    }
    /// Takes up that chunk. False if the host has no memory for it.
    bool grow() noexcept try {
        if (used_ == chunks_.size()) chunks_.push_back(std::make_unique<Chunk>());
        if (last_ != nullptr) last_->words = words_;
        last_ = chunks_[used_++].get();
        words_ = 0;
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
    /// A log that is not full.
    void add(const LoggedMessage& message, std::span<const std::uint32_t> granules) noexcept {
        const Head head{message.mark, message.line, message.write, message.isRun,
                        static_cast<std::uint16_t>(granules.size())};
        std::uint32_t* const to = last_->word.data() + words_;
        std::memcpy(to, &head, sizeof head);
        std::ranges::copy(granules, to + kHead);
        words_ += kHead + granules.size();
        expect(kHead + granules.size());
    }
    /// Calls f(message, granules) for each, in order.
    template <class F>
    void each(F&& f) const {
        for (std::size_t i = 0; i < used_; ++i) {
            const std::size_t words = i + 1 == used_ ? words_ : chunks_[i]->words;
            for (std::size_t at = 0; at < words;) {
                Head head;
                std::memcpy(&head, chunks_[i]->word.data() + at, sizeof head);
                f(LoggedMessage{head.mark, head.line, head.write, head.isRun},
                  std::span(chunks_[i]->word).subspan(at + kHead, head.count));
                at += kHead + head.count;
            }
        }
    }
    /// Keeps the memory, for those to come. Returns how many chunks were in use.
    std::size_t clear() noexcept {
        last_ = nullptr;
        return std::exchange(used_, 0);
    }

  private:
    struct Head {
        std::uint64_t mark;
        isa::Line line;
        bool write;
        bool isRun;
        std::uint16_t count;
    };
    static constexpr std::size_t kHead = sizeof(Head) / sizeof(std::uint32_t);
    struct Chunk {
        std::size_t words = 0;  ///< once another one follows
        std::array<std::uint32_t, kChunkWords> word;
    };
    /// So many words come next, most likely. They have left the host's caches since the log was used last, and the
    /// thread's other stores would wait behind them.
    void expect(std::size_t count) const noexcept {
        constexpr std::size_t kLine = 64 / sizeof(std::uint32_t);
        const std::size_t end = std::min(words_ + count + kLine, kChunkWords);
        for (std::size_t at = words_; at < end; at += kLine) __builtin_prefetch(&last_->word[at], 1);
    }

    std::vector<std::unique_ptr<Chunk>> chunks_;
    std::size_t used_ = 0;
    Chunk* last_ = nullptr;  // of those in use
    std::size_t words_ = 0;  // in it
};

}  // namespace zetl::emulator::check
