// Blocks whose granules share a mark hold what each granule's own mark would.
#include "emulator/check/race_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/isa/thread.h"
#include "emulator/machine/code/loaded_program.h"

namespace zetl::emulator::check {
namespace {

constexpr std::uint32_t kWords = 72;  // not a number of whole blocks
constexpr std::uint32_t kManyWords = 6 << DeferredRegion::kBits;
constexpr std::uint32_t kGroups = 3;
constexpr std::uint32_t kThreads = 2;

struct Piece {
    std::uint32_t first;
    std::uint32_t words;
};

/// A buffer, the groups that access it, and what is found.
class Watched {
  public:
    explicit Watched(bool inPieces, std::uint32_t words = kWords, std::uint64_t deferredFrom = Cells::kDeferredFrom,
                     bool isForeseen = false)
        : inPieces_(inPieces),
          isForeseen_(isForeseen),
          buffer_(words),
          cells_(Cells::make(words * kGranule, deferredFrom)) {
        allocation_.begin = reinterpret_cast<std::uint64_t>(buffer_.data());
        allocation_.end = allocation_.begin + words * kGranule;
        thread_->program = loaded_->program.get();
    }

    void launch(std::uint64_t number) {
        launch_ = number;
        for (std::uint32_t group = 0; group < kGroups; ++group) groups_[group].enter(number, group, kThreads, 0);
    }
    /// Of a command that has these behind it.
    void command(std::uint64_t number, const Clock& before) {
        launch(number);
        const auto record = std::make_shared<CommandRecord>();
        record->number = number;
        record->before = before;
        for (GroupState& group : groups_) group.setCommand(record);
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
    /// One message, in the order of its lanes.
    void accessWords(std::uint32_t group, std::uint32_t thread, std::span<const std::uint32_t> words, bool write) {
        isa::MemoryAccess access;
        access.write = write;
        access.lanes = static_cast<std::uint32_t>((std::uint64_t{1} << words.size()) - 1);
        access.bytesPerLane = kGranule;
        for (std::uint32_t lane = 0; lane < words.size(); ++lane) access.address[lane] = addressOf(words[lane]);
        const PlannedLanes lanes{std::span(access.address).first(words.size()), kGranule};
        if (isForeseen_ &&
            RaceCheck::globalLanes(groups_[group], {write, thread, launch_, lanes, write}, *cells_, allocation_))
            return;
        races_.global(groups_[group], {*thread_, write, thread, launch_, launch_, nullptr, access}, access.lanes,
                      *cells_, allocation_);
    }
    const Cells& cells() const { return *cells_; }
    void transfer(std::uint64_t number, const Piece& piece, bool write, const Clock& before = nullptr) {
        CommandRecord command;
        command.number = number;
        command.before = before;
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
        std::vector<std::uint32_t> words(piece.words);
        std::iota(words.begin(), words.end(), piece.first);
        accessWords(group, thread, words, write);
    }

    const bool inPieces_;
    const bool isForeseen_;
    std::vector<std::uint32_t> buffer_;
    machine::Allocation allocation_;
    std::array<std::byte, 64> code_{};
    std::shared_ptr<machine::LoadedProgram> loaded_ =
        std::make_shared<machine::LoadedProgram>(code_, isa::LowerOptions{});
    std::unique_ptr<isa::Thread> thread_ = std::make_unique<isa::Thread>();
    std::unique_ptr<Cells> cells_;
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

/// Words of one message that lie apart, more often than not in one region.
std::vector<std::uint32_t> scatteredWords(std::mt19937& random) {
    constexpr std::uint32_t kRegion = 1 << DeferredRegion::kBits;
    const std::uint32_t size = random() % 4 == 0 ? kManyWords : kRegion;
    const auto first = static_cast<std::uint32_t>(random() % (kManyWords / size) * size);
    std::vector<std::uint32_t> words(2 + random() % 6);
    for (std::uint32_t& word : words) word = first + static_cast<std::uint32_t>(random() % size);
    std::ranges::sort(words, {}, [](std::uint32_t word) { return word * 40503 % kManyWords; });
    return words;
}

struct Compared {
    std::size_t found = 0;
    std::size_t ended = 0;  ///< buffers in which marks are not deferred any more
};

/// Messages, pieces, transfers and commands in any order, of which some are behind each other.
void compareDeferred(std::uint32_t seed, bool ofCommands, Compared& compared) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
    Watched now(true, kManyWords, ~std::uint64_t{0});
    Watched later(true, kManyWords, 0);
    Watched foreseen(true, kManyWords, seed % 4 < 2 ? 0 : ~std::uint64_t{0}, true);
    ASSERT_NE(later.cells().deferred(), nullptr);
    const auto all = [&](auto&& act) {
        act(now);
        act(later);
        act(foreseen);
    };
    std::uint64_t launch = 0;
    Clock before;
    const auto next = [&] {
        auto more = before ? std::make_shared<CommandSet>(*before) : std::make_shared<CommandSet>();
        if (launch != 0 && below(4) != 0) more->add(launch);
        before = std::move(more);
        ++launch;
    };
    const auto begin = [&](Watched& one) { ofCommands ? one.command(launch, before) : one.launch(launch); };
    next();
    all(begin);
    const int steps = seed % 8 < 2 ? 400 : 40;  // long enough for deferring to end, or not
    for (int step = 0; step < steps; ++step) {
        const std::uint32_t group = below(kGroups);
        const std::uint32_t thread = below(kThreads);
        const bool write = below(3) == 0;
        const Piece piece{below(kManyWords - 64), 1 + below(64)};
        std::uint64_t told = launch;
        switch (below(16)) {
            case 0:
                all([&, fenced = below(2) == 0](Watched& one) { one.barrier(group, fenced); });
                break;
            case 1:
                next();
                told = launch;
                all(begin);
                break;
            case 2:
                next();
                if (ofCommands) {  // launches of no command have no others beside them
                    told = RaceCheck::launchOf(launch);
                    all([&](Watched& one) { one.transfer(launch, piece, write, before); });
                    next();
                }
                all(begin);
                break;
            case 3:
                all([&, few = Piece{piece.first, 1 + piece.words % 16}](Watched& one) {
                    one.access(group, thread, few, write);
                });
                break;
            default:
                all([&, words = scatteredWords(random)](Watched& one) {
                    one.accessWords(group, thread, words, write);
                });
        }
        const std::string text = now.told(told);
        ASSERT_EQ(text, later.told(told)) << "seed " << seed << ", step " << step;
        ASSERT_EQ(text, foreseen.told(told)) << "seed " << seed << ", step " << step;
        compared.found += !text.empty();
    }
    compared.ended += later.cells().deferred() == nullptr;
}

TEST(RaceCheck, DeferredMarksTellTheSame) {
    Compared compared;
    for (std::uint32_t seed = 0; seed < 400 && !HasFatalFailure(); ++seed)
        compareDeferred(seed, seed % 2 != 0, compared);
    EXPECT_GT(compared.found, 100u);
    EXPECT_GT(compared.ended, 10u);
}

constexpr std::array<std::uint32_t, 3> kApart{7, 1000, 2000};

TEST(RaceCheck, MarksOfWordsThatLieApartAreSetWhenTheirGroupMeetsAnother) {
    Watched watched(true, kManyWords, 0);
    watched.launch(1);
    watched.accessWords(0, 0, kApart, true);
    EXPECT_EQ(watched.cells().writers.shared(0), 0u) << "nobody needs them";
    watched.accessWords(1, 0, std::array{2000u, 5u}, false);
    EXPECT_NE(watched.cells().writers.shared(0), 0u);
    EXPECT_NE(watched.told(1), "");
}

TEST(RaceCheck, NeighboursThatComeApartAreDeferredByTheNextLaunch) {
    Watched watched(true, kManyWords, 0);
    for (const std::uint64_t launch : {1, 2}) {
        watched.launch(launch);
        for (std::uint32_t first = 0; first < 4; ++first) watched.access(0, 0, {16 * first + 3, 16}, false);
    }
    watched.launch(3);
    watched.access(0, 0, {1603, 16}, false);
    EXPECT_EQ(watched.cells().readers.shared(100), 0u);
    watched.access(1, 0, {1600, 16}, true);
    EXPECT_NE(watched.cells().readers.shared(100), 0u);
    EXPECT_NE(watched.told(3), "");
}

/// Each launch comes to its own words again, so that to defer their marks only costs more.
TEST(RaceCheck, LaunchesThatReturnToTheirWordsSetMarksAtOnce) {
    Watched watched(true, kManyWords, 0);
    for (std::uint64_t launch = 1; launch <= 20; ++launch) {
        watched.launch(launch);
        watched.accessWords(0, 0, kApart, true);
        watched.accessWords(0, 0, kApart, false);
    }
    watched.launch(21);
    watched.accessWords(0, 0, std::array{1505u, 2505u}, true);
    EXPECT_NE(watched.cells().writers.shared(1505 / Cells::kBlock), 0u);
    EXPECT_EQ(watched.cells().deferred(), nullptr) << "messages ask no longer";
}

/// What is written down is bounded, however often a launch reads the same words.
TEST(RaceCheck, LaunchesThatReadTooOftenSetMarks) {
    constexpr int kTooMany = 50000;  // messages, for which there is no room
    Watched watched(true, kManyWords, 0);
    watched.launch(1);
    watched.accessWords(0, 0, kApart, false);
    EXPECT_EQ(watched.cells().readers.shared(0), 0u);
    for (int i = 0; i < kTooMany; ++i) watched.accessWords(0, 0, kApart, false);
    EXPECT_NE(watched.cells().readers.shared(0), 0u);
    EXPECT_EQ(watched.cells().deferred(), nullptr);
}

}  // namespace
}  // namespace zetl::emulator::check
