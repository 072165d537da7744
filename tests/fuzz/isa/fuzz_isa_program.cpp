// Hostile machine code: decoding, lowering, translating and running it never crashes, never hangs and never leaves the
// thread's memory. What translation makes is not run: no sanitizer sees it, and the tests of translation run such code
// in lockstep.
#include <cstring>
#include <memory>
#include <vector>

#include "emulator/isa/observe.h"
#include "emulator/isa/program.h"
#include "emulator/isa/thread.h"
#include "emulator/translate/translation.h"
#include "isa/xe/decode.h"

namespace isa = zetl::emulator::isa;

namespace {

constexpr std::size_t kMaxCode = 4096;
constexpr std::int64_t kInstructions = 2000;

/// One page of global memory; everything else faults.
class Machine : public isa::Environment {
  public:
    bool findMemory(isa::Thread&, std::uint64_t address, std::uint64_t bytes, bool,
                    isa::MemoryWindow& window) noexcept override {
        const auto begin = reinterpret_cast<std::uint64_t>(page_.data());
        if (address < begin || address - begin > page_.size() || bytes > page_.size() - (address - begin)) return false;
        window = {begin, page_.size(), page_.data()};
        return true;
    }
    void signalBarrier(isa::Thread&, const isa::BarrierSignal&) noexcept override {}
    const isa::Program* findProgram(isa::Thread&, std::uint32_t) noexcept override { return nullptr; }
    std::uint64_t timestamp() noexcept override { return 0; }
    std::uint64_t page() const { return reinterpret_cast<std::uint64_t>(page_.data()); }

  private:
    std::vector<std::byte> page_ = std::vector<std::byte>(4096);
};

void describeEverything(const isa::Program& program) {
    for (isa::Line line = 0; line < program.lineCount(); ++line)
        (void)isa::text(program.architecture(), program.instruction(line));
    (void)program.usage();
}

void execute(const isa::Program& program, std::uint32_t lanes) {
    static Machine machine;
    std::vector<std::byte> local(256);
    std::vector<std::byte> scratch(256);
    std::vector<std::byte> payload(256);
    const auto t = std::make_unique<isa::Thread>();
    t->reset();
    t->environment = &machine;
    t->local = local;
    t->scratch = scratch;
    t->payload = payload;
    t->dispatched = lanes;
    for (std::uint32_t qword = 0; qword < 8; ++qword)
        t->at<std::uint64_t>(isa::layout::kScalar + qword * 8) = machine.page() + qword;
    for (std::uint32_t r = 0; r < isa::layout::kGrfRegisters; r += 3)
        for (std::uint32_t i = 0; i < 8; ++i) reinterpret_cast<std::uint64_t*>(t->grf(r))[i] = machine.page() + i * 8;
    if (!t->enter(program, program.base())) return;
    for (int quantum = 0; quantum < 4 && t->status != isa::Status::done && t->status != isa::Status::faulted; ++quantum)
        isa::resume(*t, kInstructions / 4);
    if (t->status == isa::Status::faulted) (void)describe(t->fault);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 8 || size > kMaxCode) return 0;
    const std::uint32_t lanes = data[0] & 1 ? 0xffffffff : data[0] & 2 ? 0xffff : 0x35a1;
    for (const auto* const architecture : zetl::isa::xe::allArchitectures()) {
        const auto program =
            isa::lower(std::as_bytes(std::span(data, size)),
                       {.architecture = architecture, .base = 0x1000, .markLines = (data[0] & 4) != 0});
        describeEverything(*program);
        for (const std::uint32_t width : {16u, 32u})
            (void)zetl::emulator::translate::translateInVain(*program, program->base(), width);
        execute(*program, lanes);
    }
    return 0;
}
