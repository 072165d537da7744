#include "core/memory.h"

#include <cstring>

#include "core/address.h"

namespace zetl::debugger {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
constexpr std::size_t kPiece = 4096;    ///< that is read at once
constexpr std::uint64_t kLongest = 16;  // bytes of an instruction

std::uint8_t withBreakpoint(std::uint8_t data, const BreakpointCode& code, unsigned byte, bool on) {
    const auto of = [byte](const std::array<std::uint64_t, 2>& words) {
        return static_cast<unsigned>(words[byte / 8] >> (byte % 8 * 8) & 0xff);
    };
    return static_cast<std::uint8_t>((data & ~of(code.mask)) | (of(on ? code.on : code.off) & of(code.mask)));
}

}  // namespace

std::optional<Bytes> Memory::raw(std::uint64_t address, std::size_t bytes) const {
    if (bytes > kMostAtOnce) return std::nullopt;
    if (auto known = ofPiece(address, bytes)) return known;
    Bytes data(bytes);
    if (link_.readMemory(kEveryThread, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address, bytes, data.data()) !=
        ZE_RESULT_SUCCESS)
        return std::nullopt;
    return data;
}

std::optional<Bytes> Memory::ofPiece(std::uint64_t address, std::size_t bytes) const {
    const auto offset = address % kPiece;
    if (together_ == 0 || bytes > kPiece - offset) return std::nullopt;
    const auto [found, isNew] = pieces_.try_emplace(address - offset);
    auto& piece = found->second;
    if (isNew) {
        piece.resize(kPiece);
        if (link_.readMemory(kEveryThread, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, found->first, kPiece, piece.data()) !=
            ZE_RESULT_SUCCESS)
            piece.clear();
    }
    if (piece.empty()) return std::nullopt;
    const auto begin = piece.begin() + static_cast<std::ptrdiff_t>(offset);
    return Bytes(begin, begin + static_cast<std::ptrdiff_t>(bytes));
}

void Memory::hideBreakpoints(std::uint64_t address, Bytes& data, bool on) const {
    for (auto it = inserted_.lower_bound(address - kLongest + 1);
         it != inserted_.end() && it->first < address + data.size(); ++it) {
        const auto& code = it->second.code;
        for (unsigned byte = 0; byte < code.bytes; ++byte)
            if (const auto at = it->first + byte - address; at < data.size())
                data[at] = withBreakpoint(data[at], code, byte, on);
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
    pieces_.clear();
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

std::optional<Bytes> Memory::readOwn(const ThreadId& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                                     std::size_t bytes) const {
    if (bytes > kMostAtOnce) return std::nullopt;
    Bytes data(bytes);
    if (link_.readMemory(thread, space, address, bytes, data.data()) != ZE_RESULT_SUCCESS) return std::nullopt;
    return data;
}

bool Memory::writeOwn(const ThreadId& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                      const Bytes& data) {
    return link_.writeMemory(thread, space, address, data.size(), data.data()) == ZE_RESULT_SUCCESS;
}

std::optional<Instruction> Memory::instruction(std::uint64_t address) const {
    std::array<std::uint64_t, 2> words{};
    auto data = read(address, 8);
    if (!data) return std::nullopt;
    std::memcpy(&words[0], data->data(), 8);
    if (link_.architecture().bytesOf(words[0]) > 8) {
        data = read(address + 8, 8);
        if (!data) return std::nullopt;
        std::memcpy(&words[1], data->data(), 8);
    }
    return link_.architecture().decode(words);
}

bool Memory::setBreakpoint(std::uint64_t address, const BreakpointCode& code, bool on) {
    const auto there = raw(address, code.bytes);
    if (!there) return false;
    auto wanted = *there;
    for (unsigned byte = 0; byte < code.bytes; ++byte) wanted[byte] = withBreakpoint(wanted[byte], code, byte, on);
    if (wanted == *there) return true;
    return link_.writeMemory(kEveryThread, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address, wanted.size(),
                             wanted.data()) == ZE_RESULT_SUCCESS;
}

/// Returns what the breakpoint changed in the code.
std::optional<BreakpointCode> Memory::setByAddress(std::uint64_t address, const Instruction& original) {
    constexpr std::uint64_t kAll = UINT64_MAX;
    if (link_.setBreakpoint(address, true) != ZE_RESULT_SUCCESS) return std::nullopt;
    BreakpointCode code{.bytes = original.bytes, .mask = {kAll, kAll}, .on = original.words, .off = original.words};
    if (const auto now = raw(address, original.bytes)) std::memcpy(code.on.data(), now->data(), now->size());
    return code;
}

bool Memory::insertBreakpoint(std::uint64_t address) {
    if (const auto known = inserted_.find(address); known != inserted_.end()) return ++known->second.count > 0;
    const auto there = instruction(address);
    if (!there) return false;
    auto code = link_.architecture().breakpointIn(*there);
    const bool byAddress = !code;
    if (byAddress)
        code = setByAddress(address, *there);
    else if (!setBreakpoint(address, *code, true))
        return false;
    if (!code) return false;
    inserted_[address] = {1, *code, byAddress};
    return true;
}

void Memory::removeBreakpoint(std::uint64_t address) {
    const auto known = inserted_.find(address);
    if (known == inserted_.end() || --known->second.count > 0) return;
    const auto removed = known->second;
    inserted_.erase(known);
    if (removed.byAddress)
        link_.setBreakpoint(address, false);
    else
        setBreakpoint(address, removed.code, false);
}

void Memory::clearMark(std::uint64_t address) {
    if (hasBreakpoint(address)) return;
    const auto there = instruction(address);
    const auto code = there ? link_.architecture().breakpointIn(*there) : std::nullopt;
    if (code) setBreakpoint(address, *code, false);
}

void Memory::forget(std::uint64_t begin, std::uint64_t end) {
    inserted_.erase(inserted_.lower_bound(begin), inserted_.lower_bound(end));
}

}  // namespace zetl::debugger
