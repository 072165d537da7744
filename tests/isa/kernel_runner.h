// Runs kernels of a native module on lone hardware threads: groups one after the other, the threads of a group in turn.
// The smallest dispatcher that shows whether instructions work; the machine has the real one.
#pragma once

#include <string>
#include <vector>

#include "emulator/isa/program.h"
#include "emulator/isa/step_table.h"
#include "emulator/isa/thread.h"
#include "emulator/module/link.h"
#include "emulator/module/payload.h"
#include "execution.h"
#include "isa/xe/architecture.h"

namespace zetl::test {

class KernelRunner : public emulator::isa::Environment {
  public:
    /// Loads a zebin made for the product. Throws std::runtime_error if it cannot be placed.
    explicit KernelRunner(std::span<const std::byte> zebin,
                          const zetl::isa::xe::Product& product = zetl::isa::xe::kPvc);

    /// Which handlers programs are lowered with; `masked` leaves out the versions for full lanes.
    void choose(const emulator::isa::StepTable& table, bool masked);

    // Arguments of the next run, in order.
    template <class T>
    KernelRunner& pointer(std::vector<T>& v) {
        return address(v.data(), v.size() * sizeof(T));
    }
    template <class T>
    KernelRunner& value(const T& v) {
        return bytes(&v, sizeof v);
    }
    KernelRunner& localMemory(std::uint32_t size);

    /// Launches and forgets the arguments. Empty, or the fault.
    std::string run(const std::string& kernel, emulator::module::Extent global, emulator::module::Extent local);

    bool findMemory(emulator::isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                    emulator::isa::MemoryWindow& window) noexcept override;
    void signalBarrier(emulator::isa::Thread&, const emulator::isa::BarrierSignal&) noexcept override {}
    const emulator::isa::Program* findProgram(emulator::isa::Thread&, std::uint32_t) noexcept override {
        return nullptr;
    }
    std::uint64_t timestamp() noexcept override { return 0; }

  private:
    struct Launch;
    KernelRunner& address(void* p, std::size_t size);
    KernelRunner& bytes(const void* p, std::size_t size);
    void prepare(emulator::isa::Thread& t, Launch& launch, std::uint32_t index, const emulator::module::Extent& group);
    MemoryRanges memoryOf(Launch& launch, emulator::isa::Thread& thread) const;
    std::string runGroup(Launch& launch, const emulator::module::Extent& group);

    const zetl::isa::xe::Architecture& architecture_;
    binary::ModulePointer image_;
    std::vector<std::vector<std::byte>> data_;
    std::unique_ptr<emulator::module::LinkedModule> module_;
    std::unique_ptr<emulator::isa::Program> program_;
    std::unique_ptr<Execution> execution_;
    std::vector<emulator::module::ArgumentValue> arguments_;
    std::vector<emulator::isa::MemoryWindow> memory_;
};

}  // namespace zetl::test
