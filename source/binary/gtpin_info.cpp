#include "binary/gtpin_info.h"

#include <fmt/format.h>

#include "binary/byte_view.h"

namespace zetl::binary {
namespace {

enum Token : std::uint32_t {
    kFreeRegisters = 0,
    kScratchArea = 1,
    kKernelStart = 2,
    kRegisterCount = 3,
    kIndirect = 4
};
constexpr std::uint32_t kTokenHeaderBytes = 8;

#pragma pack(push, 1)
struct Header {
    std::uint32_t version;
    std::uint8_t reallocated;
    std::uint8_t registerInfo;
    std::uint8_t sourceLines;
    std::uint8_t pad;
    std::uint32_t scratchBytes;
    std::uint32_t headerBytes;
    std::uint32_t tokens;
};
struct RegisterRange {
    std::uint16_t start;
    std::uint16_t count;
};
struct IndirectEntry {
    std::int32_t offset;
    std::uint16_t start;
    std::uint16_t bytes;
};
#pragma pack(pop)

constexpr const char* kSection = ".gtpin_info";

bool readFreeRegisters(ByteView data, GtpinInfo& info) {
    // A marker precedes the count and another follows the ranges.
    const auto count = data.read<std::uint32_t>(4);
    if (!count || !data.holds(8, std::uint64_t{*count} * sizeof(RegisterRange))) return false;
    for (std::uint32_t i = 0; i < *count; ++i) {
        const auto range = *data.read<RegisterRange>(8 + i * sizeof(RegisterRange));
        info.freeRegisters.push_back({range.start, range.count});
    }
    return true;
}

bool readIndirect(ByteView data, GtpinInfo& info) {
    const auto count = data.read<std::uint32_t>(0);
    if (!count || !data.holds(4, std::uint64_t{*count} * sizeof(IndirectEntry))) return false;
    for (std::uint32_t i = 0; i < *count; ++i) {
        const auto entry = *data.read<IndirectEntry>(4 + i * sizeof(IndirectEntry));
        // A negated offset marks a destination access.
        const bool written = entry.offset < 0;
        const auto offset = static_cast<std::uint32_t>(entry.offset);
        info.indirectAccesses.push_back({written ? 0u - offset : offset, written, entry.start, entry.bytes});
    }
    return true;
}

bool readToken(std::uint32_t token, ByteView data, GtpinInfo& info) {
    switch (token) {
        case kFreeRegisters:
            return readFreeRegisters(data, info);
        case kKernelStart:
            info.perThreadPrologueBytes = data.read<std::uint32_t>(0);
            info.crossThreadPrologueBytes = data.read<std::uint32_t>(4);
            return info.crossThreadPrologueBytes.has_value();
        case kRegisterCount:
            info.registerCount = data.read<std::uint32_t>(0);
            return info.registerCount.has_value();
        case kIndirect:
            return readIndirect(data, info);
        default:
            return true;
    }
}

}  // namespace

Outcome<GtpinInfo> readGtpinInfo(std::span<const std::uint8_t> bytes) {
    const ByteView view(bytes);
    const auto header = view.read<Header>(0);
    if (!header) return damaged(kSection, "shorter than its header");
    GtpinInfo info{.version = header->version,
                   .registersReallocated = header->reallocated != 0,
                   .hasRegisterInfo = header->registerInfo != 0,
                   .scratchBytes = header->scratchBytes,
                   .registerCount = {},
                   .perThreadPrologueBytes = {},
                   .crossThreadPrologueBytes = {},
                   .freeRegisters = {},
                   .indirectAccesses = {},
                   .raw = Bytes(bytes.begin(), bytes.end())};
    std::uint64_t offset = sizeof(Header);
    for (std::uint32_t i = 0; i < header->tokens; ++i) {
        const auto token = view.read<std::uint32_t>(offset);
        const auto size = view.read<std::uint32_t>(offset + 4);
        if (!token || !size || *size < kTokenHeaderBytes || !view.holds(offset, *size))
            return damaged(kSection, "a token reaches beyond the record");
        if (!readToken(*token, *view.part(offset + kTokenHeaderBytes, *size - kTokenHeaderBytes), info))
            return damaged(kSection, "a token is shorter than its contents");
        offset += *size;
    }
    return info;
}

}  // namespace zetl::binary
