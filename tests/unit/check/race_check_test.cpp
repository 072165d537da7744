// Blocks whose granules share a mark hold what each granule's own mark would.
#include "emulator/check/race_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/isa/thread.h"
#include "emulator/machine/code/loaded_program.h"

namespace zetl::emulator::check {
namespace {

constexpr std::uint32_t kWords = 72;  // not a number of whole blocks
constexpr std::uint32_t kGroups = 3;
constexpr std::uint32_t kThreads = 2;

struct Piece {
    std::uint32_t first;
    std::uint32_t words;
};

/// A buffer, the groups that access it, and what is found.
class Watched {
  public:
    explicit Watched(bool inPieces) : inPieces_(inPieces) {
        allocation_.begin = reinterpret_cast<std::uint64_t>(buffer_.data());
        allocation_.end = allocation_.begin + sizeof buffer_;
        thread_->program = loaded_->program.get();
    }

    void launch(std::uint64_t number) {
        launch_ = number;
        for (std::uint32_t group = 0; group < kGroups; ++group) groups_[group].enter(number, group, kThreads, 0);
    }
    void barrier(std::uint32_t group, bool fenced) {
        for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
            if (fenced) groups_[group].fence(thread, Memory::global, true);
            groups_[group].arrive(thread);
        }
    }
    void access(std::uint32_t group, std::uint32_t thread, const Piece& piece, bool write) {
        if (inPieces_) return accessTogether(group, thread, piece, write);
        for (std::uint32_t i = 0; i < piece.words; ++i) accessByLanes(group, thread, {piece.first + i, 1}, write);
    }
    void transfer(std::uint64_t number, const Piece& piece, bool write) {
        CommandRecord command;
        command.number = number;
        const std::uint32_t step = inPieces_ ? piece.words : 1;
        for (std::uint32_t i = 0; i < piece.words; i += step)
            races_.transfer(command, addressOf(piece.first + i), step * kGranule, write, *cells_, allocation_);
    }
    /// What was found since the last call.
    std::string told(std::uint64_t launch) {
        std::ostringstream text;
        for (const Observations::Seen& seen : observations_.take(launch)) {
            const Observation& first = seen.first;
            text << seen.count << " times " << static_cast<int>(first.kind) << " at "
                 << (first.address - allocation_.begin) / kGranule << " by " << first.now.group << '.'
                 << first.now.thread << ':' << first.now.line;
            if (first.before)
                text << " after " << first.before->group << '.' << first.before->thread << ':' << first.before->line;
            text << '\n';
        }
        return text.str();
    }

  private:
    std::uint64_t addressOf(std::uint32_t word) const { return allocation_.begin + word * kGranule; }
    void accessTogether(std::uint32_t group, std::uint32_t thread, const Piece& piece, bool write) {
        const AccessingRun run{write, thread, launch_, addressOf(piece.first), piece.words * kGranule, write};
        if (!races_.globalRun(groups_[group], run, *cells_, allocation_)) accessByLanes(group, thread, piece, write);
    }
    void accessByLanes(std::uint32_t group, std::uint32_t thread, const Piece& piece, bool write) {
        isa::MemoryAccess access;
        access.write = write;
        access.lanes = static_cast<std::uint32_t>((std::uint64_t{1} << piece.words) - 1);
        access.bytesPerLane = kGranule;
        for (std::uint32_t lane = 0; lane < piece.words; ++lane) access.address[lane] = addressOf(piece.first + lane);
        races_.global(groups_[group], {*thread_, write, thread, launch_, launch_, nullptr, access}, access.lanes,
                      *cells_, allocation_);
    }

    const bool inPieces_;
    std::array<std::uint32_t, kWords> buffer_{};
    machine::Allocation allocation_;
    std::array<std::byte, 64> code_{};
    std::shared_ptr<machine::LoadedProgram> loaded_ =
        std::make_shared<machine::LoadedProgram>(code_, isa::LowerOptions{});
    std::unique_ptr<isa::Thread> thread_ = std::make_unique<isa::Thread>();
    std::unique_ptr<Cells> cells_ = Cells::make(sizeof buffer_);
    Observations observations_;
    ReleaseClock clock_;
    RaceCheck races_{observations_, clock_};
    std::array<GroupState, kGroups> groups_;
    std::uint64_t launch_ = 0;
};

TEST(RaceCheck, BlocksAndTheirGranulesTellTheSame) {
    std::mt19937 random(40);
    const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
    std::size_t found = 0;
    for (int round = 0; round < 20; ++round) {
        Watched together(true);
        Watched apart(false);
        const auto both = [&](auto&& act) {
            act(together);
            act(apart);
        };
        std::uint64_t launch = 1;
        both([&](Watched& one) { one.launch(launch); });
        for (int step = 0; step < 100; ++step) {
            // Whole blocks, parts of them, and pieces that begin in one and end in the next.
            Piece piece{below(4) * 16, 16};
            if (below(3) == 0) piece = {below(kWords - 16), 1 + below(16)};
            const std::uint32_t group = below(4) == 0 ? below(kGroups) : piece.first / 16 % kGroups;
            const std::uint32_t thread = below(kThreads);
            const bool write = below(3) == 0;
            std::uint64_t told = launch;
            switch (below(12)) {
                case 0:
                    both([fenced = below(2) == 0, group](Watched& one) { one.barrier(group, fenced); });
                    break;
                case 1:
                    told = ++launch;
                    both([&](Watched& one) { one.launch(launch); });
                    break;
                case 2:
                    piece = {below(24), 1 + below(48)};
                    told = RaceCheck::launchOf(++launch);
                    both([&](Watched& one) { one.transfer(launch, piece, write); });
                    both([&](Watched& one) { one.launch(launch + 1); });
                    ++launch;
                    break;
                default:
                    both([&](Watched& one) { one.access(group, thread, piece, write); });
            }
            const std::string text = together.told(told);
            ASSERT_EQ(text, apart.told(told)) << "round " << round << ", step " << step;
            found += !text.empty();
        }
    }
    EXPECT_GT(found, 100u);
}

}  // namespace
}  // namespace zetl::emulator::check
