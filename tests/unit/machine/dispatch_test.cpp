#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "emulator/machine/code/loaded_program.h"
#include "kernel_bench.h"
#include "support/wait_for.h"

namespace zetl::emulator::machine::bench {
namespace {

const char* const kFill =
    "kernel void fill(global uint* out, uint base) { out[get_global_id(0)] = base + get_global_id(0); }";

// A loop that ends on request; everything a displaced group owns must be there when it comes back.
const char* const kKeep =
    "kernel void keep(global volatile uint* go, global uint* out, local uint* tile) {"
    "  uint mine[64]; uint l = get_local_id(0), g = get_global_id(0);"
    "  for (uint i = 0; i < 64; ++i) mine[(i * 7 + go[1]) % 64] = g ^ i;"
    "  tile[l] = g * 3; barrier(CLK_LOCAL_MEM_FENCE);"
    "  while (*go == 0) ;"
    "  uint sum = tile[get_local_size(0) - 1 - l];"
    "  for (uint i = 0; i < 64; ++i) sum += mine[(i * 7 + go[1]) % 64] == (g ^ i);"
    "  out[g] = sum; }";

TEST(Dispatch, EveryWorkItemRunsOnce) {
    KernelBench bench;
    const Kernel kernel = bench.build(
        "kernel void mark(global uint* out) {"
        "  size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * "
        "get_global_id(2));"
        "  atomic_add(out + i, 1u + (uint)i); }",
        "mark");
    for (const Extent group :
         {Extent{32, 1, 1}, Extent{1, 1, 1}, Extent{50, 1, 1}, Extent{7, 5, 3}, Extent{1024, 1, 1}}) {
        const Extent count{3, 2, 2};
        const std::size_t items = std::size_t{group[0]} * group[1] * group[2] * 12;
        auto* out = bench.buffer(items);
        const auto dispatch = bench.run(kernel, group, count, {out});
        ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
        for (std::size_t i = 0; i < items; ++i) ASSERT_EQ(out[i], i + 1) << i;
    }
}

TEST(Dispatch, LocalMemoryAndBarriers) {
    KernelBench bench;
    const Kernel kernel = bench.build(
        "kernel void reverse(global int* data, local int* tile) {"
        "  int l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);"
        "  for (int round = 0; round < 5; ++round) {"
        "    tile[l] = data[g]; barrier(CLK_LOCAL_MEM_FENCE); data[g] = tile[n - 1 - l] + 1; "
        "barrier(CLK_LOCAL_MEM_FENCE); } }",
        "reverse");
    constexpr std::uint32_t kGroup = 256;
    constexpr std::uint32_t kGroups = 40;
    auto* data = bench.buffer<int>(kGroup * kGroups);
    std::iota(data, data + kGroup * kGroups, 0);
    const auto dispatch = bench.run(kernel, {kGroup, 1, 1}, {kGroups, 1, 1}, {data, Argument::local(kGroup * 4)});
    ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    for (std::uint32_t i = 0; i < kGroup * kGroups; ++i) {
        EXPECT_EQ(data[i], static_cast<int>(i / kGroup * kGroup + kGroup - 1 - i % kGroup) + 5);
    }
}

/// As the vector compiler writes it: one work-item a thread, which loads its packed local ids from a register-sized
/// block behind 32 bytes of arguments, and stores with 32 lanes that nothing but the execution mask could switch off.
const char* const kVectorKernel =
    "(W) and (1|M0) r10.0<1>:ud r0.0<0;1,0>:ud 0xFFFFFFC0:ud\n"
    "(W) send.ugm (1|M0) r1 r10 null:0 0xFF000000 0x6218C500\n"
    "(W) and (1|M0) r11.0<1>:ud r0.2<0;1,0>:ud 0xFF:ud\n"
    "(W) shl (1|M0) r11.1<1>:ud r11.0<0;1,0>:ud 6:uw\n"
    "(W) add3 (1|M0) r12.0<1>:ud r10.0<0;0>:ud r11.1<0;0>:ud 0x20:uw\n"
    "(W) send.ugm (1|M0) r2 r12 null:0 0xFF000000 0x6218D500\n"
    "(W) mov (8|M0) r30.0<1>:uw 0x76543210:v\n"
    "(W) add (8|M0) r30.8<1>:uw r30.0<1;1,0>:uw 8:uw\n"
    "(W) add (16|M0) r30.16<1>:uw r30.0<1;1,0>:uw 16:uw\n"
    "(W) shl (1|M0) r11.2<1>:ud r11.0<0;1,0>:ud 5:uw\n"
    "(W) add (32|M0) r32.0<1>:ud r30.0<1;1,0>:uw r11.2<0;1,0>:ud\n"
    "(W) shl (16|M0) r20.0<1>:uq r32.0<1;1,0>:ud 2:uw\n"
    "(W) shl (16|M0) r22.0<1>:uq r33.0<1;1,0>:ud 2:uw\n"
    "(W) add (16|M0) r20.0<1>:uq r20.0<1;1,0>:uq r1.0<0;1,0>:uq\n"
    "(W) add (16|M0) r22.0<1>:uq r22.0<1;1,0>:uq r1.0<0;1,0>:uq\n"
    "(W) mad (1|M0) r13.0<1>:ud r2.0<0;0>:uw r2.1<0;0>:uw 0x10:uw\n"
    "(W) mad (1|M0) r13.0<1>:ud r13.0<0;0>:ud r2.2<0;0>:uw 0x100:uw\n"
    "(W) add (32|M0) r40.0<1>:ud r13.0<0;1,0>:ud 1:uw\n"
    "send.ugm (32|M0) null r20 r40:2 0x0 0x08000584\n"
    "(W) mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud\n"
    "(W) send.gtwy (1|M0) null r112 null:0 0x0 0x02000010 {EOT}\n";

TEST(Dispatch, VectorCodeStartsWithAllLanesAndFindsItsLocalIds) {
    KernelBench bench;
    const Kernel kernel = bench.assemble(kVectorKernel);
    binary::KernelImage image;
    image.environment.simdSize = 1;
    image.perThread =
        binary::PerThreadPayload{.packedLocalIds = true, .offset = 0, .size = zetl::isa::xe::kRegisterBytes};
    constexpr Extent kGroup{3, 2, 2};
    constexpr std::uint32_t kThreads = 12;
    constexpr std::uint32_t kLanes = 32;
    constexpr std::uint32_t kArgumentBytes = 32;
    auto* out = bench.buffer(kThreads * kLanes);
    Launch launch = bench.prepare(kernel, kGroup, {1, 1, 1}, {});
    launch.simd = 1;
    launch.indirect.resize(kArgumentBytes);
    std::memcpy(launch.indirect.data(), &out, sizeof out);
    const binary::Bytes blocks = module::perThreadBlocks(image, {.groupSize = kGroup});
    const auto ids = std::as_bytes(std::span(blocks));
    launch.indirect.insert(launch.indirect.end(), ids.begin(), ids.end());

    const auto dispatch = bench.tile().submit(std::move(launch), {});
    ASSERT_TRUE(dispatch->wait(std::chrono::minutes(1)));
    ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    for (std::uint32_t i = 0; i < kThreads * kLanes; ++i) {
        const std::uint32_t item = i / kLanes;
        EXPECT_EQ(out[i], 1 + item % 3 + item / 3 % 2 * 0x10 + item / 6 * 0x100) << "thread " << item;
    }
}

/// Each thread writes 7 by the lanes that are on, and stores what all 32 lanes have. `fbh` is executed by its step,
/// before which host code puts registers where the next thread would find them.
const char* const kAllLanesOfAThread =
    "(W) and (1|M0) r10.0<1>:ud r0.0<0;1,0>:ud 0xFFFFFFC0:ud\n"
    "(W) send.ugm (1|M0) r1 r10 null:0 0xFF000000 0x6218C500\n"
    "(W) and (1|M0) r11.0<1>:ud r0.2<0;1,0>:ud 0xFF:ud\n"
    "(W) shl (1|M0) r11.1<1>:ud r0.1<0;1,0>:ud 1:uw\n"
    "(W) add (1|M0) r11.0<1>:ud r11.0<0;1,0>:ud r11.1<0;1,0>:ud\n"
    "(W) shl (1|M0) r11.2<1>:ud r11.0<0;1,0>:ud 5:uw\n"
    "(W) mov (8|M0) r30.0<1>:uw 0x76543210:v\n"
    "(W) add (8|M0) r30.8<1>:uw r30.0<1;1,0>:uw 8:uw\n"
    "(W) add (16|M0) r30.16<1>:uw r30.0<1;1,0>:uw 16:uw\n"
    "(W) add (32|M0) r32.0<1>:ud r30.0<1;1,0>:uw r11.2<0;1,0>:ud\n"
    "(W) shl (16|M0) r20.0<1>:uq r32.0<1;1,0>:ud 2:uw\n"
    "(W) shl (16|M0) r22.0<1>:uq r33.0<1;1,0>:ud 2:uw\n"
    "(W) add (16|M0) r20.0<1>:uq r20.0<1;1,0>:uq r1.0<0;1,0>:uq\n"
    "(W) add (16|M0) r22.0<1>:uq r22.0<1;1,0>:uq r1.0<0;1,0>:uq\n"
    "mov (32|M0) r40.0<1>:ud 7:uw\n"
    "(W) fbh (1|M0) r50.0<1>:ud r0.0<0;1,0>:ud\n"
    "(W) send.ugm (32|M0) null r20 r40:2 0x0 0x08000584\n"
    "(W) mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud\n"
    "(W) send.gtwy (1|M0) null r112 null:0 0x0 0x02000010 {EOT}\n";

TEST(Dispatch, AThreadWithFewerLanesDoesNotSeeWhatTheOneBeforeItLeft) {
    constexpr std::uint32_t kGroups = 20;
    constexpr std::uint32_t kLanes = 32;
    constexpr std::uint32_t kOnOfLast = 8;
    KernelBench bench("small", 1);
    const Kernel kernel = bench.assemble(kAllLanesOfAThread);
    auto* out = bench.buffer(kGroups * 2 * kLanes);
    Launch launch = bench.prepare(kernel, {kLanes + kOnOfLast, 1, 1}, {kGroups, 1, 1}, {});
    launch.simd = kLanes;
    launch.indirect.resize(kLanes);
    std::memcpy(launch.indirect.data(), &out, sizeof out);
    const auto dispatch = bench.tile().submit(std::move(launch), {});
    ASSERT_TRUE(dispatch->wait(std::chrono::minutes(1)));
    ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    for (std::uint32_t i = 0; i < kGroups * 2 * kLanes; ++i) {
        const bool on = i / kLanes % 2 == 0 || i % kLanes < kOnOfLast;
        EXPECT_EQ(out[i], on ? 7u : 0u) << "lane " << i % kLanes << " of thread " << i / kLanes;
    }
}

/// Each thread stores what is in r50, which nobody has written, but the twelfth writes it first, behind the end of the
/// others.
const char* const kOneThreadWrites =
    "(W) and (1|M0) r10.0<1>:ud r0.0<0;1,0>:ud 0xFFFFFFC0:ud\n"
    "(W) send.ugm (1|M0) r1 r10 null:0 0xFF000000 0x6218C500\n"
    "(W) and (1|M0) r11.0<1>:ud r0.2<0;1,0>:ud 0xFF:ud\n"
    "(W) shl (1|M0) r11.1<1>:ud r0.1<0;1,0>:ud 3:uw\n"
    "(W) add (1|M0) r11.0<1>:ud r11.0<0;1,0>:ud r11.1<0;1,0>:ud\n"
    "(W) shl (1|M0) r12.0<1>:uq r11.0<0;1,0>:ud 2:uw\n"
    "add (16|M0) r20.0<1>:uq r1.0<0;1,0>:uq r12.0<0;1,0>:uq\n"
    "add (16|M16) r22.0<1>:uq r1.0<0;1,0>:uq r12.0<0;1,0>:uq\n"
    "cmp (32|M0) (eq)f0.0 null<1>:ud r11.0<0;1,0>:ud 11:uw\n"
    "(f0.0) goto (32|M0) L1 L1\n"
    "send.ugm (32|M0) null r20 r50:2 0x0 0x08000584\n"
    "(W) mov (16|M0) r112.0<1>:ud r0.0<1;1,0>:ud\n"
    "(W) send.gtwy (1|M0) null r112 null:0 0x0 0x02000010 {EOT}\n"
    "L1:\n"
    "join (32|M0) L2\n"
    "L2:\n"
    "mov (32|M0) r50.0<1>:ud 7:uw\n"
    "(W) fbh (1|M0) r60.0<1>:ud r0.0<0;1,0>:ud\n"
    "send.ugm (32|M0) null r20 r50:2 0x0 0x08000584\n"
    "(W) mov (16|M0) r112.0<1>:ud r0.0<1;1,0>:ud\n"
    "(W) send.gtwy (1|M0) null r112 null:0 0x0 0x02000010 {EOT}\n";

TEST(Dispatch, ThreadsTogetherDoNotSeeWhatOneBeforeThemLeft) {
    constexpr std::uint32_t kGroups = 20;
    constexpr std::uint32_t kThreads = 8;
    constexpr std::uint32_t kLanes = 32;
    KernelBench bench("small", 1);
    const Kernel kernel = bench.assemble(kOneThreadWrites);
    auto* out = bench.buffer(kGroups * kThreads);
    std::fill_n(out, kGroups * kThreads, 5u);
    Launch launch = bench.prepare(kernel, {kThreads * kLanes, 1, 1}, {kGroups, 1, 1}, {});
    launch.simd = kLanes;
    launch.indirect.resize(kLanes);
    std::memcpy(launch.indirect.data(), &out, sizeof out);
    const auto dispatch = bench.tile().submit(std::move(launch), {});
    ASSERT_TRUE(dispatch->wait(std::chrono::minutes(1)));
    ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    for (std::uint32_t i = 0; i < kGroups * kThreads; ++i) EXPECT_EQ(out[i], i == 11 ? 7u : 0u) << "thread " << i;
}

// Without a fill, threads find what the one before them on their slot has left.
TEST(Dispatch, ThreadsFindTheirOwnMemoryFilled) {
    KernelBench bench("small", 1);
    const Kernel kernel = bench.build(
        "kernel void unwritten(global uint* out, uint at) {"
        "  volatile uint mine[64]; uint before = mine[at]; mine[at] = 7; out[get_global_id(0)] = before; }",
        "unwritten");
    constexpr std::uint32_t kGroup = 64;
    constexpr std::uint32_t kGroups = 40;
    auto* out = bench.buffer(kGroup * kGroups);
    for (const std::uint32_t fill : {0u, 0xA5u}) {
        Launch launch = bench.prepare(kernel, {kGroup, 1, 1}, {kGroups, 1, 1}, {out, 5u});
        ASSERT_GT(launch.scratchBytes + launch.privateBytes, 0u);
        launch.ownMemoryFill = static_cast<std::uint8_t>(fill);
        const auto dispatch = bench.tile().submit(std::move(launch), {});
        ASSERT_TRUE(dispatch->wait(std::chrono::minutes(1)));
        ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
        for (std::uint32_t i = 0; i < kGroup * kGroups; ++i) ASSERT_EQ(out[i], fill * 0x01010101u) << i;
    }
}

TEST(Dispatch, TimestampsAndEmptyGrids) {
    KernelBench bench;
    const Kernel kernel = bench.build(kFill, "fill");
    auto* out = bench.buffer(64);
    const std::uint64_t before = bench.device().clock().timestamp();
    const auto dispatch = bench.run(kernel, {32, 1, 1}, {2, 1, 1}, {out, 5u});
    EXPECT_LT(before, dispatch->startTicks());
    EXPECT_LT(dispatch->startTicks(), dispatch->endTicks());
    EXPECT_LT(dispatch->endTicks(), bench.device().clock().timestamp());
    EXPECT_EQ(out[63], 68u);

    bool completed = false;
    const auto nothing = bench.launch(kernel, {32, 1, 1}, {0, 1, 1}, {out, 9u}, [&](Dispatch&) { completed = true; });
    EXPECT_TRUE(nothing->done());
    EXPECT_TRUE(completed);
    EXPECT_FALSE(nothing->fault());
    EXPECT_LT(nothing->startTicks(), nothing->endTicks());
    EXPECT_EQ(out[0], 5u);
}

TEST(Dispatch, CompletionMaySubmitTheNext) {
    KernelBench bench;
    const Kernel kernel = bench.build("kernel void step(global uint* out) { out[get_global_id(0)] += 1; }", "step");
    auto* out = bench.buffer(256);
    std::atomic<int> left{200};
    std::atomic<bool> over{false};
    std::function<void(Dispatch&)> next = [&](Dispatch& dispatch) {
        EXPECT_FALSE(dispatch.fault());
        if (--left > 0) {
            bench.launch(kernel, {128, 1, 1}, {2, 1, 1}, {out}, next);
        } else {
            over = true;
        }
    };
    bench.launch(kernel, {128, 1, 1}, {2, 1, 1}, {out}, next);
    ASSERT_TRUE(KernelBench::eventually([&] { return over.load(); }));
    for (int i = 0; i < 256; ++i) EXPECT_EQ(out[i], 200u);
}

// They may start at their first line although the hardware makes local ids: so threads of a group can run together.
TEST(Dispatch, KernelsOfTheCompilerLoadTheirLocalIds) {
    KernelBench bench;
    for (const char* source : {kFill, kKeep}) {
        const Kernel kernel = bench.build(source, source == kFill ? "fill" : "keep");
        const binary::ExecutionEnvironment& environment = kernel.image->environment;
        ASSERT_NE(environment.skipPerThreadLoad, 0u);
        isa::Prologue prologue{.entry = kernel.offset,
                               .behind = kernel.offset + environment.skipPerThreadLoad,
                               .blockBytes = kernel.image->perThread->size,
                               .inlineBytes = environment.inlineDataBytes,
                               .blocksAt = kernel.image->crossThreadBytes - environment.inlineDataBytes};
        const LoadedProgram& loaded = *kernel.code->program();
        EXPECT_TRUE(loaded.loadsBlocks(prologue)) << kernel.name;
        EXPECT_TRUE(loaded.loadsBlocks(prologue)) << "once more";
        prologue.blocksAt += 64;
        EXPECT_FALSE(loaded.loadsBlocks(prologue)) << "from another place";
        prologue.blocksAt -= 64;
        prologue.entry = prologue.behind - 16;
        EXPECT_FALSE(loaded.loadsBlocks(prologue)) << "without the lines that load";
    }
}

TEST(Dispatch, ThreadsThatStartBehindTheLoadFindTheirBlocksInRegisters) {
    constexpr std::uint32_t kItems = 64;
    KernelBench bench;
    const Kernel kernel = bench.build(kFill, "fill");
    auto* out = bench.buffer(2 * kItems);
    Launch launch = bench.prepare(kernel, {kItems, 1, 1}, {2, 1, 1}, {out, 1u});
    launch.preloadAt = kernel.image->crossThreadBytes;
    launch.preloadBytes = kernel.image->perThread->size;
    launch.entryOffset = kernel.image->environment.skipPerThreadLoad;
    std::vector<std::byte> zeros(launch.entryOffset);
    ASSERT_TRUE(bench.device().code().write(kernel.code->address(), zeros.data(), zeros.size()));
    const auto dispatch = bench.tile().submit(std::move(launch));
    ASSERT_TRUE(dispatch->wait(std::chrono::minutes(1)));
    ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    for (std::uint32_t i = 0; i < 2 * kItems; ++i) EXPECT_EQ(out[i], 1 + i) << i;
}

TEST(Dispatch, ImpossibleLaunchesAreRefusedByName) {
    KernelBench bench("tiny");
    const Kernel kernel = bench.build(kFill, "fill");
    auto* out = bench.buffer(64);
    const auto problemOf = [&](auto change) {
        Launch launch = bench.prepare(kernel, {32, 1, 1}, {2, 1, 1}, {out, 1u});
        change(launch);
        const auto dispatch = bench.tile().submit(std::move(launch));
        EXPECT_TRUE(dispatch->done());
        EXPECT_EQ(dispatch->fault().kind, FaultKind::badLaunch);
        return dispatch->fault().detail;
    };
    const auto contains = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    EXPECT_TRUE(contains(problemOf([](Launch& l) { l.groupSize = {4096, 1, 1}; }), "does not fit"));
    EXPECT_TRUE(contains(problemOf([](Launch& l) { l.groupSize = {0, 1, 1}; }), "does not fit"));
    EXPECT_TRUE(contains(problemOf([](Launch& l) { l.slmBytes = 1 << 20; }), "local memory"));
    EXPECT_TRUE(contains(problemOf([](Launch& l) { l.groupCount = {1u << 31, 1u << 31, 4}; }), "2^64"));
    EXPECT_TRUE(contains(problemOf([](Launch& l) { l.kernelOffset += 4; }), "no instruction"));
    EXPECT_TRUE(contains(problemOf([](Launch& l) { l.code = nullptr; }), "not installed"));
    EXPECT_TRUE(contains(problemOf([](Launch& l) { l.simd = 8; }), "SIMD"));
    EXPECT_TRUE(contains(problemOf([](Launch& l) { l.grfCount = 64; }), "registers"));
    EXPECT_TRUE(contains(problemOf([](Launch& l) { l.references = {{1 << 20, 0}}; }), "self reference"));
    EXPECT_TRUE(contains(problemOf([](Launch& l) { l.preloadBytes = 1 << 20; }), "per-thread"));
    EXPECT_TRUE(contains(problemOf([](Launch& l) { l.barrierCount = 64; }), "barriers"));
    EXPECT_TRUE(contains(problemOf([](Launch& l) { l.scratchBytes = 1 << 30; }), "scratch"));
}

TEST(Dispatch, EndlessKernelsStarveNobodyAndCanBeStopped) {
    KernelBench bench("small", 2);
    const Kernel spin = bench.build(
        "kernel void spin(global volatile uint* go) { while (*go == 0) ; go[1 + get_global_id(0)] = 1; }", "spin");
    const Kernel fill = bench.build(kFill, "fill");
    auto* go = bench.buffer(4096);
    auto* out = bench.buffer(64);
    const auto endless = bench.launch(spin, {32, 1, 1}, {16, 1, 1}, {go});
    for (std::uint32_t i = 0; i < 5; ++i) {
        const auto dispatch = bench.run(fill, {32, 1, 1}, {2, 1, 1}, {out, i});
        EXPECT_FALSE(dispatch->fault());
        EXPECT_EQ(out[63], 63 + i);
    }
    EXPECT_FALSE(endless->done());
    endless->cancel();
    ASSERT_TRUE(endless->wait(std::chrono::seconds(5)));
    EXPECT_EQ(endless->fault().kind, FaultKind::cancelled);

    const auto polling = bench.launch(spin, {32, 1, 1}, {16, 1, 1}, {go});
    EXPECT_FALSE(test::waitFor([&] { return polling->done(); }, std::chrono::milliseconds(5)));
    std::atomic_ref(go[0]).store(1);
    ASSERT_TRUE(polling->wait(std::chrono::seconds(5)));
    EXPECT_FALSE(polling->fault());
    EXPECT_EQ(go[512], 1u);
}

TEST(Dispatch, EndlessGroupsInAllSlotsGiveWay) {
    KernelBench bench("tiny", 2);
    const Kernel keep = bench.build(kKeep, "keep");
    const Kernel fill = bench.build(kFill, "fill");
    // more than the 64 slots hold
    constexpr std::uint32_t kGroup = 64;
    constexpr std::uint32_t kGroups = 100;
    auto* go = bench.buffer(2);
    auto* out = bench.buffer(64);
    std::uint32_t* results[2];
    std::shared_ptr<Dispatch> endless[2];
    for (int i = 0; i < 2; ++i) {
        results[i] = bench.buffer(kGroup * kGroups);
        endless[i] = bench.launch(keep, {kGroup, 1, 1}, {kGroups, 1, 1}, {go, results[i], Argument::local(kGroup * 4)});
    }
    for (std::uint32_t i = 0; i < 5; ++i) {
        const auto dispatch = bench.run(fill, {32, 1, 1}, {2, 1, 1}, {out, i});
        EXPECT_FALSE(dispatch->fault());
        EXPECT_EQ(out[63], 63 + i);
    }
    EXPECT_FALSE(endless[0]->done());
    EXPECT_FALSE(endless[1]->done());
    std::atomic_ref(go[0]).store(1);
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(endless[i]->wait(std::chrono::seconds(20)));
        ASSERT_FALSE(endless[i]->fault()) << endless[i]->fault().describe();
        for (std::uint32_t g = 0; g < kGroup * kGroups; ++g) {
            const std::uint32_t partner = g / kGroup * kGroup + kGroup - 1 - g % kGroup;
            ASSERT_EQ(results[i][g], partner * 3 + 64) << g;
        }
    }
    EXPECT_EQ(bench.tile().counters().counts[Counter::groups], 2 * kGroups + 10u);
}

TEST(Dispatch, DisplacedGroupsCanBeStopped) {
    KernelBench bench("tiny", 2);
    const Kernel spin = bench.build("kernel void spin(global volatile uint* go) { while (*go == 0) ; }", "spin");
    auto* go = bench.buffer(1);
    std::vector<std::shared_ptr<Dispatch>> endless;
    for (int i = 0; i < 4; ++i) endless.push_back(bench.launch(spin, {1024, 1, 1}, {50, 1, 1}, {go}));
    // Two groups fill the tile; the first dispatch begins both of them, each other one after a slice of time.
    EXPECT_TRUE(KernelBench::eventually([&] { return bench.tile().counters().counts[Counter::groups] >= 5; }));
    for (const auto& dispatch : endless) dispatch->cancel();
    for (const auto& dispatch : endless) {
        ASSERT_TRUE(dispatch->wait(std::chrono::seconds(5)));
        EXPECT_EQ(dispatch->fault().kind, FaultKind::cancelled);
        EXPECT_GT(dispatch->counts()[Counter::groups], 0u);
    }
}

// A grid whose groups wait for each other gets its share of the slots, not one place.
TEST(Dispatch, AGridThatMeetsGetsRoomBesideAnEndlessOne) {
    KernelBench bench("tiny", 2);
    const Kernel spin = bench.build("kernel void spin(global volatile uint* go) { while (*go == 0) ; }", "spin");
    const Kernel meet = bench.build(
        "kernel void meet(global volatile uint* count, uint groups) {"
        "  if (get_local_id(0) == 0) { atomic_inc(count); while (*count < groups) ; }"
        "  barrier(CLK_GLOBAL_MEM_FENCE); }",
        "meet");
    const auto endless = bench.launch(spin, {32, 1, 1}, {1000, 1, 1}, {bench.buffer(1)});
    auto* count = bench.buffer(1);
    EXPECT_FALSE(bench.run(meet, {128, 1, 1}, {6, 1, 1}, {count, 6u})->fault());
    EXPECT_EQ(*count, 6u);
    EXPECT_FALSE(endless->done());
    endless->cancel();
    EXPECT_TRUE(endless->wait(std::chrono::seconds(5)));
}

// Groups of one grid may wait for each other as long as all are resident.
TEST(Dispatch, ResidentGroupsMakeProgressTogether) {
    KernelBench bench("tiny", 1);
    const Kernel kernel = bench.build(
        "kernel void meet(global volatile uint* count, uint groups) {"
        "  if (get_local_id(0) == 0) { atomic_inc(count); while (*count < groups) ; }"
        "  barrier(CLK_GLOBAL_MEM_FENCE); }",
        "meet");
    auto* count = bench.buffer(1);
    const auto dispatch = bench.run(kernel, {128, 1, 1}, {8, 1, 1}, {count, 8u});
    EXPECT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    EXPECT_EQ(*count, 8u);
}

TEST(Dispatch, MachineEndsUnderRunningKernels) {
    std::shared_ptr<Dispatch> endless;
    {
        KernelBench bench;
        const Kernel spin =
            bench.build("kernel void spin(global volatile uint* go) { go[1] = 1; while (*go == 0) ; }", "spin");
        auto* const go = bench.buffer(2);
        endless = bench.launch(spin, {32, 1, 1}, {4, 1, 1}, {go});
        EXPECT_TRUE(test::waitFor([&] { return std::atomic_ref(go[1]) == 1; }));
    }
    EXPECT_TRUE(endless->done());
    EXPECT_EQ(endless->fault().kind, FaultKind::cancelled);
}

TEST(Dispatch, TilesAndDevicesRunApart) {
    KernelBench bench("small-two-by-two");
    const Kernel kernel = bench.build(kFill, "fill");
    auto* out = bench.buffer(64);
    Launch launch = bench.prepare(kernel, {32, 1, 1}, {2, 1, 1}, {out, 3u});
    const auto dispatch = bench.device().tile(1).submit(std::move(launch));
    ASSERT_TRUE(dispatch->wait(std::chrono::seconds(20)));
    EXPECT_FALSE(dispatch->fault());
    EXPECT_EQ(out[1], 4u);
    EXPECT_EQ(bench.device().tile(0).counters().counts[Counter::groups], 0u);
    EXPECT_EQ(bench.device().tile(1).counters().counts[Counter::groups], 2u);
    EXPECT_EQ(bench.device(1).tile(0).counters().counts[Counter::instructions], 0u);
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
