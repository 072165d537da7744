// What lowering writes into a step is what its handler reads: no two fields of a family share a place.
#include "emulator/isa/message_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "assembler.h"
#include "emulator/isa/code.h"
#include "emulator/isa/step_table.h"
#include "isa/xe/lsc_descriptor.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kLargest = isa::layout::kBytes - 1;  // a place

template <class Family>
Family throughStep(const Family& what) {
    isa::Step step;
    what.encode(step);
    return Family::of(step);
}

TEST(MessageStep, KeepsLaneAccesses) {
    const auto read = throughStep(
        isa::LaneAccess{.addresses = kLargest, .registers = kLargest - 1, .components = 8, .componentBytes = 256});
    EXPECT_EQ(read.addresses, kLargest);
    EXPECT_EQ(read.registers, kLargest - 1);
    EXPECT_EQ(read.components, 8u);
    EXPECT_EQ(read.componentBytes, 256u);
    const auto strided =
        throughStep(isa::StridedAddresses{.payload = kLargest, .addresses = kLargest - 1, .addressBytes = 8});
    EXPECT_EQ(strided.payload, kLargest);
    EXPECT_EQ(strided.addresses, kLargest - 1);
    EXPECT_EQ(strided.addressBytes, 8u);
}

TEST(MessageStep, KeepsBlocks) {
    for (const bool on : {false, true}) {
        const auto block = throughStep(isa::BlockAccess{.space = isa::MemorySpace::payload,
                                                        .write = on,
                                                        .wideAddress = !on,
                                                        .address = kLargest,
                                                        .registers = kLargest - 1,
                                                        .bytes = 512});
        EXPECT_EQ(block.space, isa::MemorySpace::payload);
        EXPECT_EQ(block.write, on);
        EXPECT_EQ(block.wideAddress, !on);
        EXPECT_EQ(block.address, kLargest);
        EXPECT_EQ(block.registers, kLargest - 1);
        EXPECT_EQ(block.bytes, 512u);
        const auto scratch =
            throughStep(isa::ScratchAccess{.write = on, .offset = 0xfff * 32, .registers = kLargest, .bytes = 256});
        EXPECT_EQ(scratch.write, on);
        EXPECT_EQ(scratch.offset, 0xfffu * 32);
        EXPECT_EQ(scratch.registers, kLargest);
        EXPECT_EQ(scratch.bytes, 256u);
    }
}

TEST(MessageStep, KeepsTwoDimensionalBlocks) {
    for (std::uint32_t form = 0; form < 8; ++form) {
        const auto block = throughStep(isa::Block2dAccess{.write = (form & 1) != 0,
                                                          .transposed = (form & 2) != 0,
                                                          .packed = (form & 4) != 0,
                                                          .elementBytes = 8,
                                                          .payload = kLargest,
                                                          .registers = kLargest - 1,
                                                          .registerBytes = 2048});
        EXPECT_EQ(block.write | block.transposed << 1 | block.packed << 2, static_cast<int>(form));
        EXPECT_EQ(block.elementBytes, 8u);
        EXPECT_EQ(block.payload, kLargest);
        EXPECT_EQ(block.registers, kLargest - 1);
        EXPECT_EQ(block.registerBytes, 2048u);
    }
}

TEST(MessageStep, KeepsAtomics) {
    for (const bool wanted : {false, true}) {
        const auto atomic = throughStep(isa::AtomicAccess{.space = isa::MemorySpace::scratch,
                                                          .operation = isa::AtomicOperation::preDecrement,
                                                          .wanted = wanted,
                                                          .addresses = kLargest,
                                                          .operands = kLargest - 1,
                                                          .result = kLargest - 2,
                                                          .secondOperand = 256});
        EXPECT_EQ(atomic.space, isa::MemorySpace::scratch);
        EXPECT_EQ(atomic.operation, isa::AtomicOperation::preDecrement);
        EXPECT_EQ(atomic.wanted, wanted);
        EXPECT_EQ(atomic.addresses, kLargest);
        EXPECT_EQ(atomic.operands, kLargest - 1);
        EXPECT_EQ(atomic.result, kLargest - 2);
        EXPECT_EQ(atomic.secondOperand, 256u);
    }
}

template <class Family>
std::size_t handlersOf(const isa::Handlers<Family>& handlers) {
    return static_cast<std::size_t>(
        std::ranges::count_if(handlers.run, [](isa::Handler run) { return run != nullptr; }));
}

TEST(MessageStep, EveryTableHasHandlersOfEveryFamily) {
    for (const isa::StepTable* table : usableTables()) {
        EXPECT_EQ(handlersOf(std::get<isa::Handlers<isa::LaneAccess>>(table->messages)), 3u * 4 * 2 * 2);
        EXPECT_EQ(handlersOf(std::get<isa::Handlers<isa::AtomicAccess>>(table->messages)), 3u * 2);
        const std::size_t fewest =
            std::apply([](const auto&... family) { return std::min({handlersOf(family)...}); }, table->messages);
        EXPECT_GT(fewest, 0u) << table->name;
    }
}

/// The windows of messages that access elements of this kind.
std::set<std::uint32_t> windowsOf(const isa::Program& program, std::uint8_t data) {
    std::set<std::uint32_t> windows;
    const auto& body = program.code().body[0];
    for (std::size_t i = 0; i < body.steps.size(); ++i)
        if (body.meanings[i].family == isa::Family::laneAccess && body.meanings[i].laneForm().data == data)
            windows.insert(isa::windowOf(body.steps[i]));
    return windows;
}

TEST(MessageStep, BytesTakeNoWindowFromDwordsHoweverManyMessagesThereAre) {
    std::string text;
    for (std::uint32_t i = 0; i < isa::kMemoryWindows; ++i)
        text +=
            "send.ugm (16|M0) r40 r10 null:0 0x0 0x04100580\n"   // d32
            "send.ugm (16|M0) r41 r14 null:0 0x0 0x04100980\n"   // d8u32
            "send.ugm (16|M0) r42 r10 null:0 0x0 0x04100580\n";  // d32: both kinds use all windows, were they one row
    const auto program = isa::lower(assembleProgram(text), {}, *usableTables().front());
    const auto dwords = windowsOf(*program, zetl::isa::xe::lsc::kD32);
    const auto bytes = windowsOf(*program, zetl::isa::xe::lsc::kD8InDword);
    EXPECT_EQ(dwords.size() + bytes.size(), isa::kMemoryWindows);
    EXPECT_TRUE(std::ranges::none_of(bytes, [&](std::uint32_t window) { return dwords.contains(window); }));
}

}  // namespace
}  // namespace zetl::test
