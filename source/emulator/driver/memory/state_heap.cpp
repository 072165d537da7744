#include "emulator/driver/memory/state_heap.h"

#include <atomic>
#include <cstring>
#include <deque>
#include <new>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::uint64_t kHeapBytes = 64 << 20;  // of which the host gives what is used
static_assert(StateSlot::kBytes % 64 == 0);

std::atomic<std::uint64_t> heapAddress{0};

class Heap {
  public:
    /// 0 if there is none left.
    std::uint32_t take() {
        const Lock guard(mutex_);
        if (!begin()) return 0;
        if (next_ + StateSlot::kBytes <= kHeapBytes) {
            // A slot that was freed is not used again at once, so that late accesses find nothing in it.
            if (free_.size() < kKept) return std::exchange(next_, next_ + StateSlot::kBytes);
        }
        if (free_.empty()) return 0;
        const std::uint32_t slot = free_.front();
        free_.pop_front();
        return slot;
    }
    void give(std::uint32_t slot) noexcept {
        const Lock guard(mutex_);
        try {
            free_.push_back(slot);
        } catch (const std::bad_alloc&) {  // the slot is lost
        }
    }

  private:
    static constexpr std::size_t kKept = 1024;

    bool begin() ZETL_REQUIRES(mutex_) {
        if (heapAddress.load(std::memory_order_relaxed) != 0) return true;
        machine::Memory::Request request;
        request.bytes = kHeapBytes;
        request.kind = machine::MemoryKind::internal;
        const auto answer = platform().memory().allocate(request);
        heapAddress.store(answer.address, std::memory_order_relaxed);
        return answer.status == machine::MemoryStatus::ok;
    }

    Mutex mutex_;
    std::uint32_t next_ ZETL_GUARDED_BY(mutex_) = StateSlot::kBytes;  // offset 0 stands for no state
    std::deque<std::uint32_t> free_ ZETL_GUARDED_BY(mutex_);
};

Heap& heap() {
    static NeverDestroyed<Heap> all;
    return *all;
}

}  // namespace

Result<std::shared_ptr<StateSlot>> StateSlot::take() {
    const std::uint32_t offset = heap().take();
    if (offset == 0)
        return refuse(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                      "no room for another image or sampler; destroy some of those that live");
    try {
        return std::make_shared<StateSlot>(offset);
    } catch (...) {
        heap().give(offset);
        throw;
    }
}

StateSlot::~StateSlot() {
    std::memset(bytes().data(), 0, kBytes);
    heap().give(offset_);
}

std::span<std::byte, StateSlot::kBytes> StateSlot::bytes() const noexcept {
    return std::span<std::byte, kBytes>(reinterpret_cast<std::byte*>(stateHeapAddress() + offset_), kBytes);
}

std::uint64_t stateHeapAddress() noexcept { return heapAddress.load(std::memory_order_relaxed); }

}  // namespace zetl::emulator::driver
