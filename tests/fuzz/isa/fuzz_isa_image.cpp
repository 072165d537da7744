// Hostile surface and sampler states, and the messages that name them: whatever they say, a message ends, in a fault
// that names its cause or in the memory that the thread may use.
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "emulator/isa/image_access.h"
#include "emulator/isa/instruction_set.h"
#include "emulator/isa/observe.h"
#include "emulator/isa/step_table.h"
#include "emulator/isa/thread.h"
#include "isa/xe/sampler_state.h"
#include "isa/xe/surface_state.h"

namespace isa = zetl::emulator::isa;
namespace xe = zetl::isa::xe;

namespace {

constexpr std::size_t kSurfaceAt = 64;
constexpr std::size_t kSamplerAt = 128;
constexpr std::uint32_t kRows = 6;

/// The heap of states, and a page in which texels may lie; everything else faults.
class Machine : public isa::Environment {
  public:
    bool findMemory(isa::Thread&, std::uint64_t address, std::uint64_t bytes, bool,
                    isa::MemoryWindow& window) noexcept override {
        for (std::vector<std::byte>* const each : {&heap, &page}) {
            const std::uint64_t begin = addressOf(*each);
            if (address < begin || address - begin > each->size() || bytes > each->size() - (address - begin)) continue;
            window = {begin, each->size(), each->data()};
            return true;
        }
        return false;
    }
    void signalBarrier(isa::Thread&, const isa::BarrierSignal&) noexcept override {}
    const isa::Program* findProgram(isa::Thread&, std::uint32_t) noexcept override { return nullptr; }
    std::uint64_t timestamp() noexcept override { return 0; }

    static std::uint64_t addressOf(const std::vector<std::byte>& bytes) {
        return reinterpret_cast<std::uint64_t>(bytes.data());
    }

    std::vector<std::byte> heap = std::vector<std::byte>(256);
    std::vector<std::byte> page = std::vector<std::byte>(4096);
};

/// Takes bytes from the front; zeroes where there are none left.
class Input {
  public:
    explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    void fill(void* to, std::size_t size) {
        const std::size_t taken = std::min(size, bytes_.size());
        if (taken != 0) std::memcpy(to, bytes_.data(), taken);
        bytes_ = bytes_.subspan(taken);
    }
    std::uint8_t byte() {
        std::uint8_t one = 0;
        fill(&one, 1);
        return one;
    }

  private:
    std::span<const std::uint8_t> bytes_;
};

isa::ImageAccess accessOf(Input& input) {
    constexpr std::uint8_t kOperations = 9;
    isa::ImageAccess access;
    access.message.operation = static_cast<xe::ImageOperation>(input.byte() % kOperations);
    access.message.header = access.message.samples() || input.byte() % 2 != 0;
    access.message.replyRegisters = input.byte() % 9;
    access.surfaceAt = isa::layout::kAddress;
    access.headerAt = isa::layout::kGrf;
    for (std::uint32_t r = 0; r < kRows; ++r) access.rows[r] = (r + 1) * isa::layout::kRegisterBytes;
    access.rowCount = kRows;
    access.data = 10 * isa::layout::kRegisterBytes;
    access.result = 20 * isa::layout::kRegisterBytes;
    return access;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Machine machine;
    Input input({data, size});
    const std::uint8_t how = input.byte();
    const isa::ImageAccess access = accessOf(input);
    input.fill(&machine.heap[kSurfaceAt], xe::SurfaceState::kBytes);
    input.fill(&machine.heap[kSamplerAt], xe::SamplerState::kBytes);
    if (how & 1) {  // else hardly any state names memory
        const xe::SurfaceState::Bytes bytes(&machine.heap[kSurfaceAt], xe::SurfaceState::kBytes);
        xe::SurfaceState state = xe::SurfaceState::read(bytes);
        state.base = Machine::addressOf(machine.page) + (how >> 1);
        state.write(bytes);
    }
    const auto t = std::make_unique<isa::Thread>();
    t->reset();
    t->environment = &machine;
    t->dispatched = 0xffff;
    std::array<std::uint64_t, 9> bases{};
    bases[5] = bases[6] = Machine::addressOf(machine.heap);
    t->stateBases = bases;
    for (std::uint32_t r = 1; r <= kRows + 4; ++r) input.fill(t->grf(r), isa::layout::kRegisterBytes);
    t->at<std::uint32_t>(isa::layout::kAddress) = kSurfaceAt;
    t->at<std::uint32_t>(isa::layout::kGrf + 12) = kSamplerAt | 1;
    isa::Step step;
    step.src[0] = reinterpret_cast<std::uint64_t>(&access);
    step.mask.lanes = 0xffff;
    t->status = isa::Status::ready;
    step.run = access.message.samples() ? isa::hostTable().sample : isa::imageMessage;
    const isa::Step* next = step.run(*t, &step);
    if (next) next = step.run(*t, &step);  // with a window by now
    if (next ? next != &step + 1 : t->status != isa::Status::faulted) __builtin_trap();
    if (!next) (void)describe(t->fault);
    return 0;
}
