// What comes to the debugger from other processes: messages of the Debug Adapter Protocol, packets of GDB's protocol,
// and of the debuggee location expressions, frame tables, kernel tables, ELF images and code. The first byte says
// which.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/code_flow.h"
#include "core/debug_info.h"
#include "core/failure.h"
#include "core/frame_table.h"
#include "core/kernel_table.h"
#include "core/location.h"
#include "dap/messages.h"
#include "gdb/packets.h"
#include "isa/xe/architecture.h"

namespace {

using namespace zetl::debugger;

void readMessages(std::string_view text) try {
    dap::MessageReader reader;
    reader.add(text);
    while (reader.next()) {
    }
} catch (const Failure&) {
}

void readPackets(std::string_view text) {
    gdb::PacketReader reader;
    reader.add(text);
    while (const auto packet = reader.next()) gdb::bytesFrom(packet->text);
}

void evaluateLocation(std::span<const std::uint8_t> data) {
    Surroundings around;
    around.frameBase = {data.begin(), data.end()};
    around.readRegister = [](unsigned) { return Bytes(zetl::isa::xe::kRegisterBytes); };
    around.readMemory = [](std::uint64_t, std::size_t bytes) { return Bytes(bytes); };
    evaluate(data, around);
}

void readImage(std::span<const std::uint8_t> data) try {
    const ElfImage image({data.begin(), data.end()});
    const DebugInfo debug(image);
    for (const auto& function : debug.functions()) debug.variablesAt(function.begin);
} catch (const Failure&) {
}

void readCode(std::span<const std::uint8_t> data) {
    const CodeFlow flow(zetl::isa::xe::kXeHpc, data);
    if (!flow.isKnown()) return;
    for (std::uint64_t offset = 0; offset < data.size(); offset += sizeof(std::uint64_t)) {
        const auto number = flow.numberAt(offset);
        if (number) flow.lastWriters(*number, {static_cast<std::uint32_t>(offset), 4});
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::span<const std::uint8_t> rest(data + 1, size - 1);
    const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
    switch (data[0] % 7) {
        case 0:
            readMessages(text);
            break;
        case 1:
            readPackets(text);
            break;
        case 2:
            evaluateLocation(rest);
            break;
        case 3:
            FrameTable(rest).at(0x1000);
            break;
        case 4:
            kernelsFrom(text);
            break;
        case 5:
            readImage(rest);
            break;
        default:
            readCode(rest);
            break;
    }
    return 0;
}
