// Memory of a process that is debugged, its code and its modules.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/log.h"
#include "isa/sass/instruction.h"
#include "nvidia/debugger/target.h"
#include "provider/image.h"

namespace zetl::nvidia {
namespace {

constexpr std::uint64_t kInstruction = isa::sass::kInstructionBytes;
constexpr std::uint64_t kMostAtOnce = 4096;

bool isBreakpoint(const Bytes& code) {
    isa::sass::Instruction instruction;
    std::memcpy(&instruction, code.data(), kInstruction);
    return instruction.opcode() == isa::sass::kBreakpoint.opcode();
}

/// How cuda-gdb's expressions name a space; null if it has none of that kind.
const char* qualifierOf(std::uint32_t space) {
    switch (space) {
        case ZETL_SPACE_GLOBAL:
            return "global";
        case ZETL_SPACE_SHARED:
            return "shared";
        case ZETL_SPACE_PRIVATE:
            return "local";
        case ZETL_SPACE_PARAMETER:
            return "parameter";
        default:
            return nullptr;
    }
}

/// In private memory, the highest byte of an address is the lane.
struct Place {
    std::optional<std::uint32_t> lane;
    std::uint64_t offset;

    Place(std::uint32_t space, std::uint64_t address) : offset(address) {
        constexpr unsigned kLaneShift = 56;
        if (space != ZETL_SPACE_PRIVATE) return;
        lane = static_cast<std::uint32_t>(address >> kLaneShift);
        offset &= (std::uint64_t{1} << kLaneShift) - 1;
    }
};

/// The numbers of "{0x1, 0x2}", or of "0x1". False if they are not `bytes`.
bool parseBytes(const std::string& text, std::uint64_t bytes, std::uint8_t* out) {
    std::uint64_t found = 0;
    for (auto at = text.find("0x"); at != std::string::npos; at = text.find("0x", at + 2)) {
        if (found == bytes) return false;
        out[found++] = static_cast<std::uint8_t>(std::strtoul(&text[at], nullptr, 16));
    }
    return found == bytes;
}

}  // namespace

zetl_status_t Target::readSpace(const char* space, std::uint64_t address, std::uint64_t bytes, std::uint8_t* out) {
    Bytes all(bytes);
    for (std::uint64_t done = 0; done < bytes;) {
        const auto now = std::min(bytes - done, kMostAtOnce);
        const auto answer =
            gdb_->askConsole(fmt::format("output/x *(@{} unsigned char*){:#x}@{}", space, address + done, now));
        if (!answer) return ZETL_LOST;
        if (!answer->done || !parseBytes(answer->words, now, &all[done])) return ZETL_GONE;
        done += now;
    }
    std::ranges::copy(all, out);
    return ZETL_OK;
}

zetl_status_t Target::writeSpace(const char* space, std::uint64_t address, std::uint64_t bytes,
                                 const std::uint8_t* in) {
    Bytes former(bytes);  // what cannot be read is not there: nothing is written then
    if (const auto status = readSpace(space, address, bytes, former.data()); status != ZETL_OK) return status;
    for (std::uint64_t i = 0; i < bytes; ++i) {
        if (former[i] == in[i]) continue;
        const auto answer =
            gdb_->ask(fmt::format("-gdb-set var *(@{} unsigned char*){:#x}={}", space, address + i, in[i]));
        if (!answer) return ZETL_LOST;
        if (!answer->done) return ZETL_GONE;
    }
    return ZETL_OK;
}

zetl_status_t Target::inSpace(const zetl_thread_t& thread, std::uint32_t space, std::optional<std::uint32_t> lane,
                              const std::function<zetl_status_t(const char*)>& body) {
    const auto* const qualifier = qualifierOf(space);
    if (!qualifier) return ZETL_UNSUPPORTED;
    const bool ofAThread = thread.level[1] != ZETL_ANY;
    if (!ofAThread && space != ZETL_SPACE_GLOBAL) return ZETL_MISUSE;
    if (ofAThread && (state_ != State::stopped || !warps_.contains(warpOf(thread)))) return ZETL_NOT_READY;
    return whileStopped([&]() ZETL_NOT_ANALYSED {
        if (ofAThread && !focus(warpOf(thread), lane)) return gdb_->gone() ? ZETL_LOST : ZETL_NOT_READY;
        return body(qualifier);
    });
}

zetl_status_t Target::readMemory(const zetl_thread_t& thread, std::uint32_t space, std::uint64_t address,
                                 std::uint64_t bytes, void* buffer) {
    const Lock guard(mutex_);
    auto* const out = static_cast<std::uint8_t*>(buffer);
    if (space == ZETL_SPACE_CODE) return readCode(address, bytes, out);
    const Place place(space, address);
    return inSpace(thread, space, place.lane, [&](const char* qualifier) ZETL_NOT_ANALYSED {
        return readSpace(qualifier, place.offset, bytes, out);
    });
}

zetl_status_t Target::writeMemory(const zetl_thread_t& thread, std::uint32_t space, std::uint64_t address,
                                  std::uint64_t bytes, const void* buffer) {
    const Lock guard(mutex_);
    const auto* const in = static_cast<const std::uint8_t*>(buffer);
    if (space == ZETL_SPACE_CODE) return writeCode(address, bytes, in);
    const Place place(space, address);
    return inSpace(thread, space, place.lane, [&](const char* qualifier) ZETL_NOT_ANALYSED {
        return writeSpace(qualifier, place.offset, bytes, in);
    });
}

zetl_status_t Target::readCode(std::uint64_t address, std::uint64_t bytes, std::uint8_t* out) {
    auto code = images_->code(address, bytes);
    if (!code) return ZETL_GONE;
    const auto breakpoint = std::bit_cast<std::array<std::uint8_t, kInstruction>>(isa::sass::kBreakpoint);
    for (const auto& [place, number] : breakpoints_)
        for (std::uint64_t i = 0; i < kInstruction; ++i)
            if (place + i >= address && place + i - address < bytes) (*code)[place + i - address] = breakpoint[i];
    std::ranges::copy(*code, out);
    return ZETL_OK;
}

zetl_status_t Target::writeCode(std::uint64_t address, std::uint64_t bytes, const std::uint8_t* in) {
    const auto first = address / kInstruction * kInstruction;
    const auto end = (address + bytes + kInstruction - 1) / kInstruction * kInstruction;
    Bytes wanted(end - first);
    if (const auto status = readCode(first, wanted.size(), wanted.data()); status != ZETL_OK) return status;
    std::copy_n(in, bytes, &wanted[address - first]);
    return whileStopped([&]() ZETL_NOT_ANALYSED {
        for (auto place = first; place < end; place += kInstruction) {
            const auto* const begin = &wanted[place - first];
            if (const auto status = setInstruction(place, Bytes(begin, begin + kInstruction)); status != ZETL_OK)
                return status;
        }
        return ZETL_OK;
    });
}

zetl_status_t Target::setInstruction(std::uint64_t address, const Bytes& wanted) {
    const bool restored = images_->code(address, kInstruction) == wanted;
    if (restored || isBreakpoint(wanted)) return setBreakpoint(address, !restored);
    log::warn(log::Channel::nvidia,
              "the code at {:#x} is not written: cuda-gdb sets breakpoints, which are written as BPT, and nothing else",
              address);
    return ZETL_UNSUPPORTED;
}

zetl_status_t Target::setBreakpoint(std::uint64_t address, bool on) {
    const auto set = breakpoints_.find(address);
    if (on == (set != breakpoints_.end())) return ZETL_OK;
    const auto answer =
        gdb_->ask(on ? fmt::format("-break-insert *{:#x}", address) : fmt::format("-break-delete {}", set->second));
    if (!answer) return ZETL_LOST;
    if (!answer->done) return ZETL_GONE;
    const auto* const made = answer->value.find("bkpt");
    if (on)
        breakpoints_.emplace(address, made ? made->textOf("number") : std::string_view());
    else
        breakpoints_.erase(set);
    return ZETL_OK;
}

zetl_status_t Target::breakpoint(std::uint64_t address, bool on) {
    const Lock guard(mutex_);
    if (address % kInstruction != 0 || !images_->code(address, kInstruction)) return ZETL_GONE;
    return whileStopped([&]() ZETL_NOT_ANALYSED { return setBreakpoint(address, on); });
}

zetl_status_t Target::moduleInfo(zetl_module_t module, zetl_module_info_t& info) {
    const Lock guard(mutex_);
    const auto* const image = images_->find(module);
    if (!image) return ZETL_GONE;
    info = {.size = sizeof info,
            .image_kind = ZETL_IMAGE_CUBIN,
            .device = 0,
            .hash = hashOf(image->bytes),
            .load_address = image->begin,
            .code_bytes = image->end - image->begin,
            .image_bytes = image->bytes.size(),
            .build_options = ""};
    return ZETL_OK;
}

zetl_status_t Target::readImage(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes, void* buffer) {
    const Lock guard(mutex_);
    const auto* const image = images_->find(module);
    return image ? provider::copyImage(image->bytes, offset, bytes, buffer) : ZETL_GONE;
}

}  // namespace zetl::nvidia
