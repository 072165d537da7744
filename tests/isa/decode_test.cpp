// The decoder's text against the vendor's disassembler, on everything the compiler makes of the test kernels.
#include "isa/xe/decode.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "assembler.h"
#include "binary/native_binary.h"
#include "emulator/isa/program.h"

namespace zetl::test {
namespace {

namespace isa = emulator::isa;

/// What normalized() leaves of our own text, by address.
std::string ours(const Code& code, std::size_t at) {
    const auto in = isa::decode(isa::kXeHpc, std::span(code).subspan(at), static_cast<std::uint32_t>(at));
    return in ? normalized(isa::text(isa::kXeHpc, *in)) : "not decoded";
}
std::size_t compare(const Code& code, const std::string& what) {
    std::size_t compared = 0;
    for (const std::string& line : disassemble(code)) {
        const std::size_t blank = line.find(' ');
        const std::size_t at = std::stoul(line.substr(0, blank), nullptr, 16);
        const std::string theirs = line.substr(blank + 1);
        if (theirs.starts_with("illegal")) continue;
        EXPECT_EQ(ours(code, at), theirs) << what << " at " << std::hex << at;
        if (testing::Test::HasFailure()) break;
        ++compared;
    }
    return compared;
}

class CompiledCode : public testing::TestWithParam<std::tuple<const char*, const char*>> {};
TEST_P(CompiledCode, ReadsAsTheVendorDoes) {
    const auto [source, mode] = GetParam();
    const auto zebin = compileModule(fmt::format("{}/{}", ZETL_KERNELS, source), fmt::format("-cl-std=CL2.0 {}", mode));
    auto module = binary::readNative({reinterpret_cast<const std::uint8_t*>(zebin.data()), zebin.size()});
    ASSERT_TRUE(module);
    std::size_t compared = 0;
    for (const auto& section : (*module)->code) {
        const auto* bytes = reinterpret_cast<const std::byte*>(section.bytes.data());
        compared += compare(Code(bytes, bytes + section.bytes.size()), section.name);
    }
    EXPECT_GT(compared, 100u);
}
INSTANTIATE_TEST_SUITE_P(Kernels, CompiledCode,
                         testing::Combine(testing::Values("integers.cl", "floats.cl", "control.cl", "memory.cl",
                                                          "groups.cl"),
                                          testing::Values("", "-cl-opt-disable -g", "-cl-intel-256-GRF-per-thread",
                                                          "-cl-denorms-are-zero -cl-fast-relaxed-math")));

TEST(Decode, InstructionsThatCompilersDoNotEmit) {
    const Code code = assemble(
        "if (16|M0) L0 L1\nL0:\nelse (16|M0) L1 L1\nL1:\nendif (16|M0) L2\nL2:\n(f0.0) while (16|M0) L0\n(f0.0) break "
        "(16|M0) L2 L2\n"
        "(f0.0) cont (16|M0) L2 L2\n(f0.0) halt (16|M0) L2 L2\nbrd (16|M0) L2\nbrc (16|M0) L2 L2\n"
        "srnd (16|M0) r10.0<1>:hf r11.0<1;1,0>:f r12.0<1;1,0>:f\nbfe (16|M0) r40.0<1>:d r10.0<1;0>:d r20.0<1;0>:d "
        "r30.0<1>:d\n"
        "bfi1 (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud\nbfi2 (16|M0) r40.0<1>:ud r10.0<1;0>:ud "
        "r20.0<1;0>:ud r30.0<1>:ud\n"
        "frc (16|M0) r40.0<1>:f r10.0<1;1,0>:f\navg (16|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d\n"
        "ror (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud\nmac (16|M0) r40.0<1>:f r10.0<1;1,0>:f "
        "r20.0<1;1,0>:f\n"
        "subb (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud\nfbh (16|M0) r40.0<1>:ud r10.0<1;1,0>:d\n"
        "cmpn (16|M0) (lt)f0.0 null<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f\n(f1.1.any) mov (16|M0) r40.0<1>:d "
        "r10.0<8;4,2>:d\n"
        "(~f1.1.all) mov (16|M0) (sat)r40.1<4>:w -(abs)r10.0<1;1,0>:w\nadd (8|M8) r[a0.2,-20]<2>:d r[a0.3,12]<2;1,0>:d "
        "r7.0<0;1,0>:d\n"
        "sendc.ugm (16|M0) r40 r10 null:0 a0.2 a0.0\nsync.host null\nsync.fence null\n(W) sync.bar f1.0:uw\n(W) "
        "sync.bar f0.1:uw");
    EXPECT_EQ(compare(code, "assembled"), code.size() / 16);
}

TEST(Decode, MatrixProducts) {
    const Code code = assemble(
        "dpas.8x8 (16|M0) r32:d r32:d r22:b r14.0:b\ndpas.8x8 (16|M0) r32:d null:d r22:u4 r14.0:s4\n"
        "(W) dpas.8x1 (16|M0) r32:f r32:f r22:bf r14.0:bf\ndpas.8x2 (16|M0) r32:hf r32:f r22:hf r14.8:hf\n"
        "dpas.8x2 (16|M0) r32:f r32:f r22:tf32 r14.0:tf32\ndpas.4x3 (16|M0) r32:ud r32:d r22:u2 r14.32:b\n"
        "mov (16|M0) r40.0<1>:tf32 r10.0<1;1,0>:f\n(W) mov (16|M0) r40.0<1>:bf8 r10.0<1;1,0>:hf");
    EXPECT_EQ(compare(code, "assembled"), code.size() / 16);
    // Every entry of the tables that compacted ones go through; elements below 8 bits make no sense for reals.
    Code compacted;
    constexpr std::uint64_t kFirstReal = 6;
    for (std::uint64_t control = 0; control < 16; ++control)
        for (std::uint64_t sources = 0; sources < 16; ++sources) {
            if (control >= kFirstReal && sources != 0 && sources != 9 && sources != 14) continue;
            for (std::uint64_t sub : {control * 2, control * 2 + 1}) {
                const std::uint64_t word =
                    0x160e'2820'2000'0059 | control << 18 | sources << 22 | (sub & 7) << 26 | sub >> 3 << 30;
                const auto* bytes = reinterpret_cast<const std::byte*>(&word);
                compacted.insert(compacted.end(), bytes, bytes + sizeof word);
            }
        }
    EXPECT_EQ(compare(compacted, "compacted"), compacted.size() / 8);
}

TEST(Decode, AnyBytesGiveAnInstructionOrNothing) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 20000; ++round) {
        std::byte bytes[16];
        for (std::size_t k = 0; k < 16; k += 8) {
            const std::uint64_t v = random();
            std::memcpy(bytes + k, &v, 8);
        }
        const auto in = isa::decode(isa::kXeHpc, std::span(bytes).first(random() % 17), 0);
        if (in) {
            EXPECT_FALSE(isa::text(isa::kXeHpc, *in).empty());
        }
        isa::lower(bytes);
    }
}

}  // namespace
}  // namespace zetl::test
