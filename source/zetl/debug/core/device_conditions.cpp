#include "core/device_conditions.h"

#include <ze_tools_layer/conditions.h>

#include <algorithm>
#include <optional>

#include "core/address.h"
#include "core/condition_code.h"
#include "core/failure.h"
#include "core/xe_registers.h"
#include "isa/xe/architecture.h"

namespace zetl::debugger {
namespace {

/// A stopped thread as the device sees it.
class StoppedView final : public isa::xe::ConditionView {
  public:
    StoppedView(StoppedThread& thread, const Memory& memory) : thread_(thread), memory_(memory) {}

    std::optional<std::uint64_t> base(std::uint64_t number) const override {
        const auto bytes = thread_.read(registers::kStateBase, static_cast<std::uint32_t>(number), 1);
        return bytes ? std::optional(bitsOf(*bytes, 0, 64)) : std::nullopt;
    }
    std::optional<std::uint64_t> registerBits(std::uint64_t firstBit, std::uint32_t bits) const override {
        constexpr std::uint64_t kBits = isa::xe::kRegisterBytes * 8;
        const std::uint64_t number = firstBit / kBits;
        const std::uint32_t count = firstBit % kBits + bits > kBits ? 2 : 1;
        if (number > UINT32_MAX) return {};
        const auto bytes = thread_.read(registers::kGeneral, static_cast<std::uint32_t>(number), count);
        return bytes ? std::optional(bitsOf(*bytes, firstBit % kBits, bits)) : std::nullopt;
    }
    std::optional<std::uint64_t> memory(std::uint64_t address, std::uint32_t bytes) const override {
        auto data = readAny(memory_, thread_, address, bytes);
        if (!data && (address & ~kLocalOffset) == kLocalMark) return local(address, bytes);
        return data ? std::optional(bitsOf(*data, 0, bytes * 8)) : std::nullopt;
    }
    std::optional<std::uint64_t> local(std::uint64_t offset, std::uint32_t bytes) const override {
        const auto data = memory_.readLocal(thread_.id(), offset & kLocalOffset, bytes);
        return data ? std::optional(bitsOf(*data, 0, bytes * 8)) : std::nullopt;
    }

  private:
    StoppedThread& thread_;
    const Memory& memory_;
};

std::optional<bool> isTrueFor(const std::string& condition, Inspector& inspector) try {
    return isTrue(scalarOf(evaluateExpression(condition, inspector)));
} catch (const Failure&) {
    return std::nullopt;
}

}  // namespace

std::vector<std::string> DeviceConditions::conditionsAt(std::uint64_t address) const {
    std::vector<std::string> conditions;
    for (const auto* each : breakpoints_.hitAt(address)) {
        if (each->condition.empty()) return {};
        conditions.push_back(each->condition);
    }
    if (conditions.size() != memory_.insertionsAt(address)) return {};  // one is a step's
    return conditions;
}

bool DeviceConditions::give(std::uint64_t address, const std::vector<isa::xe::ConditionStep>& steps) {
    static_assert(sizeof(isa::xe::ConditionStep) == sizeof(zetl_condition_step_t));
    const auto result = link_.writeMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_CONDITIONS, address,
                                          steps.size() * sizeof steps[0], steps.data());
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION) isRefused_ = true;
    return result == ZE_RESULT_SUCCESS;
}

void DeviceConditions::offer(std::uint64_t address, Inspector& inspector, const Frame& frame, const WorkItems& items,
                             const ValueHistory& history, LocationCheck& locations) {
    const auto known = given_.find(address);
    const auto conditions = isRefused_ ? std::vector<std::string>() : conditionsAt(address);
    if (conditions.empty() || (known != given_.end() && known->second.conditions == conditions)) return;
    auto& given = given_[address] = {conditions, locations.trusts(), false};
    try {
        const auto* const kernel = frame.module ? frame.module->kernelAt(address) : nullptr;
        std::optional<Code> all;
        for (const auto& each : conditions) {
            auto code = conditionCode(each, inspector, frame, kernel, memory_);
            all = all ? all->with(Code::Operation::either, code) : std::move(code);
        }
        if (!isa::xe::isCondition(all->steps())) return;
        // The code must say what the debugger says.
        const StoppedView view(inspector.thread(), memory_);
        for (const auto& item : items.items) {
            if (!item.active) continue;
            Inspector one(frame, inspector.thread(), memory_, items, item.lane, history, locations);
            std::optional<bool> expected = false;
            for (const auto& each : conditions)
                if (expected == std::optional(false)) expected = isTrueFor(each, one);
            const auto value = isa::xe::conditionValue(all->steps(), item.lane, view);
            if (expected.has_value() != value.has_value() || (value && (*value != 0) != *expected)) return;
        }
        given.isDevices = give(address, all->steps());
    } catch (const Failure&) {  // stays with the debugger
    }
}

void DeviceConditions::agree(const LocationCheck& locations) {
    std::erase_if(given_, [&](const auto& each) {
        const auto& [address, given] = each;
        if (conditionsAt(address) == given.conditions && given.trusts == locations.trusts()) return false;
        if (given.isDevices) give(address, {{ZETL_CONDITION_NONE, 0, 0}});
        return true;
    });
}

bool DeviceConditions::areDevices(std::uint64_t address) const {
    const auto known = given_.find(address);
    return known != given_.end() && known->second.isDevices;
}

std::uint64_t DeviceConditions::passed() const {
    zetl_condition_counts_t counts{};
    const bool any = std::ranges::any_of(given_, [](const auto& each) { return each.second.isDevices; });
    const bool isRead = any && link_.readMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_CONDITIONS, 0, sizeof counts,
                                                &counts) == ZE_RESULT_SUCCESS;
    return isRead ? counts.passed : 0;
}

}  // namespace zetl::debugger
