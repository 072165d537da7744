#include "core/memory.h"

#include <cstring>

namespace zetl::debugger {
namespace {

/// What marks an address as one of the work-group's memory.
constexpr std::uint64_t kLocalMark = 0x1000'0000;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

}  // namespace

std::optional<Bytes> Memory::raw(std::uint64_t address, std::size_t bytes) const {
    if (bytes > kMostAtOnce) return std::nullopt;
    Bytes data(bytes);
    if (link_.readMemory(kEveryThread, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address, bytes, data.data()) !=
        ZE_RESULT_SUCCESS)
        return std::nullopt;
    return data;
}

void Memory::hideBreakpoints(std::uint64_t address, Bytes& data, bool on) const {
    for (auto it = inserted_.lower_bound(address - 3); it != inserted_.end() && it->first < address + data.size(); ++it)
        for (unsigned byte = 0; byte < 4; ++byte) {
            const auto at = it->first + byte - address;
            const auto bits = static_cast<std::uint8_t>(it->second.bit >> (8 * byte));
            if (at < data.size()) data[at] = static_cast<std::uint8_t>(on ? data[at] | bits : data[at] & ~bits);
        }
}

std::optional<Bytes> Memory::read(std::uint64_t address, std::size_t bytes) const {
    auto data = raw(address, bytes);
    if (data) hideBreakpoints(address, *data, false);
    return data;
}

bool Memory::write(std::uint64_t address, const Bytes& wanted) {
    auto data = wanted;
    hideBreakpoints(address, data, true);
    return link_.writeMemory(kEveryThread, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address, data.size(), data.data()) ==
           ZE_RESULT_SUCCESS;
}

std::optional<Bytes> Memory::readLocal(const ThreadId& thread, std::uint64_t offset, std::size_t bytes) const {
    if (bytes > kMostAtOnce) return std::nullopt;
    Bytes data(bytes);
    if (link_.readMemory(thread, ZET_DEBUG_MEMORY_SPACE_TYPE_SLM, kLocalMark | offset, bytes, data.data()) !=
        ZE_RESULT_SUCCESS)
        return std::nullopt;
    return data;
}

bool Memory::writeLocal(const ThreadId& thread, std::uint64_t offset, const Bytes& data) {
    return link_.writeMemory(thread, ZET_DEBUG_MEMORY_SPACE_TYPE_SLM, kLocalMark | offset, data.size(), data.data()) ==
           ZE_RESULT_SUCCESS;
}

std::optional<Instruction> Memory::instruction(std::uint64_t address) const {
    auto data = read(address, 8);
    if (!data) return std::nullopt;
    Instruction result;
    std::memcpy(&result.low, data->data(), 8);
    if (result.compacted()) return result;
    data = read(address + 8, 8);
    if (!data) return std::nullopt;
    std::memcpy(&result.high, data->data(), 8);
    return result;
}

bool Memory::setBit(std::uint64_t address, bool on) {
    const auto data = raw(address, 4);
    if (!data) return false;
    Instruction instruction;
    std::memcpy(&instruction.low, data->data(), 4);
    const auto bit = instruction.breakpointBit();
    const auto word = static_cast<std::uint32_t>(on ? instruction.low | bit : instruction.low & ~bit);
    return link_.writeMemory(kEveryThread, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address, sizeof word, &word) ==
           ZE_RESULT_SUCCESS;
}

bool Memory::insertBreakpoint(std::uint64_t address) {
    if (const auto known = inserted_.find(address); known != inserted_.end()) return ++known->second.count > 0;
    const auto there = instruction(address);
    if (!there || !setBit(address, true)) return false;
    inserted_[address] = {1, there->breakpointBit()};
    return true;
}

void Memory::removeBreakpoint(std::uint64_t address) {
    const auto known = inserted_.find(address);
    if (known == inserted_.end() || --known->second.count > 0) return;
    inserted_.erase(known);
    setBit(address, false);
}

void Memory::clearMark(std::uint64_t address) {
    if (!hasBreakpoint(address)) setBit(address, false);
}

void Memory::forget(std::uint64_t begin, std::uint64_t end) {
    inserted_.erase(inserted_.lower_bound(begin), inserted_.lower_bound(end));
}

}  // namespace zetl::debugger
