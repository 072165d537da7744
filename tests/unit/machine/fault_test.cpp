// Every kind of mistake that a kernel can make, found and named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "emulator/machine/memory/allocation_table.h"
#include "kernel_bench.h"
#include "support/wait_for.h"

namespace zetl::emulator::machine::bench {
namespace {

/// What a test of this program logs. The log reads its settings once in a process, so another one runs.
std::string logOf(const std::string& test) {
    const std::string command = "ZETL_LOG=emulator=warn " + std::filesystem::read_symlink("/proc/self/exe").string() +
                                " --gtest_filter=" + test + " 2>&1";
    FILE* output = popen(command.c_str(), "r");
    if (output == nullptr) return {};
    std::string log;
    for (int c; (c = std::fgetc(output)) != EOF;) log += static_cast<char>(c);
    EXPECT_EQ(pclose(output), 0) << log;
    return log;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class FaultTest : public testing::Test {
  protected:
    /// Runs one group of a kernel that must fault, and checks that the device still works.
    Fault faultOf(const Kernel& kernel, Extent group, const std::vector<Argument>& arguments) {
        const auto dispatch = bench.run(kernel, group, {1, 1, 1}, arguments);
        const Fault fault = dispatch->fault();
        EXPECT_TRUE(fault);
        EXPECT_EQ(fault.kernel, kernel.name);
        EXPECT_EQ(fault.dispatch, dispatch->id());
        EXPECT_TRUE(fault.thread.single()) << fault.describe();
        EXPECT_GE(fault.ip, kernel.code->address());
        EXPECT_LT(fault.ip, kernel.code->address() + kernel.code->bytes());
        auto* out = bench.buffer(32);
        EXPECT_FALSE(bench.run(healthy, {32, 1, 1}, {1, 1, 1}, {out})->fault());
        EXPECT_EQ(out[31], 31u);
        return fault;
    }

    KernelBench bench{"tiny"};
    Kernel healthy =
        bench.build("kernel void ids(global uint* out) { out[get_global_id(0)] = get_global_id(0); }", "ids");
};

const char* const kPast =
    "kernel void past(global uint* data, uint n) { data[get_global_id(0) + n] = 1; }"
    "kernel void look(global uint* data, global uint* out, uint n) {"
    "  uint i = get_global_id(0); uint4 four = vload4(0, data + n + i);"
    "  out[i] = data[n + i] | four.y << 8 | four.w << 16; }"
    "kernel void count(global uint* data, uint n) { atomic_max(data + n + get_global_id(0), 3u); }"
    "kernel void bytes(global uchar* data, global uint* out, uint n) {"
    "  uint i = get_global_id(0); out[i] = vload2(0, data + n + i).y; data[n + i] = 9; }";
constexpr std::uint32_t kElementsOfPage = (64 << 10) / sizeof(std::uint32_t);

TEST_F(FaultTest, AccessBehindTheEnd) {
    const auto strict = KernelBench::strict("tiny");
    const Kernel kernel = strict->build(kPast, "past");
    auto* out = strict->buffer(100);
    const auto dispatch = strict->run(kernel, {32, 1, 1}, {1, 1, 1}, {out, 90u});
    const Fault& fault = dispatch->fault();
    EXPECT_EQ(fault.kind, FaultKind::pageFault);
    EXPECT_EQ(fault.access, Access::write);
    EXPECT_EQ(fault.address, reinterpret_cast<std::uint64_t>(out + 100));
    EXPECT_TRUE(contains(fault.detail, "behind the end")) << fault.detail;
}

TEST_F(FaultTest, AccessBehindTheLastPage) {
    const Kernel kernel = bench.build(kPast, "past");
    auto* out = bench.buffer(100);
    const auto behind = [&] { return reinterpret_cast<std::uint64_t>(out + kElementsOfPage); };
    while (bench.memory().table().find(behind()) != nullptr) out = bench.buffer(100);  // the host places allocations
    const Fault fault = faultOf(kernel, {32, 1, 1}, {out, kElementsOfPage - 10});
    EXPECT_EQ(fault.kind, FaultKind::pageFault);
    EXPECT_EQ(fault.address, behind());
}

TEST_F(FaultTest, AddressesThatWrapAreNoOverruns) {
    const Kernel kernel = bench.build(kPast, "past");
    EXPECT_EQ(faultOf(kernel, {32, 1, 1}, {~std::uint64_t{0} - 63, 0u}).kind, FaultKind::pageFault);
}

// As on hardware, whose pages are 64 KiB: there are zeros, until a kernel writes something else, and nobody's data.
TEST_F(FaultTest, OverrunsWithinTheLastPageGoOn) {
    const Kernel past = bench.build(kPast, "past");
    const Kernel look = bench.build(kPast, "look");
    const Kernel count = bench.build(kPast, "count");
    const Kernel bytes = bench.build(kPast, "bytes");
    auto* out = bench.buffer(32);
    const auto passes = [&](const Kernel& kernel, const std::vector<Argument>& arguments) {
        const auto dispatch = bench.run(kernel, {32, 1, 1}, {1, 1, 1}, arguments);
        EXPECT_FALSE(dispatch->fault()) << kernel.name << ": " << dispatch->fault().describe();
    };
    // In the host's last page, across its end, behind it, up to the device's.
    for (const auto& [size, n] :
         {std::pair{100u, 90u}, {1024u, 1000u}, {1024u, 1100u}, {1024u, kElementsOfPage - 36}}) {
        auto* data = bench.buffer(size);
        auto* other = bench.buffer(size);
        std::fill_n(data, size, 1u);
        std::fill_n(other, size, 2u);
        const auto valueAt = [&, size = size](std::uint32_t i) { return i < size ? 1u : 0u; };
        passes(look, {data, out, n});
        for (std::uint32_t i = 0; i < 32; ++i)
            EXPECT_EQ(out[i], valueAt(n + i) | valueAt(n + i + 1) << 8 | valueAt(n + i + 3) << 16) << size << ", " << n;
        passes(bytes, {data, out, size * 4 - 1});
        EXPECT_EQ(out[0], 0u);
        EXPECT_EQ(data[size - 1] >> 24, 9u);
        passes(count, {data, n});
        passes(past, {data, n});
        EXPECT_TRUE(std::all_of(other, other + size, [](std::uint32_t v) { return v == 2; })) << size << ", " << n;
    }
}

// A process that imports a page of the device has all of it, whatever part of it the exporter asked for.
TEST_F(FaultTest, OverrunsOfImportsWithinTheLastPageGoOn) {
    const Kernel past = bench.build(kPast, "past");
    const auto file = bench.memory().exportDescriptor(bench.allocate(4096));
    const auto imported = bench.memory().import(file.get(), 4096, 1);
    ASSERT_EQ(imported.status, MemoryStatus::ok);
    EXPECT_EQ(imported.address % (64 << 10), 0u);
    for (const std::uint32_t n : {1000u, 1100u, kElementsOfPage - 32}) {
        const auto dispatch = bench.run(past, {32, 1, 1}, {1, 1, 1}, {imported.address, n});
        EXPECT_FALSE(dispatch->fault()) << n << ": " << dispatch->fault().describe();
    }
    EXPECT_EQ(bench.memory().free(imported.address), MemoryStatus::ok);
}

TEST_F(FaultTest, OverrunsOfPagesAreNamedOnceAKernel) {
    const std::string log = logOf("FaultTest.OverrunsWithinTheLastPageGoOn");
    for (const char* kernel : {"kernel past: ", "kernel look: ", "kernel count: ", "kernel bytes: "}) {
        const std::size_t first = log.find(kernel);
        ASSERT_NE(first, std::string::npos) << log;
        EXPECT_EQ(log.find(kernel, first + 1), std::string::npos) << log;
    }
    EXPECT_NE(log.find("past the end of the allocation"), std::string::npos) << log;
}

TEST_F(FaultTest, NullPointer) {
    const Kernel kernel = bench.build("kernel void load(global uint* in, global uint* out) { out[0] = *in; }", "load");
    const Fault fault = faultOf(kernel, {1, 1, 1}, {std::uint64_t{0}, bench.buffer(1)});
    EXPECT_EQ(fault.kind, FaultKind::pageFault);
    EXPECT_EQ(fault.access, Access::read);
    EXPECT_EQ(fault.address, 0u);
    EXPECT_GT(fault.ipInKernel, 0u);
}

TEST_F(FaultTest, UseAfterFree) {
    const std::uint64_t address = bench.memory().allocate({.bytes = 4096}).address;
    ASSERT_EQ(bench.memory().free(address), MemoryStatus::ok);
    const Fault fault = faultOf(healthy, {32, 1, 1}, {address});
    EXPECT_EQ(fault.kind, FaultKind::useAfterFree);
    EXPECT_TRUE(contains(fault.describe(), "freed allocation")) << fault.describe();
}

TEST_F(FaultTest, FreeUnderARunningKernel) {
    const Kernel kernel = bench.build("kernel void poll(global volatile uint* go) { while (*go == 0) ; }", "poll");
    const std::uint64_t address = bench.memory().allocate({.bytes = 4096}).address;
    const auto dispatch = bench.launch(kernel, {32, 1, 1}, {1, 1, 1}, {address});
    EXPECT_FALSE(test::waitFor([&] { return dispatch->done(); }, std::chrono::milliseconds(5)));
    bench.memory().free(address);
    ASSERT_TRUE(dispatch->wait(std::chrono::seconds(10)));
    EXPECT_EQ(dispatch->fault().kind, FaultKind::useAfterFree);
}

TEST_F(FaultTest, WriteToReadOnlyMemory) {
    const std::uint64_t page = Memory::pageBytes();
    const std::uint64_t base = bench.memory().reserve(0, page).address;
    bench.memory().map(base, page, bench.memory().createPhysical(page, nullptr), 0, Permission::read, 0);
    const Fault fault = faultOf(healthy, {32, 1, 1}, {base});
    EXPECT_EQ(fault.kind, FaultKind::accessDenied);
    const Kernel load = bench.build("kernel void load(global uint* in, global uint* out) { out[0] = *in; }", "load");
    EXPECT_FALSE(bench.run(load, {1, 1, 1}, {1, 1, 1}, {base, bench.buffer(1)})->fault()) << "reading is allowed";
}

TEST_F(FaultTest, AccessAcrossNeighbouringMappingsIsLegal) {
    const std::uint64_t page = Memory::pageBytes();
    const std::uint64_t base = bench.memory().reserve(0, 2 * page).address;
    const auto physical = bench.memory().createPhysical(2 * page, nullptr);
    bench.memory().map(base, page, physical, 0, Permission::readWrite, 0);
    bench.memory().map(base + page, page, physical, page, Permission::readWrite, 0);
    const auto dispatch = bench.run(healthy, {32, 1, 1}, {1, 1, 1}, {base + page - 64});
    EXPECT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(base + page), 16u);
}

/// Reads and writes local memory `n` elements further on than its own; the last thread of a group of 40 is partial.
const char* const kBeyondLocal =
    "kernel void slm(local uint* tile, global uint* out, uint n) { uint l = get_local_id(0); tile[l + n] = l * 3;"
    " barrier(CLK_LOCAL_MEM_FENCE); atomic_add(tile + n + get_local_size(0) - 1 - l, 1u);"
    " barrier(CLK_LOCAL_MEM_FENCE); uint4 four = vload4(0, tile + n + (l & ~3u));"
    " out[l] = tile[l + n] + (four.x + four.y + four.z + four.w) * 1000; }";

TEST_F(FaultTest, LocalMemoryOverrun) {
    const Kernel kernel = bench.build(kBeyondLocal, "slm");
    const Fault fault = faultOf(kernel, {40, 1, 1}, {Argument::local(160), bench.buffer(40), 220u});
    EXPECT_EQ(fault.kind, FaultKind::slmOverrun);
    EXPECT_EQ(fault.access, Access::write);
}

TEST_F(FaultTest, LocalMemoryIsGivenInSteps) {
    const Kernel kernel = bench.build(kBeyondLocal, "slm");
    for (const std::uint32_t n : {0u, 10u, 60u, 216u}) {
        auto* out = bench.buffer(40);
        const auto dispatch = bench.run(kernel, {40, 1, 1}, {3, 1, 1}, {Argument::local(160), out, n});
        ASSERT_FALSE(dispatch->fault()) << n << ": " << dispatch->fault().describe();
        for (std::uint32_t l = 0; l < 40; ++l)
            EXPECT_EQ(out[l], l * 3 + 1 + ((l & ~3u) * 12 + 18 + 4) * 1000) << n << ", item " << l;
    }
}

TEST_F(FaultTest, LocalOverrunsAreNamedOnceAKernel) {
    const std::string log = logOf("FaultTest.LocalMemoryIsGivenInSteps");
    const std::size_t first = log.find("kernel slm: ");
    ASSERT_NE(first, std::string::npos) << log;
    EXPECT_EQ(log.find("kernel slm: ", first + 1), std::string::npos) << log;
    EXPECT_NE(log.find("of local memory, of which it has 160 bytes; the hardware gives 1024"), std::string::npos)
        << log;
}

TEST_F(FaultTest, StrictMemoryMakesEveryLocalOverrunAFault) {
    const auto strict = KernelBench::strict("tiny");
    const Kernel kernel = strict->build(kBeyondLocal, "slm");
    const auto run = [&](std::uint32_t n) {
        return strict->run(kernel, {40, 1, 1}, {1, 1, 1}, {Argument::local(160), strict->buffer(40), n})->fault().kind;
    };
    EXPECT_EQ(run(0), FaultKind::none);
    EXPECT_EQ(run(1), FaultKind::slmOverrun);
}

TEST_F(FaultTest, MisalignedAtomic) {
    const Kernel kernel =
        bench.build("kernel void odd(global char* data) { atomic_inc((global uint*)(data + 2)); }", "odd");
    auto* data = bench.buffer(4);
    const Fault fault = faultOf(kernel, {1, 1, 1}, {data});
    EXPECT_EQ(fault.kind, FaultKind::misaligned) << fault.describe();
    EXPECT_EQ(fault.address, reinterpret_cast<std::uint64_t>(data) + 2);
}

TEST_F(FaultTest, EveryKindHasWords) {
    for (int kind = 0; kind <= static_cast<int>(FaultKind::deviceLost); ++kind) {
        EXPECT_STRNE(text(static_cast<FaultKind>(kind)), "unknown fault") << kind;
    }
    Fault fault;
    fault.kind = FaultKind::pageFault;
    fault.kernel = "k";
    fault.bytes = 4;
    fault.address = 0x10;
    EXPECT_EQ(fault.describe(), "page fault: 4-byte read at 0x10 in kernel 'k', group (0, 0, 0)");
}

TEST_F(FaultTest, IllegalInstruction) {
    const Fault fault = faultOf(bench.place(std::vector<std::byte>(64), "zeroes"), {1, 1, 1}, {});
    EXPECT_EQ(fault.kind, FaultKind::illegalInstruction);
    EXPECT_EQ(fault.ipInKernel, 0u);
}

TEST_F(FaultTest, JumpToNowhere) {
    const Kernel kernel = bench.assemble(
        "(W) mov (1|M0) r5.0<1>:ud 0x7ffff000:ud\n"
        "(W) calla (1|M0) r6.0<1> r5.0\n");
    const Fault fault = faultOf(kernel, {1, 1, 1}, {});
    EXPECT_EQ(fault.kind, FaultKind::badBranch) << fault.describe();
}

TEST_F(FaultTest, DivergentBarrier) {
    const Kernel kernel = bench.build(
        "kernel void some(global uint* out) { if (get_sub_group_id() == 0) barrier(CLK_GLOBAL_MEM_FENCE);"
        " out[get_local_id(0)] = 1; }",
        "some");
    const Fault fault = faultOf(kernel, {128, 1, 1}, {bench.buffer(128)});
    EXPECT_EQ(fault.kind, FaultKind::divergentBarrier) << fault.describe();
    EXPECT_TRUE(contains(fault.detail, "have ended without signalling")) << fault.detail;
}

// A group of two threads whose barrier expects more: r0 byte 11 would say 2, the message says 9.
TEST_F(FaultTest, Deadlock) {
    const Kernel kernel = bench.assemble(
        "(W) mov (8|M0) r10.0<1>:ud 0x0:ud\n"
        "(W) mov (1|M0) r10.2<1>:ud 0x09090000:ud\n"
        "(W) send.gtwy (1|M0) null r10 null:0 0x0 0x02000004\n"
        "(W) sync.bar 0x0\n"
        "(W) mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud\n"
        "(W) send.gtwy (1|M0) null r112 null:0 0x0 0x02000010 {EOT}\n");
    const Fault fault = faultOf(kernel, {64, 1, 1}, {});
    EXPECT_EQ(fault.kind, FaultKind::deadlock) << fault.describe();
    EXPECT_TRUE(contains(fault.detail, "2 of 9 producers")) << fault.detail;
}

TEST_F(FaultTest, OneFaultEndsAllGroups) {
    const Kernel kernel = bench.build(
        "kernel void most(global uint* out, global volatile uint* never) {"
        " if (get_group_id(0) == 5) out[1u << 30] = 1; while (*never == 0) ; }",
        "most");
    const auto dispatch = bench.run(kernel, {32, 1, 1}, {1000, 1, 1}, {bench.buffer(32), bench.buffer(1)});
    EXPECT_EQ(dispatch->fault().kind, FaultKind::pageFault);
    EXPECT_EQ(dispatch->fault().group[0], 5u);
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
