#include "emulator/isa/prologue.h"

#include <array>
#include <cstring>
#include <new>
#include <span>
#include <tuple>

#include "emulator/isa/code.h"

namespace zetl::emulator::isa {
namespace {

constexpr std::uint32_t kArgumentsAt = layout::kRegisterBytes;
constexpr std::uint32_t kThreads = 2;
constexpr std::uint32_t kIndex = 1;  // of the one that is tried: it has to look for its block
constexpr std::uint32_t kMostBlockBytes = 16 * layout::kRegisterBytes;
constexpr std::uint32_t kMostDistance = 1 << 20;
constexpr int kMostSteps = 4096;
constexpr std::uint32_t kScratchBytes = 64 << 10;

/// A machine in which nothing happens: tools may have put code of their own into the prologue, which counts somewhere.
class Nowhere : public Environment {
  public:
    explicit Nowhere(std::span<std::byte> arguments) : arguments_(arguments) {}
    bool findMemory(Thread&, std::uint64_t address, std::uint64_t bytes, bool write,
                    MemoryWindow& window) noexcept override {
        const auto begin = reinterpret_cast<std::uint64_t>(arguments_.data());
        if (!write && address >= begin && bytes <= arguments_.size() && address - begin <= arguments_.size() - bytes) {
            window = {begin, arguments_.size(), arguments_.data()};
            return true;
        }
        if (bytes > nothing_.size()) return false;
        window = {address, bytes, nothing_.data()};
        return true;
    }
    void signalBarrier(Thread&, const BarrierSignal&) noexcept override {}
    const Program* findProgram(Thread&, std::uint32_t) noexcept override { return nullptr; }
    std::uint64_t timestamp() noexcept override { return 0; }

  private:
    std::span<std::byte> arguments_;
    alignas(64) std::array<std::byte, 4096> nothing_{};
};

/// Nobody's data, and different in every place.
void fill(std::span<std::byte> bytes, std::uint32_t seed) {
    for (std::byte& b : bytes) {
        seed = seed * 1664525 + 1013904223;
        b = static_cast<std::byte>(seed >> 24);
    }
}

std::uint32_t registersFor(std::uint32_t bytes) {
    return (bytes + layout::kRegisterBytes - 1) / layout::kRegisterBytes;
}

class Trial {
  public:
    Trial(const Program& program, const Prologue& prologue)
        : program_(program),
          prologue_(prologue),
          memory_(kArgumentsAt + prologue.blocksAt + kThreads * prologue.blockBytes + kMostBlockBytes),
          inline_(prologue.inlineBytes),
          start_(program.code().options.architecture->start),
          nowhere_(memory_),
          thread_(std::make_unique<Thread>()) {
        fill(memory_, 1);
        fill(inline_, 2);
        const auto address = reinterpret_cast<std::uint64_t>(memory_.data() + kArgumentsAt);
        if (start_.argumentsAddress != 0 && inline_.size() >= sizeof address)
            std::memcpy(inline_.data(), &address, sizeof address);
    }

    bool succeeds() {
        begin();
        return arrives() && hasBlock();
    }

  private:
    void begin() {
        Thread& t = *thread_;
        t.reset();
        t.environment = &nowhere_;
        t.payload = memory_;
        t.scratch = scratch_;
        t.dispatched = ~0u;
        t.fuel = kMostSteps;
        auto* const r0 = reinterpret_cast<std::uint32_t*>(t.grf(0));
        r0[start_.arguments] = kArgumentsAt;
        r0[start_.number] = kIndex | kThreads << start_.threadsShift;
        if (start_.argumentsAddress != 0) {
            const auto address = reinterpret_cast<std::uint64_t>(memory_.data() + kArgumentsAt);
            std::memcpy(r0 + start_.argumentsAddress, &address, sizeof address);
        }
        if (!inline_.empty()) std::memcpy(t.grf(1), inline_.data(), inline_.size());
    }
    /// Runs the unwatched steps, so that observers do not see this trial thread.
    bool arrives() {
        Thread& t = *thread_;
        if (!t.enter(program_, prologue_.entry)) return false;
        const Program::Code& code = program_.code();
        const Line behind = code.find(prologue_.behind);
        if (behind == kNoLine) return false;
        const Step* m = t.pc;
        for (int steps = 0; m != nullptr && steps < kMostSteps; ++steps) {
            if (m == code.at(t, behind)) return true;  // lines without steps share the next one's
            const Handler original = code.originalOf(m);
            m = original != nullptr ? original(t, m) : m->run(t, m);
        }
        return false;
    }
    bool hasBlock() const {
        const std::byte* const block =
            memory_.data() + kArgumentsAt + prologue_.blocksAt + kIndex * prologue_.blockBytes;
        const auto inlineAt = 1 + registersFor(prologue_.blockBytes);
        return std::memcmp(thread_->grf(1), block, prologue_.blockBytes) == 0 &&
               (inline_.empty() || std::memcmp(thread_->grf(inlineAt), inline_.data(), inline_.size()) == 0);
    }

    const Program& program_;
    const Prologue& prologue_;
    std::vector<std::byte> memory_;
    std::vector<std::byte> inline_;
    std::vector<std::byte> scratch_ = std::vector<std::byte>(kScratchBytes);
    const ThreadStart& start_;
    Nowhere nowhere_;
    std::unique_ptr<Thread> thread_;
};

}  // namespace

bool Prologue::operator<(const Prologue& other) const noexcept {
    const auto all = [](const Prologue& p) {
        return std::tie(p.entry, p.behind, p.blockBytes, p.inlineBytes, p.blocksAt);
    };
    return all(*this) < all(other);
}

bool loadsBlocks(const Program& program, const Prologue& prologue) noexcept {
    const bool plausible = prologue.blockBytes <= kMostBlockBytes && prologue.inlineBytes <= layout::kRegisterBytes &&
                           prologue.blocksAt <= kMostDistance;
    if (!plausible) return false;
    try {
        return Trial(program, prologue).succeeds();
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace zetl::emulator::isa
