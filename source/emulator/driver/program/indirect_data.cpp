#include "emulator/driver/program/indirect_data.h"

#include <algorithm>
#include <cstring>

#include "binary/inline_copy.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::size_t kAlignment = 64;            // of the data at r0.0
constexpr std::uint32_t kLocalIdTableField = 72;  // in the implicit-argument record

/// Appends the bytes and returns their offset.
std::uint32_t append(std::vector<std::byte>& to, std::span<const std::uint8_t> bytes) {
    const auto at = static_cast<std::uint32_t>(to.size());
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    to.insert(to.end(), first, first + bytes.size());
    return at;
}

void pad(std::vector<std::byte>& data) { data.resize((data.size() + kAlignment - 1) / kAlignment * kAlignment); }

const binary::PayloadArgument* implicitPiece(const binary::KernelImage& kernel) {
    const auto found = std::find_if(kernel.payload.begin(), kernel.payload.end(), [](const auto& piece) {
        return piece.kind == binary::PayloadKind::implicitArguments;
    });
    return found == kernel.payload.end() ? nullptr : &*found;
}

/// Puts the table and the record in front of the cross-thread data; returns the record's offset. Debian's compiler,
/// which makes no room for the record, also generates functions that lose r0.0 when they ask for local ids: they read
/// the record at offset 0, so it is put there.
std::uint32_t layImplicitArguments(machine::Launch& launch, const binary::KernelImage& kernel,
                                   const module::LaunchShape& shape, std::uint64_t printfBuffer) {
    const auto layTable = [&] { return append(launch.indirect, module::localIdTable(kernel, shape)); };
    const auto layRecord = [&] {
        return append(launch.indirect, module::implicitArguments(kernel, shape, printfBuffer, 0));
    };
    const bool first = kernel.recordFrom != 0;
    std::uint32_t record = first ? layRecord() : 0;
    const std::uint32_t table = layTable();
    pad(launch.indirect);
    if (!first) record = layRecord();
    launch.references.push_back({record + kLocalIdTableField, table});
    return record;
}

/// Keeps the inline data where debuggers find it.
void layInlineCopy(machine::Launch& launch) {
    using binary::InlineCopy;
    const std::size_t begin = launch.indirect.size();
    launch.indirect.resize(begin + InlineCopy::kBytes);
    const std::size_t bytes = std::min<std::size_t>(launch.inlineData.size(), InlineCopy::kMarkAt);
    std::memcpy(&launch.indirect[begin], launch.inlineData.data(), bytes);
    std::memcpy(&launch.indirect[begin + InlineCopy::kMarkAt], &InlineCopy::kMark, sizeof InlineCopy::kMark);
}

}  // namespace

binary::Outcome<std::uint32_t> layIndirectData(machine::Launch& launch, const KernelState& state,
                                               const module::LaunchShape& shape,
                                               const module::LaunchAddresses& addresses) {
    const binary::KernelImage& kernel = state.image();
    const auto cross = module::crossThreadData(kernel, shape, state.arguments(), addresses);
    if (!cross) return cross.error();
    const binary::PayloadArgument* implicit = implicitPiece(kernel);
    std::uint32_t record = 0;
    if (kernel.hasImplicitArguments() || kernel.recordFrom != 0)
        record = layImplicitArguments(launch, kernel, shape, addresses.printfBuffer);
    if (!kernel.needsImplicitArguments) pad(launch.indirect);

    const std::span<const std::uint8_t> bytes = cross->bytes;
    const std::size_t inlined = std::min<std::size_t>(kernel.environment.inlineDataBytes, bytes.size());
    append(launch.inlineData, bytes.first(inlined));
    if (inlined != 0 && !kernel.needsImplicitArguments) layInlineCopy(launch);
    const std::uint32_t crossAt = append(launch.indirect, bytes.subspan(inlined));
    launch.argumentsAt = kernel.needsImplicitArguments ? record : crossAt;
    launch.recordAt = record;
    launch.recordFrom = kernel.recordFrom;
    if (implicit && implicit->offset >= inlined)
        launch.references.push_back({crossAt + implicit->offset - static_cast<std::uint32_t>(inlined), record});

    const std::uint32_t blocksAt = append(launch.indirect, module::perThreadBlocks(kernel, shape));
    const std::uint32_t behindLoad = kernel.environment.skipPerThreadLoad;
    const bool startsBehind = behindLoad != 0 && module::hardwareMakesLocalIds(kernel, shape);
    if (startsBehind) launch.entryOffset = behindLoad;
    if ((startsBehind || kernel.environment.generatesLocalIds) && kernel.perThread) {
        launch.preloadAt = blocksAt;
        launch.preloadBytes = kernel.perThread->size;
    }
    launch.slmBytes = cross->slmBytes;
    for (const module::LocalRange& gap : cross->gaps) launch.slmGaps.push_back({gap.begin, gap.end});
    return crossAt;
}

void setPrivateBase(machine::Launch& launch, const binary::KernelImage& kernel, std::uint32_t crossThreadAt,
                    std::uint64_t base) {
    const auto bytes = std::as_bytes(std::span(&base, 1));
    const std::size_t inlined = launch.inlineData.size();
    for (const binary::PayloadArgument& piece : kernel.payload) {
        if (piece.kind != binary::PayloadKind::privateBase) continue;
        for (std::size_t i = 0; i < std::min<std::size_t>(piece.size, bytes.size()); ++i) {
            const std::size_t at = piece.offset + i;
            (at < inlined ? launch.inlineData[at] : launch.indirect[crossThreadAt + at - inlined]) = bytes[i];
        }
    }
    launch.privateBase = base;
}

}  // namespace zetl::emulator::driver
