// One hardware thread with a machine of its own around it: flat memory that the test allocates, local memory, scratch.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "assembler.h"
#include "emulator/isa/program.h"
#include "emulator/isa/step_table.h"
#include "emulator/isa/thread.h"
#include "execution.h"

namespace zetl::test {

namespace isa = emulator::isa;

class LoneThread : public isa::Environment {
  public:
    LoneThread();

    /// Lowers code at `base` and puts the thread at its start with the given lanes on and all denormals kept.
    void load(const Code& code, std::uint32_t lanes = 0xffff, const isa::LowerOptions& options = {.base = 0x10000},
              const isa::StepTable& table = isa::hostTable());
    /// load(), then run to the end or the first stop that is no pause.
    isa::Status run(const Code& code, std::uint32_t lanes = 0xffff);
    isa::Status resume();

    isa::Thread& thread() { return *thread_; }
    isa::Program& program() { return *program_; }

    /// Lane values in registers from `number` on.
    template <class T>
    void set(std::uint32_t number, const std::vector<T>& lanes) {
        std::memcpy(thread_->grf(number), lanes.data(), lanes.size() * sizeof(T));
    }
    template <class T>
    std::vector<T> get(std::uint32_t number, std::size_t count) {
        std::vector<T> v(count);
        std::memcpy(v.data(), thread_->grf(number), count * sizeof(T));
        return v;
    }
    template <class T>
    T scalar(std::uint32_t number, std::uint32_t element = 0) {
        return get<T>(number, element + 1)[element];
    }
    std::uint32_t flag(std::uint32_t number) { return thread_->at<std::uint32_t>(isa::layout::kFlags + number * 4); }
    void setFlag(std::uint32_t number, std::uint32_t bits) {
        thread_->at<std::uint32_t>(isa::layout::kFlags + number * 4) = bits;
    }
    void setControl(std::uint32_t bits) { thread_->at<std::uint32_t>(isa::layout::kControl) = bits; }

    /// Memory that the thread may use; its address is the host's.
    std::vector<std::byte>& allocate(std::size_t bytes, bool writable = true);
    static std::uint64_t addressOf(const std::vector<std::byte>& area) {
        return reinterpret_cast<std::uint64_t>(area.data());
    }

    std::vector<std::byte> local;
    std::vector<std::byte> scratch;
    std::vector<std::byte> payload;
    std::vector<isa::BarrierSignal> signals;
    std::vector<std::pair<std::uint32_t, const isa::Program*>>
        others;  ///< further programs, by the address of their first byte

    bool findMemory(isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                    isa::MemoryWindow& window) noexcept override;
    void signalBarrier(isa::Thread&, const isa::BarrierSignal& s) noexcept override { signals.push_back(s); }
    const isa::Program* findProgram(isa::Thread&, std::uint32_t ip) noexcept override;
    std::uint64_t timestamp() noexcept override { return 1234; }

  private:
    MemoryRanges memory();
    struct Area {
        std::vector<std::byte> bytes;
        bool writable;
    };
    std::vector<std::unique_ptr<Area>> areas_;
    isa::PendingAdditions additions_;
    std::unique_ptr<isa::Thread> thread_;
    std::unique_ptr<isa::Program> program_;
    std::unique_ptr<Execution> execution_;
};

/// The tables that this processor and build have.
std::vector<const isa::StepTable*> usableTables();

}  // namespace zetl::test
