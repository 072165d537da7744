#include "endpoint/unshared_descriptor.h"

#include <pthread.h>
#include <unistd.h>

#include <array>

namespace zetl::endpoint {
namespace {

constexpr std::size_t kMost = 256;
constexpr int kFree = 0;        // none of our descriptors is standard input
constexpr int kForgotten = -1;  // closed in a forked child; its owner may still try to close it

/// Plain numbers in static storage: a forked child of a process with threads may neither lock nor allocate.
constinit std::array<std::atomic<int>, kMost> slots{};

void closeInChild() {
    for (auto& slot : slots)
        if (const int descriptor = slot.load(); descriptor > 0 && slot.exchange(kForgotten) > 0) close(descriptor);
}

std::atomic<int>* keep(int descriptor) noexcept {
    static const int registered = pthread_atfork(nullptr, nullptr, closeInChild);
    static_cast<void>(registered);
    for (auto& slot : slots) {
        int expected = kFree;
        if (descriptor > 0 && slot.compare_exchange_strong(expected, descriptor)) return &slot;
    }
    return nullptr;
}

}  // namespace

UnsharedDescriptor::UnsharedDescriptor(FileDescriptor descriptor) noexcept
    : descriptor_(descriptor.release()), slot_(keep(descriptor_)) {}

UnsharedDescriptor::~UnsharedDescriptor() {
    const bool ours = !slot_ || slot_->exchange(kFree) == descriptor_;
    if (ours && descriptor_ >= 0) close(descriptor_);
}

}  // namespace zetl::endpoint
