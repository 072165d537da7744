// A machine on the bench: compiles OpenCL C with Intel's compiler, or assembles text with iga64, and launches the
// result.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/machine/machine.h"
#include "emulator/module/link.h"
#include "emulator/module/payload.h"
#include "isa/xe/surface_state.h"
#include "support/effort.h"
#include "support/wait_for.h"

namespace zetl::emulator::machine::bench {

/// One argument of a kernel.
struct Argument {
    template <class T>
    Argument(T value) : value{binary::Bytes(sizeof value), 0} {
        std::memcpy(this->value.bytes.data(), &value, sizeof value);
    }
    static Argument local(std::uint32_t bytes) {
        Argument argument(std::uint64_t{0});
        argument.value = {{}, bytes};
        return argument;
    }
    module::ArgumentValue value;
};

/// Code in the heap and what is known of its kernel.
struct Kernel {
    std::shared_ptr<CodeRange> code;
    std::shared_ptr<module::LinkedModule> linked;  ///< null for assembled text
    const binary::KernelImage* image = nullptr;
    std::uint32_t offset = 0;
    std::string name;
    std::vector<std::uint64_t> inlineSamplers;  ///< offsets of their states
};

class KernelBench {
  public:
    explicit KernelBench(const std::string& profile = "small", std::uint32_t workers = 0);
    explicit KernelBench(const Profile& profile, std::uint32_t workers = 0);
    ~KernelBench();
    /// One in which overruns that hardware does not notice are faults.
    static std::unique_ptr<KernelBench> strict(const std::string& profile, std::uint32_t workers = 0);

    Machine& machine() { return *machine_; }
    Device& device(std::uint32_t index = 0) { return machine_->device(index); }
    Tile& tile(std::uint32_t index = 0) { return device().tile(index); }
    Memory& memory() { return machine_->memory(); }

    /// A zeroed buffer, freed with the bench.
    template <class T = std::uint32_t>
    T* buffer(std::size_t elements) {
        return reinterpret_cast<T*>(allocate(elements * sizeof(T)));
    }
    std::uint64_t allocate(std::uint64_t bytes);
    /// An image in such memory, as an argument.
    Argument image(const zetl::isa::xe::SurfaceState& state);
    /// Frees a buffer before its time.
    void release(void* buffer) { memory().free(reinterpret_cast<std::uint64_t>(buffer)); }

    /// Compiles; fails the test with the build log if that fails.
    Kernel build(const std::string& source, const std::string& name, const std::string& flags = "");
    /// Another kernel of a module that build() has compiled.
    Kernel ofSameModule(const Kernel& other, const std::string& name);
    /// Assembles with iga64; the text starts at the kernel's first instruction. Nothing preloaded but r0.
    Kernel assemble(const std::string& text);
    /// Machine code as it is.
    Kernel place(std::vector<std::byte> code, const std::string& name);

    /// Launches leave so much between the local memory of their arguments, as they do when they are checked.
    void leaveLocalGap(std::uint32_t bytes) { localGap_ = bytes; }
    /// What the driver would hand to the machine.
    Launch prepare(const Kernel& kernel, Extent groupSize, Extent groupCount, const std::vector<Argument>& arguments);
    std::shared_ptr<Dispatch> launch(const Kernel& kernel, Extent groupSize, Extent groupCount,
                                     const std::vector<Argument>& arguments = {}, Completion completion = {});
    /// Launches and waits; fails the test after a minute.
    std::shared_ptr<Dispatch> run(const Kernel& kernel, Extent groupSize, Extent groupCount,
                                  const std::vector<Argument>& arguments = {});
    /// Waits until the predicate holds; false after ten seconds.
    template <class F>
    static bool eventually(F&& predicate) {
        return test::waitFor(predicate, std::chrono::seconds(test::effort(10, 60)));
    }

  private:
    std::uint64_t placeState(std::span<const std::byte> state);

    std::unique_ptr<Machine> machine_;
    std::uint64_t stateHeap_ = 0;   ///< where surface and sampler states lie, as soon as there is one
    std::uint64_t stateBytes_ = 0;  ///< of it, in use
    std::uint32_t localGap_ = 0;
};

}  // namespace zetl::emulator::machine::bench
