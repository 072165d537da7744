// Programs of hostile messages: every shared function and operation, sensible descriptors and senseless ones, at
// addresses around the ends of memory, in memory that is gone or read-only, at both ends of all addresses, and
// anywhere. They run by the steps of every host instruction set and as host code; all must do the same, fault or not.
// Memory lies between pages that nobody may touch, so an access that was not checked ends the process.
// ZETL_TEST_HOSTILE_PROGRAMS says how many: more where thorough tests ask.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emulator/isa/code.h"
#include "emulator/translate/translation.h"
#include "lockstep.h"
#include "lone_thread.h"
#include "reference/random_program.h"
#include "support/effort.h"
#include "thread_difference.h"

namespace zetl::test {
namespace {

using reference::Dice;

constexpr std::uint32_t kHostileBase = 0x10000;
constexpr std::uint32_t kSendBytes = 16;
constexpr std::uint32_t kEndBytes = 2 * kSendBytes;
constexpr std::size_t kHostPage = 4096;

// Registers, each with room for 32 lanes behind it.
constexpr std::uint32_t kWide = 10;     // addresses of 64 bits
constexpr std::uint32_t kNarrow = 16;   // of 32, offsets in local memory and scratch
constexpr std::uint32_t kSurface = 20;  // a block of a surface
constexpr std::uint32_t kHeader = 22;   // r0.0 as older messages want it
constexpr std::uint32_t kValues = 50;

/// A range of addresses: some of it exists, and the pages around it are nobody's.
class Area {
  public:
    /// Of the bytes from the begin on, kernels may reach so many more behind the end.
    Area(std::size_t bytes, std::size_t reach, bool writable)
        : mapped_(mmap(nullptr, kMapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
          bytes_(bytes),
          reach_(reach),
          writable_(writable) {
        if (mapped_ == MAP_FAILED || mprotect(begin(), inPages(), PROT_READ | PROT_WRITE) != 0) std::abort();
    }
    ~Area() { munmap(mapped_, kMapped); }
    Area(const Area&) = delete;
    Area& operator=(const Area&) = delete;

    void protect() {
        if (!writable_ || bytes_ == 0) mprotect(begin(), inPages(), bytes_ == 0 ? PROT_NONE : PROT_READ);
    }
    void unprotect() { mprotect(begin(), inPages(), PROT_READ | PROT_WRITE); }

    std::byte* begin() const { return static_cast<std::byte*>(mapped_) + kGuard; }
    std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(begin()); }
    std::size_t bytes() const { return bytes_; }
    std::size_t reach() const { return bytes_ + reach_; }
    bool writable() const { return writable_; }
    std::span<std::byte> all() const { return {begin(), reach()}; }

  private:
    static constexpr std::size_t kGuard = 64 * kHostPage;
    static constexpr std::size_t kMapped = 2 * kGuard + 4 * kHostPage;
    std::size_t inPages() const { return std::max((reach() + kHostPage - 1) / kHostPage, std::size_t{1}) * kHostPage; }

    void* mapped_;
    std::size_t bytes_;
    std::size_t reach_;
    bool writable_;
};

class World : public isa::Environment {
  public:
    bool findMemory(isa::Thread&, std::uint64_t address, std::uint64_t bytes, bool write,
                    isa::MemoryWindow& window) noexcept override {
        for (const auto& area : areas) {
            const std::uint64_t offset = address - area->address();
            if (address < area->address() || offset > area->reach() || (write && !area->writable())) continue;
            if (offset <= area->bytes() && bytes <= area->bytes() - offset) {
                window = {area->address(), area->bytes(), area->begin()};
                return true;
            }
            if (bytes > area->reach() - offset) continue;
            window = {area->address(), area->reach(), area->begin()};
            return true;
        }
        return false;
    }
    void signalBarrier(isa::Thread&, const isa::BarrierSignal&) noexcept override {}
    const isa::Program* findProgram(isa::Thread&, std::uint32_t) noexcept override { return nullptr; }
    std::uint64_t timestamp() noexcept override { return 4321; }

    MemoryRanges ranges() {
        MemoryRanges list{local, scratch, payload};
        for (const auto& area : areas)
            if (area->writable()) list.push_back(area->all());
        return list;
    }

    /// In the last one nothing exists: it is memory that is gone.
    const std::unique_ptr<Area> areas[5] = {
        std::make_unique<Area>(2 * kHostPage, 0, true), std::make_unique<Area>(1000, 2000, true),
        std::make_unique<Area>(4, kHostPage - 4, true), std::make_unique<Area>(kHostPage, 0, false),
        std::make_unique<Area>(0, 0, false)};
    std::vector<std::byte> local = std::vector<std::byte>(1024);
    std::vector<std::byte> scratch = std::vector<std::byte>(512);
    std::vector<std::byte> payload = std::vector<std::byte>(256);
};

// ---- programs ----

/// Most programs are tame: of messages that exist, mostly to memory that exists. The others hardly ever get far.
bool isTame(std::uint64_t number) { return number % 5 < 3; }

class SendDrawing {
  public:
    SendDrawing(Dice& dice, bool tame) : dice_(dice), tame_(tame) {}

    std::string line() {
        switch (dice_.below(8)) {
            case 0:
                return send("dc0", older(), kNarrow);
            case 1:
                return send("dc1", older(), dice_.oneIn(2) ? kWide : kNarrow);
            case 2:
                return surfaceBlock();
            case 3:
                return send("slm", cached(true), kNarrow);
            case 4:
                return dice_.oneIn(8) ? send("gtwy", static_cast<std::uint32_t>(dice_.bits()) & 0xfffff, kHeader)
                                      : cachedLine();
            default:
                return cachedLine();
        }
    }

  private:
    Dice& dice_;
    bool tame_;

    bool isOdd(std::uint32_t oneIn) { return !tame_ && dice_.oneIn(oneIn); }
    std::string cachedLine() {
        const std::uint32_t descriptor = cached(false);
        return send("ugm", descriptor, (descriptor >> 7 & 3) == 3 ? kWide : kNarrow);
    }
    std::string mask() {
        constexpr const char* masks[] = {"", "", "", "(W) ", "(f0.0) ", "(~f0.0) ", "(W&f0.0) "};
        return dice_.of(masks);
    }
    std::uint32_t registersNear(std::uint32_t usual) {
        constexpr std::uint32_t odd[] = {0, 9, 126, 127, 254, 255};
        return isOdd(12) ? dice_.of(odd) : usual;
    }
    std::string send(const char* function, std::uint32_t descriptor, std::uint32_t payload) {
        constexpr std::uint32_t widths[] = {1, 2, 4, 8, 16, 16, 16, 32, 32, 32};
        constexpr std::uint32_t lengths[] = {1, 2, 4, 8, 16, 31};
        const std::uint32_t width = (descriptor >> 15 & 1) != 0 && dice_.oneIn(2) ? 1 : dice_.of(widths);
        const std::uint32_t offset = width <= 16 && width >= 4 && dice_.oneIn(4) ? 16 : 0;
        const bool returns = dice_.oneIn(2);
        const std::uint32_t reply = returns ? dice_.of(lengths) : 0;
        const std::string to = returns ? fmt::format("r{}", registersNear(70)) : "null";
        const std::uint32_t values = registersNear(kValues);
        const std::uint32_t length = std::min(dice_.of(lengths), isa::kXeHpc.registerCounts.back() - values);
        const std::string from = isOdd(3) ? "null:0" : fmt::format("r{}:{}", values, length);
        const char* extended = (descriptor >> 29 & 3) == 3 ? "0xFF000000" : "0x0";
        return fmt::format("{}send.{} ({}|M{}) {} r{} {} {} 0x{:08x}\n", mask(), function, width, offset, to,
                           registersNear(payload), from, extended, descriptor | reply << 20 | 1u << 25);
    }

    std::uint32_t operation() {
        constexpr std::uint32_t usual[] = {0,  0,  0,  4,  4,  4,  2,  6,  1,  5,  8, 9,
                                           10, 11, 12, 13, 14, 17, 18, 19, 24, 26, 28};
        return isOdd(8) ? dice_.below(64) : dice_.of(usual);
    }
    std::uint32_t cached(bool local) {
        constexpr std::uint32_t sizes[] = {2, 2, 2, 3, 3, 4, 5, 0, 1, 6, 7};
        constexpr std::uint32_t usualSizes[] = {2, 2, 3};
        constexpr std::uint32_t vectors[] = {0, 0, 0, 1, 2, 3, 4, 5, 6, 7};
        const std::uint32_t op = operation();
        const bool quad = op == 2 || op == 6;
        const std::uint32_t surface = local || !isOdd(5) ? 0 : 1 + dice_.below(3);
        std::uint32_t address = local || surface != 0 ? 2 : 3;
        if (isOdd(10)) address = dice_.below(4);
        std::uint32_t descriptor = op | address << 7 | (tame_ ? dice_.of(usualSizes) : dice_.of(sizes)) << 9 |
                                   surface << 29 | dice_.below(8) << 17;
        const bool atomic = op >= 8 && op < 0x1b;
        if (quad) return descriptor | (tame_ ? 1 + dice_.below(15) : dice_.below(16)) << 12;
        if (tame_ && atomic) return descriptor;
        if (tame_) return descriptor | dice_.below(5) << 12;
        return descriptor | dice_.of(vectors) << 12 | std::uint32_t{dice_.oneIn(4)} << 15;
    }
    std::uint32_t older() {
        constexpr std::uint32_t types[] = {0, 1, 3, 4, 7, 8, 11, 12, 2, 9, 16, 17, 18, 20, 21, 25, 26, 27, 28, 29, 30};
        const std::uint32_t type = isOdd(6) ? dice_.below(32) : dice_.of(types);
        const std::uint32_t surface = tame_ || dice_.oneIn(2) ? 0xfe : dice_.below(256);
        return type << 14 | surface | dice_.below(64) << 8 | std::uint32_t{dice_.oneIn(3)} << 19;
    }
    std::string surfaceBlock() {
        const std::uint32_t op = dice_.oneIn(3) ? 7 : 3;
        const std::uint32_t descriptor =
            op | dice_.below(4) << 9 | std::uint32_t{isOdd(3)} << 7 | std::uint32_t{isOdd(3)} << 15;
        return send("ugm", descriptor, kSurface);
    }
};

/// Lines that make payloads and read replies, which host code holds in the host's registers.
std::string computation(Dice& dice) {
    const std::uint32_t reg = kWide + 2 * dice.below(3);
    constexpr std::uint32_t distances[] = {0, 1, 4, 64, 4096};
    switch (dice.below(4)) {
        case 0:
            return fmt::format("(W) add (16|M0) r{0}.0<1>:uq r{0}.0<1;1,0>:uq {1}:uw\n", reg, dice.of(distances));
        case 1:
            return fmt::format("(W) add (16|M0) r{0}.0<1>:ud r{0}.0<1;1,0>:ud {1}:uw\n", kNarrow, dice.of(distances));
        case 2:
            return fmt::format("add (32|M0) r{0}.0<1>:d r{0}.0<1;1,0>:d r70.0<1;1,0>:d\n", kValues);
        default:
            return "cmp (16|M0) (ne)f0.0 null<1>:d r70.0<1;1,0>:d 0:w\n";
    }
}

struct HostileText {
    std::string text;
    std::uint32_t lines = 0;
};
HostileText hostileText(std::uint64_t number) {
    Dice dice(number * 0x9e3779b97f4a7c15u + 29);
    HostileText program;
    SendDrawing sends(dice, isTame(number));
    for (std::uint32_t rest = 1 + dice.below(4); rest > 0; --rest) {
        if (dice.oneIn(3)) {
            program.text += computation(dice);
            ++program.lines;
        }
        program.text += sends.line();
        ++program.lines;
    }
    return program;
}

// ---- registers and memory ----

class StateDrawing {
  public:
    StateDrawing(std::uint64_t number, World& world)
        : dice_(number * 0xbf58476d1ce4e5b9u + 3), tame_(isTame(number)), world_(world) {}

    void draw(isa::Thread& t) {
        for (const std::span<std::byte> range :
             {std::span(world_.local), std::span(world_.scratch), std::span(world_.payload)})
            fill(range);
        for (const auto& area : world_.areas) {
            area->unprotect();
            fill(area->all());
            area->protect();
        }
        fill({t.state + isa::layout::kGrf, isa::layout::kGrfBytes});
        addresses(t);
        surface(t);
        const std::uint32_t header[] = {0, 0, narrow(), 0, 0, 0, 0, 0};
        std::memcpy(t.grf(kHeader), header, sizeof header);
        t.at<std::uint32_t>(isa::layout::kFlags) = static_cast<std::uint32_t>(dice_.oneIn(3) ? ~0ull : dice_.bits());
    }
    std::uint32_t lanes() {
        constexpr std::uint32_t usual[] = {~0u, ~0u, 0xffff, 0xffff, 1, 0x8000};
        return dice_.oneIn(4) ? static_cast<std::uint32_t>(dice_.bits() | 1) : dice_.of(usual);
    }

  private:
    Dice dice_;
    bool tame_;
    World& world_;

    /// Small numbers: what becomes of two NaNs is each host's own.
    void fill(std::span<std::byte> bytes) {
        for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
            const std::uint32_t value = dice_.below(1 << 16);
            std::memcpy(bytes.data() + at, &value, sizeof value);
        }
    }
    std::uint64_t edge(std::uint64_t of) {
        constexpr std::int64_t distances[] = {0, 0, 1, 2, 4, 8, 16, 60, 64, 128, 256, 512, 2048};
        return of + static_cast<std::uint64_t>(dice_.oneIn(2) ? -dice_.of(distances) : dice_.of(distances));
    }
    std::uint64_t wide() {
        const Area& large = *world_.areas[0];
        if (tame_ && !dice_.oneIn(6)) return large.address() + dice_.below(kHostPage) / 8 * 8;
        const Area& area = *world_.areas[dice_.below(5)];
        switch (dice_.below(8)) {
            case 0:
                return edge(0);
            case 1:
                return dice_.bits();
            case 2:
                return edge(area.address() + area.reach());
            case 3:
                return edge(area.address());
            case 4:
                return edge(area.address() + area.bytes());
            default:
                return area.address() + dice_.below(static_cast<std::uint32_t>(area.bytes()) + 1) / 4 * 4;
        }
    }
    std::uint32_t narrow() {
        constexpr std::uint32_t ends[] = {0, 256, 512, 1024, 0x10000, 0x1000000, 0x80000000};
        if (tame_ && !dice_.oneIn(6)) return dice_.below(32) * 8;
        return dice_.oneIn(2) ? dice_.below(256) * 4 : static_cast<std::uint32_t>(edge(dice_.of(ends)));
    }
    /// From lane to lane at a distance, with strays.
    void addresses(isa::Thread& t) {
        constexpr std::uint64_t distances[] = {0, 1, 4, 4, 4, 8, 8, 16, 64, 4096, ~std::uint64_t{3}};
        constexpr std::uint64_t usual[] = {0, 4, 8, 8, 16, 64};
        const std::uint64_t step = tame_ ? dice_.of(usual) : dice_.of(distances);
        const std::uint32_t strays = tame_ ? 500 : dice_.oneIn(2) ? 1000 : 24;
        std::uint64_t at = wide();
        std::uint32_t low = narrow();
        for (std::uint32_t lane = 0; lane < 32; ++lane, at += step, low += static_cast<std::uint32_t>(step)) {
            const std::uint64_t address = dice_.oneIn(strays) ? wide() : at;
            const std::uint32_t offset = dice_.oneIn(strays) ? narrow() : low;
            std::memcpy(t.grf(kWide) + lane * sizeof address, &address, sizeof address);
            std::memcpy(t.grf(kNarrow) + lane * sizeof offset, &offset, sizeof offset);
        }
        if (dice_.oneIn(tame_ ? 16 : 4)) {  // the distance of strided messages
            const auto pitch = static_cast<std::uint32_t>(dice_.oneIn(2) ? step : dice_.bits());
            std::memcpy(t.grf(kWide) + 8, &pitch, sizeof pitch);
        }
    }
    void surface(isa::Thread& t) {
        constexpr std::uint32_t sizes[] = {0, 1, 3, 7, 31, 63, 64, 255, 4095, 0xfffff, 0xffffff};
        constexpr std::uint32_t places[] = {0, 0, 1, 16, 63, 64, 0x7fffffff, 0x80000000, 0xffffff00, 0xffffffff};
        const auto bits = static_cast<std::uint32_t>(dice_.bits());
        const std::uint32_t shape = dice_.oneIn(3) ? bits & 0xfffff : (bits & 7) | (bits >> 3 & 31) << 8;
        const std::uint64_t base = wide();
        const std::uint32_t words[] = {static_cast<std::uint32_t>(base),
                                       static_cast<std::uint32_t>(base >> 32),
                                       dice_.of(sizes),
                                       dice_.of(sizes),
                                       dice_.of(sizes),
                                       dice_.of(places),
                                       dice_.of(places),
                                       shape};
        std::memcpy(t.grf(kSurface), words, sizeof words);
    }
};

// ---- comparison ----

class HostileMessages : public testing::Test {
  protected:
    void run(std::uint64_t number, const Code& code, const std::string& text) {
        const auto program = isa::lower(code, {.base = kHostileBase});
        StateDrawing state(number, world_);
        const std::uint32_t lanes = state.lanes();
        emulator::translate::translateAnyway(*program, kHostileBase, lanes == ~0u ? 32 : 16);
        begin(*thread_, *program, lanes);
        state.draw(*thread_);
        const auto others = bySteps(code);
        Lockstep lockstep(isa::lower(code, {.base = kHostileBase}));
        for (int turn = 0; turn < kMostTurns && mayGoOn(*thread_); ++turn)
            ASSERT_EQ(lockstep.resume(*thread_, isa::kQuantum, world_.ranges()), "")
                << "program " << number << ", lanes " << std::hex << lanes << ":\n"
                << text;
        for (const auto& [name, other] : others)
            EXPECT_EQ(difference(*other.thread, *thread_), "")
                << "program " << number << " by steps for " << name << ", lanes " << std::hex << lanes << ":\n"
                << text;
        ++(thread_->status == isa::Status::done ? ended_ : faulted_);
    }

    std::uint32_t ended_ = 0;
    std::uint32_t faulted_ = 0;

  private:
    static constexpr int kMostTurns = 64;
    struct Other {
        std::unique_ptr<isa::Program> program;
        std::unique_ptr<isa::Thread> thread;
    };

    static bool mayGoOn(const isa::Thread& t) {
        return t.status == isa::Status::ready || t.status == isa::Status::paused;
    }
    void begin(isa::Thread& t, const isa::Program& program, std::uint32_t lanes) {
        t.reset();
        t.traffic = {};
        t.environment = &world_;
        t.additions = &additions_;
        t.local = world_.local;
        t.scratch = world_.scratch;
        t.payload = world_.payload;
        t.dispatched = lanes;
        t.enter(program, kHostileBase);
    }
    /// Copies of the thread after its run by each table's steps; memory is as it was.
    std::vector<std::pair<const char*, Other>> bySteps(const Code& code) {
        std::vector<std::byte> before;
        for (const auto& range : world_.ranges()) before.insert(before.end(), range.begin(), range.end());
        std::vector<std::pair<const char*, Other>> list;
        for (const isa::StepTable* table : usableTables()) {
            Other other{isa::lower(code, {.base = kHostileBase}, *table), std::make_unique<isa::Thread>(*thread_)};
            isa::Thread& t = *other.thread;
            t.enter(*other.program, kHostileBase);
            for (int turn = 0; turn < kMostTurns && mayGoOn(t); ++turn) isa::resume(t, isa::kQuantum);
            list.emplace_back(table->name, std::move(other));
            const std::byte* from = before.data();
            for (const auto& range : world_.ranges()) {
                std::copy_n(from, range.size(), range.begin());
                from += range.size();
            }
        }
        return list;
    }

    World world_;
    isa::PendingAdditions additions_;
    std::unique_ptr<isa::Thread> thread_ = std::make_unique<isa::Thread>();
};

TEST_F(HostileMessages, DoTheSameByStepsAndTranslated) {
    constexpr std::uint64_t kBatch = 500;
    const char* more = std::getenv("ZETL_TEST_HOSTILE_PROGRAMS");
    const char* from = std::getenv("ZETL_TEST_HOSTILE_FIRST");
    const std::uint64_t begin = from != nullptr ? std::strtoull(from, nullptr, 10) : 0;
    const std::uint64_t count = more != nullptr ? std::strtoull(more, nullptr, 10) : effort(2000, 500);
    for (std::uint64_t first = begin; first < begin + count && !HasFailure(); first += kBatch) {
        std::string text;
        std::vector<HostileText> programs;
        for (std::uint64_t n = 0; n < std::min(kBatch, begin + count - first); ++n)
            text += programs.emplace_back(hostileText(first + n)).text;
        const Code all = assembleProgram(text);
        auto at = all.begin();
        for (std::size_t n = 0; n < programs.size() && !HasFailure(); ++n) {
            const auto end = at + static_cast<std::ptrdiff_t>(programs[n].lines * std::size_t{kSendBytes});
            Code code(at, end);
            code.insert(code.end(), all.end() - std::ptrdiff_t{kEndBytes}, all.end());
            run(first + n, code, programs[n].text);
            at = end;
        }
    }
    // Both happen often enough to mean something.
    EXPECT_GE(ended_, count / 20) << faulted_ << " faulted";
    EXPECT_GE(faulted_, count / 20) << ended_ << " ended";
    RecordProperty("ended", static_cast<int>(ended_));
    RecordProperty("faulted", static_cast<int>(faulted_));
}

}  // namespace
}  // namespace zetl::test
