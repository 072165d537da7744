#include "emulator/machine/execution/worker.h"

#include <new>
#include <utility>

#include "emulator/machine/execution/work_group.h"

namespace zetl::emulator::machine {

Worker::Worker(std::uint32_t number, Quiescence& quiescence)
    : index(number), reader(quiescence), turn(std::uint64_t{number + 1} << 48) {}
Worker::~Worker() = default;

std::unique_ptr<HardwareThread> Worker::take() {
    if (spare.empty()) return std::make_unique<HardwareThread>();
    auto thread = std::move(spare.back());
    spare.pop_back();
    thread->group = nullptr;  // what it knows is of another group
    return thread;
}

void Worker::give(std::unique_ptr<HardwareThread> thread) noexcept {
    try {
        spare.push_back(std::move(thread));
    } catch (const std::bad_alloc&) {
        // It goes, which gives memory back.
    }
}

}  // namespace zetl::emulator::machine
