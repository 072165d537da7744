#include "emulator/machine/execution/lane.h"

#include <utility>

#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/execution/worker.h"
#include "emulator/translate/translation.h"

namespace zetl::emulator::machine {

bool Lane::knowsGroupCode() {
    if (!beginning_.isKnown()) {
        const std::uint64_t version = threads_.codeVersion();
        beginning_.learn(*group_.dispatch().launch().code->program(), version);
    }
    return beginning_.group() != nullptr;
}

bool Lane::fits(const Worker& worker) const {
    return state_ && state_->turn == worker.turn && beginning_.fits(*state_, threads_.codeVersion());
}

isa::Thread& Lane::begin(Worker& worker, std::uint32_t index) {
    if (fits(worker)) return beginAgain(index);
    if (!state_) state_ = worker.take();
    threads_.prepare(*state_, index);
    threads_.attach(*state_, worker, threads_.codeVersion());
    beginning_.learn(*state_->loaded, state_->codeVersion);
    if (beginning_.group() != nullptr) state_->dirty.add(beginning_.group()->written);
    return state_->state;
}

isa::Thread& Lane::beginAgain(std::uint32_t index) {
    beginning_.apply(*state_, index);
    return state_->state;
}

std::unique_ptr<HardwareThread> Lane::leave() noexcept {
    wasLeft_ = true;
    return std::move(state_);
}

void Lane::countTraffic() noexcept {
    if (state_ && state_->tally != nullptr) threads_.countTraffic(*state_);
}

void Lane::giveBack(Worker& worker) noexcept {
    if (state_) worker.give(std::move(state_));
}

}  // namespace zetl::emulator::machine
