// Register sets of stopped threads.
#include <algorithm>

#include "base/log.h"
#include "debug/register_sets.h"
#include "debug/session.h"

namespace zetl::debug {

Result<std::uint32_t> Session::registerCount(const ThreadSet& thread, std::uint32_t type) {
    if (!thread.single() || !thread.within(device_)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (const auto result = checkReported(thread); result != ZE_RESULT_SUCCESS) return result;
    const auto target = this->target();
    std::uint32_t count = 0;
    const auto status = target ? target->registerCount(thread.access(), type, count) : ZETL_LOST;
    if (status == ZETL_OK) return count;
    return threadResultOf(status);
}

Result<Session::Range> Session::range(Target& target, const ThreadSet& thread, std::uint32_t type, std::uint32_t first,
                                      std::uint32_t count) const {
    const auto* set = findRegisterSet(device_, type);
    if (!set) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    std::uint32_t available = 0;
    const auto status = target.registerCount(thread.access(), type, available);
    if (status != ZETL_OK) return threadResultOf(status);
    available = std::min(available, set->count);  // even if the target claims more
    if (first >= available || count > available - first) {
        log::warn(log::Channel::debug, "registers {}+{} refused: set {} of this thread has {}", first, count, set->name,
                  available);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    return Range{set, bytesOf(*set, count, device_)};
}

ze_result_t Session::readRegisters(const ThreadSet& thread, std::uint32_t type, std::uint32_t first,
                                   std::uint32_t count, void* values) {
    if (const auto result = checkReported(thread); result != ZE_RESULT_SUCCESS) return result;
    const auto target = this->target();
    if (!target) return ZE_RESULT_ERROR_NOT_AVAILABLE;
    const auto range = this->range(*target, thread, type, first, count);
    if (!range) return range.code();
    const auto status = target->readRegisters(thread.access(), type, first, count, range->bytes, values);
    return threadResultOf(status);
}

ze_result_t Session::writeRegisters(const ThreadSet& thread, std::uint32_t type, std::uint32_t first,
                                    std::uint32_t count, const void* values) {
    if (const auto result = checkReported(thread); result != ZE_RESULT_SUCCESS) return result;
    const auto target = this->target();
    if (!target) return ZE_RESULT_ERROR_NOT_AVAILABLE;
    const auto range = this->range(*target, thread, type, first, count);
    if (!range) return range.code();
    if (!range->set->writeable) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const auto status = target->writeRegisters(thread.access(), type, first, count, range->bytes, values);
    return threadResultOf(status);
}

}  // namespace zetl::debug
