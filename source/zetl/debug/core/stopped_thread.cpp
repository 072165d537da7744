#include "core/stopped_thread.h"

#include <algorithm>
#include <cstring>

#include "core/failure.h"
#include "core/level_zero.h"

namespace zetl::debugger {
namespace {

template <class T>
T as(const Bytes& bytes, std::size_t offset = 0) {
    T value{};
    if (offset < bytes.size())
        std::memcpy(&value, bytes.data() + offset, std::min(sizeof value, bytes.size() - offset));
    return value;
}

}  // namespace

std::optional<Bytes> StoppedThread::read(std::uint32_t type, std::uint32_t first, std::uint32_t count) {
    const auto& sets = link_.registerSets();
    const auto set = std::ranges::find(sets, type, &zet_debug_regset_properties_t::type);
    if (set == sets.end() || count == 0) return std::nullopt;
    if (const auto known = known_.find({type, first}); count == 1 && known != known_.end()) return known->second;
    Bytes values(std::size_t{count} * set->byteSize);
    if (link_.readRegisters(id_, type, first, count, values.data()) != ZE_RESULT_SUCCESS) return std::nullopt;
    for (std::uint32_t i = 0; i < count; ++i)
        known_[{type, first + i}] = {values.begin() + i * set->byteSize, values.begin() + (i + 1) * set->byteSize};
    return values;
}

void StoppedThread::write(std::uint32_t type, std::uint32_t first, std::uint32_t count, const Bytes& values) {
    known_.clear();
    if (const auto result = link_.writeRegisters(id_, type, first, count, values.data()); result != ZE_RESULT_SUCCESS)
        fail("the register cannot be written ({})", resultText(result));
}

Bytes StoppedThread::must(std::uint32_t type, std::uint32_t first, std::uint32_t count) {
    auto values = read(type, first, count);
    if (!values) fail("thread {} does not stand still: its registers cannot be read", textOf(id_));
    return *std::move(values);
}

std::array<std::uint32_t, 4> StoppedThread::control() {
    return as<std::array<std::uint32_t, 4>>(must(registers::kControl, 0, 1));
}

std::uint32_t StoppedThread::general32(unsigned number, unsigned word) {
    return as<std::uint32_t>(must(registers::kGeneral, number, 1), word * 4);
}

std::uint64_t StoppedThread::stateBase(unsigned which) {
    if (const auto known = known_.find({registers::kStateBase, which}); known != known_.end())
        return as<std::uint64_t>(known->second);
    return as<std::uint64_t>(must(registers::kStateBase, 0, registers::kScratchBase + 1), which * 8);
}

std::uint32_t StoppedThread::dispatchedLanes() { return as<std::uint32_t>(must(registers::kStatus, 0, 1), 8); }

std::uint32_t StoppedThread::activeLanes() {
    return as<std::uint32_t>(must(registers::kChannelEnable, 0, 1)) & dispatchedLanes();
}

Triple StoppedThread::group() { return {general32(0, 1), general32(0, 6), general32(0, 7)}; }

void StoppedThread::prepare(bool stopAgain) {
    auto values = control();
    values[0] |= registers::kSuppressBreakpoint;
    values[1] &= ~(registers::kBreakpointOrStep | registers::kHalted | registers::kIllegal | registers::kSoftware |
                   registers::kFault);
    if (stopAgain) values[1] |= registers::kBreakpointOrStep;
    Bytes bytes(sizeof values);
    std::memcpy(bytes.data(), values.data(), sizeof values);
    write(registers::kControl, 0, 1, bytes);
}

}  // namespace zetl::debugger
