#include "pin/free_registers.h"

#include <level_zero/zet_api.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/log.h"
#include "binary/elf_file.h"
#include "binary/gtpin_info.h"
#include "binary/native_binary.h"
#include "binary/ze_info.h"
#include "instrumentation/xe/decoded_code.h"
#include "instrumentation/xe/flow_graph.h"
#include "instrumentation/xe/liveness.h"
#include "instrumentation/xe/register_use.h"

namespace zetl::pin {
namespace {

using binary::Outcome;
using instrumentation::ByteRange;
using instrumentation::RegisterSet;
namespace place = instrumentation::place;

constexpr std::uint32_t kFewRegisters = 128;

/// The parts of an image that describe one kernel.
struct KernelParts {
    std::span<const std::uint8_t> code;
    std::optional<binary::GtpinInfo> record;
    std::uint32_t registers = kFewRegisters;
    binary::ModulePointer owner;  ///< of the code, if it is no view of the image
};

Outcome<KernelParts> fromElf(const binary::ElfFile& file, std::string_view kernel) {
    KernelParts parts;
    const auto* const code = file.find(".text." + std::string(kernel));
    if (!code) return binary::damaged("ELF", "no section has the kernel's code");
    parts.code = code->content.bytes();
    if (const auto* const record = file.find(".gtpin_info." + std::string(kernel))) {
        auto read = binary::readGtpinInfo(record->content.bytes());
        if (!read) return read.error();
        parts.record = *std::move(read);
    }
    if (const auto* const section = file.find(".ze_info")) {
        const auto& bytes = section->content;
        const auto info = binary::readZeInfo({reinterpret_cast<const char*>(bytes.begin()), bytes.size()});
        if (!info) return info.error();
        for (const auto& described : info->kernels)
            if (described.name == kernel) parts.registers = described.environment.grfCount;
    }
    return parts;
}

Outcome<KernelParts> fromPatchTokens(std::span<const std::uint8_t> image, std::string_view kernel) {
    auto module = binary::readPatchTokens(image);
    if (!module) return module.error();
    const auto* const found = (*module)->kernel(kernel);
    if (!found) return binary::damaged("patch tokens", "no such kernel");
    return KernelParts{(*module)->code[found->codeSection].bytes, found->gtpin, found->environment.grfCount, *module};
}

Outcome<KernelParts> partsOf(std::span<const std::uint8_t> image, std::string_view kernel) {
    if (!binary::looksLikeElf(image)) return fromPatchTokens(image, kernel);
    const auto file = binary::readElf(image);
    if (!file) return file.error();
    return file->find(".ze_info") ? fromElf(*file, kernel) : fromPatchTokens(image, kernel);
}

/// Every byte that an instruction names; not what it may reach through the address register.
RegisterSet named(const instrumentation::DecodedCode& code) {
    RegisterSet bytes;
    const ByteRange any{place::kGeneral, place::kGeneralBytes};
    for (const auto& instruction : code.instructions()) {
        const auto use = instrumentation::useOf(instruction);
        for (const auto& ranges : {use.reads, use.touches})
            for (const ByteRange range : ranges)
                if (range != any) bytes.add(range);
    }
    return bytes;
}

/// The compiler's ranges without what the code names; a line if that is anything.
RegisterSet checked(const std::vector<binary::FreeRegisters>& ranges, const instrumentation::DecodedCode& code,
                    std::string_view kernel) {
    const RegisterSet touched = named(code);
    RegisterSet free;
    for (const auto& range : ranges) free.add({range.start, range.count});
    for (const ByteRange range : touched.ranges(place::kGeneral, place::kGeneralBytes)) {
        if (free.meets(range))
            log::warn(log::Channel::pin,
                      "kernel {}: the compiler calls bytes {} to {} of the registers free, but the code uses them",
                      kernel, range.start, range.start + range.count);
        free.remove(range);
    }
    return free;
}

}  // namespace

RegisterReport registersOf(std::span<const std::uint8_t> image, std::string_view kernel) {
    const auto parts = partsOf(image, kernel);
    if (!parts) {
        log::warn(log::Channel::pin, "no profile tokens of kernel {}: {}", kernel, parts.error().message);
        return {};
    }
    RegisterReport report;
    report.readable = true;
    const std::uint32_t end = parts->registers * place::kRegisterBytes;
    const instrumentation::DecodedCode code(*binary::productOf(image).architecture, parts->code);
    if (parts->record) {
        report.reallocated = parts->record->registersReallocated;
        report.reported = parts->record->hasRegisterInfo;
        report.free = checked(parts->record->freeRegisters, code, kernel).ranges(place::kGeneral, end);
        if (!report.free.empty()) report.source = ZETL_TOKENS_OF_COMPILER;
    }
    if (!report.free.empty()) return report;
    const instrumentation::FlowGraph graph(code, {.kernel = {0}, .functions = {}});
    report.free = instrumentation::Liveness(code, graph).untouched().ranges(place::kGeneral, end);
    if (!report.free.empty()) report.source = ZETL_TOKENS_OF_ANALYSIS;
    return report;
}

std::vector<std::uint8_t> tokensOf(const RegisterReport& report) {
    if (report.free.empty()) return {};
    zet_profile_free_register_token_t token{ZET_PROFILE_TOKEN_TYPE_FREE_REGISTER, 0,
                                            static_cast<std::uint32_t>(report.free.size())};
    token.size =
        static_cast<std::uint32_t>(sizeof token + report.free.size() * sizeof(zet_profile_register_sequence_t));
    std::vector<std::uint8_t> bytes(token.size);
    std::memcpy(bytes.data(), &token, sizeof token);
    static_assert(sizeof(zet_profile_register_sequence_t) == sizeof(ByteRange));
    std::memcpy(bytes.data() + sizeof token, report.free.data(), report.free.size() * sizeof(ByteRange));
    return bytes;
}

}  // namespace zetl::pin
