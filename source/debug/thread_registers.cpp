#include "debug/thread_registers.h"

#include <cstring>
#include <utility>

namespace zetl::debug {

ThreadRegisters::Ticket ThreadRegisters::ticket() const {
    const Lock guard(mutex_);
    return newest_;
}

void ThreadRegisters::keep(const zetl_thread_t& thread, RegisterSnapshot snapshot, Ticket ticket) {
    const Lock guard(mutex_);
    if (ticket != newest_) return;
    thread_ = thread;
    current_ = true;
    snapshot_ = std::move(snapshot);
}

void ThreadRegisters::forget() {
    const Lock guard(mutex_);
    ++newest_;
    snapshot_.reset();
}

void ThreadRegisters::forgetValues() {
    const Lock guard(mutex_);
    ++newest_;
    current_ = false;
}

bool ThreadRegisters::isOf(const zetl_thread_t& thread) const {
    return snapshot_ && std::memcmp(&thread, &thread_, sizeof thread) == 0;
}

std::optional<std::uint32_t> ThreadRegisters::count(const zetl_thread_t& thread, std::uint32_t type) const {
    const Lock guard(mutex_);
    return isOf(thread) ? snapshot_->count(type) : std::nullopt;
}

bool ThreadRegisters::read(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first, std::uint32_t count,
                           std::uint64_t bytes, void* values) const {
    const Lock guard(mutex_);
    const auto* found = current_ && isOf(thread) ? snapshot_->find(type, first, count, bytes) : nullptr;
    if (!found) return false;
    std::memcpy(values, found, bytes);
    return true;
}

}  // namespace zetl::debug
