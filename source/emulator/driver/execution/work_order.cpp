#include "emulator/driver/execution/work_order.h"

#include <algorithm>

#include "emulator/driver/device/device.h"

namespace zetl::emulator::driver {

std::atomic<std::uint64_t> HostWork::time_{0};

void HostWork::saw(std::uint64_t end) noexcept {
    std::uint64_t known = time_.load(std::memory_order_relaxed);
    while (known < end && !time_.compare_exchange_weak(known, end, std::memory_order_release)) continue;
}

WorkOrder::WorkOrder(Device& device, std::uint64_t submission) : behind_(HostWork::time()) {
    for (std::uint32_t i = 0; i < device.tiles(); ++i)
        if (auto expected = device.tile(i).expect(submission, behind_)) tiles_.push_back(std::move(expected));
}

void WorkOrder::follow(std::uint64_t end) noexcept {
    if (end <= behind_) return;
    behind_ = end;
    for (const auto& tile : tiles_) tile->passed(end);
}

void WorkOrder::pause(bool pauses) const noexcept {
    for (const auto& tile : tiles_) tile->pause(pauses);
}

}  // namespace zetl::emulator::driver
