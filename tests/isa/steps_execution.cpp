#include "execution.h"

namespace zetl::test {
namespace {

class StepsExecution : public Execution {
  public:
    void prepare(std::uint32_t, std::uint32_t) override {}
    void resume(emulator::isa::Thread& thread, const MemoryRanges&) override { emulator::isa::resume(thread); }
};

}  // namespace

std::unique_ptr<Execution> makeExecution(emulator::isa::Program&,
                                         const std::function<std::unique_ptr<emulator::isa::Program>()>&) {
    return std::make_unique<StepsExecution>();
}

}  // namespace zetl::test
