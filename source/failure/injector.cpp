#include "failure/injector.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/result_name.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::failure {
namespace {

constexpr log::Channel kChannel = log::Channel::layer;

constinit thread_local std::uint64_t threadNumber = 0;  // from 1; 0: no call yet

/// Where functions that free memory have its address.
struct FreeingFunction {
    ddi::Function function;
    std::uint8_t pointer;
};
constexpr FreeingFunction kFreeing[] = {{ddi::Function::zeMemFree, 1}, {ddi::Function::zeMemFreeExt, 2}};

const FreeingFunction* freeingFunction(ddi::Function function) noexcept {
    const auto* const found = std::ranges::find(kFreeing, function, &FreeingFunction::function);
    return found == std::end(kFreeing) ? nullptr : found;
}

std::uint64_t sizeOf(ddi::Function function, void* const* arguments) noexcept {
    const SizedFunction* const row = sizedFunction(function);
    return row != nullptr ? *static_cast<const std::size_t*>(arguments[row->size]) : 0;
}

const void* freedBy(const FreeingFunction& row, void* const* arguments) noexcept {
    return *static_cast<void* const*>(arguments[row.pointer]);
}

[[noreturn]] void waitForever() noexcept {
    for (;;) pause();
}

/// A program that asks how much memory there is learns of the limit.
void limitProperties(void* const* arguments, std::uint64_t limit) noexcept {
    const auto* const count = *static_cast<std::uint32_t* const*>(arguments[1]);
    auto* const properties = *static_cast<ze_device_memory_properties_t* const*>(arguments[2]);
    if (count == nullptr || properties == nullptr) return;
    for (std::uint32_t i = 0; i < *count; ++i) properties[i].totalSize = std::min(properties[i].totalSize, limit);
}

}  // namespace

Injector::Injector(std::vector<Rule> rules) : rules_(std::move(rules)), calls_(rules_.size()) {
    for (const Rule& rule : rules_) {
        watched_ |= rule.functions;
        if (rule.effect == Effect::lost || rule.effect == Effect::lostAfter) watched_ |= functionsOfDevice();
        if (rule.effect != Effect::limit) continue;
        limit_ = std::min(limit_, rule.amount);
        watched_.set(ddi::index(ddi::Function::zeDeviceGetMemoryProperties));
        for (const FreeingFunction& each : kFreeing) watched_.set(ddi::index(each.function));
    }
}

void Injector::refuse(const Rule& rule, std::uint64_t number, ddi::Function function, std::uint32_t code,
                      Verdict& verdict) noexcept {
    if (!verdict.made) return;
    verdict.made = false;
    verdict.code = code;
    log::error(kChannel, "{}: {} with {}, call {} of the rule '{}'", ddi::row(function).name, kOnPurpose,
               shortResultName(code), number, rule.text);
}

void Injector::apply(const Rule& rule, std::uint64_t number, ddi::Function function, Verdict& verdict) noexcept {
    switch (rule.effect) {
        case Effect::code:
            return refuse(rule, number, function, rule.code, verdict);
        case Effect::lost:
            lost_.store(true);
            return refuse(rule, number, function, ZE_RESULT_ERROR_DEVICE_LOST, verdict);
        case Effect::lostAfter:
            verdict.losesDevice = true;
            return;
        case Effect::hang:
            log::error(kChannel, "{}: hangs on purpose, call {} of the rule '{}'", ddi::row(function).name, number,
                       rule.text);
            waitForever();
        case Effect::delay:
            log::info(kChannel, "{}: waits on purpose, call {} of the rule '{}'", ddi::row(function).name, number,
                      rule.text);
            return std::this_thread::sleep_for(std::chrono::nanoseconds(rule.amount));
        case Effect::limit:
            return refuse(rule, number, function, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, verdict);
    }
}

Verdict Injector::before(ddi::Function function, void* const* arguments) noexcept {
    Verdict verdict;
    if (lost_.load(std::memory_order_relaxed) && functionsOfDevice().test(ddi::index(function)))
        return {.made = false, .code = ZE_RESULT_ERROR_DEVICE_LOST};
    if (threadNumber == 0) threadNumber = ++threads_;
    const std::uint64_t size = sizeOf(function, arguments);
    for (std::size_t i = 0; i < rules_.size(); ++i) {
        const Rule& rule = rules_[i];
        if (!rule.functions.test(ddi::index(function)) || (rule.thread != 0 && rule.thread != threadNumber) ||
            size < rule.leastSize)
            continue;
        const std::uint64_t number = ++calls_[i];
        if (!rule.wants(number)) continue;
        if (rule.effect == Effect::limit) {
            if (!verdict.made || verdict.reserved != 0) continue;
            if (memory_.reserve(size, rule.amount)) {
                verdict.reserved = size;
                continue;
            }
        }
        apply(rule, number, function, verdict);
    }
    if (!verdict.made) {
        memory_.unreserve(std::exchange(verdict.reserved, 0));
        return verdict;
    }
    if (const FreeingFunction* const row = freeingFunction(function); row != nullptr)
        verdict.reserved = memory_.take(freedBy(*row, arguments));
    return verdict;
}

void Injector::after(ddi::Function function, void* const* arguments, const Verdict& verdict,
                     std::uint32_t result) noexcept {
    const bool good = result == ZE_RESULT_SUCCESS;
    if (verdict.losesDevice) {
        log::error(kChannel, "{}: the device is lost on purpose after this call", ddi::row(function).name);
        lost_.store(true);
    }
    if (function == ddi::Function::zeDeviceGetMemoryProperties && good) limitProperties(arguments, limit_);
    if (verdict.reserved == 0) return;
    if (const FreeingFunction* const row = freeingFunction(function); row != nullptr) {
        if (good) return;
        memory_.reserve(verdict.reserved, std::numeric_limits<std::uint64_t>::max());
        memory_.keep(freedBy(*row, arguments), verdict.reserved);
        return;
    }
    if (!good) return memory_.unreserve(verdict.reserved);
    memory_.keep(**static_cast<void** const*>(arguments[sizedFunction(function)->pointer]), verdict.reserved);
}

}  // namespace zetl::failure
