// Random programs in lockstep: instructions of every family with bits of their encodings turned over, on registers that
// hold the edges of every type, in every floating-point mode. Most of what comes out no compiler would write.
// ZETL_TEST_RANDOM_PROGRAMS says how many: more where thorough tests ask.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <memory>
#include <random>
#include <utility>

#include "emulator/isa/code.h"
#include "emulator/isa/float_mode.h"
#include "emulator/isa/flow.h"
#include "emulator/isa/observe.h"
#include "emulator/translate/translation.h"
#include "isa/xe/decode.h"
#include "lockstep.h"
#include "lone_thread.h"
#include "witness.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kCodeBase = 0x10000;
constexpr std::uint32_t kInstructionBytes = 16;
constexpr int kPrograms = 3000;

const char* const kTemplates = R"(
add (16|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d
add (32|M0) (lt)f0.0 r40.0<1>:f r10.0<1;1,0>:f -r20.0<1;1,0>:f
(f0.0) add (16|M0) (sat)r40.0<1>:f (abs)r10.0<1;1,0>:f r20.0<0;1,0>:f
(~f1.0) add (8|M8) r40.0<2>:w r10.0<2;1,0>:w r20.0<1;1,0>:uw
add (16|M0) (sat)r40.0<1>:ub r10.0<1;1,0>:d r20.0<1;1,0>:d
add (1|M0) r40.3<1>:f r10.1<0;1,0>:f r20.2<0;1,0>:f
(W) add (1|M0) r40.1<1>:d r10.1<0;1,0>:d r20.2<0;1,0>:ud
add (16|M0) r40.0<1>:df r10.0<1;1,0>:df r20.0<1;1,0>:df
add (16|M0) r40.0<1>:q r10.0<1;1,0>:q r20.0<0;1,0>:d
mul (32|M0) r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f
mul (16|M0) r40.0<1>:df r10.0<1;1,0>:df r20.0<1;1,0>:df
mul (16|M0) acc0.0<1>:d r10.0<1;1,0>:d r20.0<2;1,0>:uw
macl (16|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d
mad (16|M0) r40.0<1>:f r10.0<1;0>:f r20.0<1;0>:f r30.0<1>:f
mad (16|M0) r40.0<1>:d r10.0<1;0>:d r20.0<1;0>:d r30.0<1>:w
mad (16|M0) r40.0<1>:df r10.0<1;0>:df r20.0<1;0>:df r30.0<1>:df
add3 (16|M0) r40.0<1>:d r10.0<1;0>:d r20.0<1;0>:d r30.0<1>:d
bfn.(s0&s1|~s2) (16|M0) r40.0<1>:ud r10.0<1;0>:ud r20.0<1;0>:ud r30.0<1>:ud
shl (16|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d
asr (16|M0) r40.0<1>:q r10.0<1;1,0>:q r20.0<1;1,0>:ud
shr (32|M0) r40.0<1>:uw r10.0<1;1,0>:uw r20.0<1;1,0>:uw
ror (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud
and (16|M0) (ne)f1.1 r40.0<1>:ud r10.0<1;1,0>:ud ~r20.0<1;1,0>:ud
xor (16|M0) r40.0<1>:uq r10.0<1;1,0>:uq r20.0<1;1,0>:uq
not (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud
avg (16|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d
addc (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud
subb (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud
lzd (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud
cbit (16|M0) r40.0<1>:ud r10.0<1;1,0>:ub
cmp (32|M0) (eq)f0.0 null<1>:d r10.0<1;1,0>:d -r20.0<1;1,0>:d
cmp (16|M0) (ne)f1.0 null<1>:d r10.0<1;1,0>:d -r20.0<1;1,0>:d
cmp (32|M0) (lt)f1.0 r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud
add (32|M0) r40.0<1>:d -r10.0<1;1,0>:d -r20.0<1;1,0>:d
(W) mul (16|M0) acc0.0<1>:d r10.0<1;1,0>:d r20.0<2;1,0>:uw
mov (32|M0) r40.0<2>:b r10.0<1;1,0>:w
(f0.0) sel (32|M0) r40.0<1>:w r10.0<0;1,0>:w 3:w
(~f1.0) sel (32|M0) r40.0<1>:w r10.0<1;1,0>:w r20.0<1;1,0>:w
mov (16|M0) r40.0<2>:b r10.0<1;1,0>:d
(f0.0) mov (32|M0) r40.0<2>:ub r10.0<1;1,0>:ud
mov (16|M0) r40.0<1>:d r10.0<1;1,0>:f
mov (16|M0) r40.0<1>:ud r10.0<1;1,0>:f
mov (16|M0) r40.0<1>:f r10.0<1;1,0>:ud
mov (16|M0) r40.0<1>:df r10.0<1;1,0>:f
mov (16|M0) r40.0<1>:f r10.0<1;1,0>:df
mov (16|M0) r40.0<1>:uq r10.0<1;1,0>:df
mov (16|M0) r40.0<1>:df r10.0<1;1,0>:q
mov (16|M0) r40.0<1>:hf r10.0<1;1,0>:f
mov (16|M0) r40.0<1>:f r10.0<1;1,0>:hf
mov (16|M0) r40.0<1>:f r10.0<1;1,0>:bf
mov (16|M0) r40.0<4>:b r10.0<1;1,0>:d
mov (16|M0) r40.0<2>:d r10.0<1;1,0>:d
mov (32|M0) r40.0<1>:w r10.0<2;1,0>:w
mov (16|M0) r40.0<1>:q r10.0<2;1,0>:d
mov (16|M0) r40.0<1>:b r10.0<4;1,0>:b
mov (1|M0) r40.2<1>:uq r10.5<0;1,0>:ud
mov (1|M0) f0.1<1>:uw r10.3<0;1,0>:uw
mov (16|M0) r40.0<1>:uw 0x76543210:v
mov (16|M0) r[a0.0]<1>:d r10.0<1;1,0>:d
mov (16|M0) r40.0<1>:ud r[a0.2,32]<1;1,0>:ud
mov (32|M0) r[a0.1,64]<1>:w r10.0<1;1,0>:w
(f0.0) mov (16|M0) r[a0.3]<2>:d r10.0<0;1,0>:d
mov (16|M0) r[a0.4]<1>:q r10.0<1;1,0>:q
mov (1|M0) r[a0.5]<1>:ub r10.3<0;1,0>:ub
mov (16|M0) r40.0<1>:d r[a0.0]<1,0>:d
mov (16|M0) r40.0<1>:w r[a0.0]<1,0>:w
mov (8|M0) r40.0<1>:q r[a0.3]<1,0>:q
mov (16|M0) r40.0<1>:ud r[a0.8]<4,1>:ud
(W) mov (32|M0) r40.0<1>:ud r[a0.0]<2,1>:ud
mov (1|M0) r40.0<1>:d r[a0.6,12]<0;1,0>:d
add (16|M0) r40.0<1>:d r10.0<2;4,0>:d r20.0<16;8,2>:d
xor (16|M0) r40.0<1>:ud r10.0<2;8,0>:ud r20.0<4;4,1>:ud
add (8|M0) r40.0<1>:q r10.0<2;2,0>:q r20.0<1;1,0>:q
mov (16|M0) r41.0<1>:d r40.0<4;1,0>:d
mov (16|M0) r40.0<2>:d r40.0<1;1,0>:d
mov (16|M0) r40.8<1>:d r40.0<1;1,0>:d
(W) mov (4|M0) r40.8<1>:d r41.0<1;1,0>:d
(W) mov (8|M0) r40.12<1>:d r41.0<1;1,0>:d
mov (32|M0) r40.3<1>:w r40.0<1;1,0>:w
mov (16|M0) r40.4<1>:q r40.0<1;1,0>:q
mov (16|M0) r40.6<1>:q r41.0<1;1,0>:d
mov (16|M0) r40.5<1>:d r40.0<1;1,0>:q
add (16|M0) r40.4<1>:d r40.0<1;1,0>:d r41.0<1;1,0>:d
add (32|M0) r40.2<1>:f r41.0<1;1,0>:f r40.0<1;1,0>:f
(f0.0) add (32|M0) r40.12<1>:d r41.0<1;1,0>:d r42.0<1;1,0>:d
mul (16|M0) r40.2<1>:df r40.0<1;1,0>:df r41.0<1;1,0>:df
mad (16|M0) r40.8<1>:f r40.0<1;0>:f r41.0<1;0>:f r20.0<1>:f
(f0.0) sel (32|M0) r40.4<1>:d r41.0<1;1,0>:d r40.0<1;1,0>:d
xor (16|M0) r40.1<2>:ud r40.0<2;1,0>:ud r41.0<1;1,0>:ud
and (32|M0) (ne)f1.0 null<2>:uw r10.0<1;1,0>:uw r20.0<1;1,0>:uw
or (16|M0) (lt)f0.1 r40.0<1>:b r10.0<1;1,0>:b r20.0<1;1,0>:b
add (16|M0) (gt)f0.0 r40.0<1>:f r10.0<1;1,0>:df r20.0<1;1,0>:df
mov (16|M0) r40.0<1>:df r10.0<2;1,0>:ud
mov (16|M0) r40.0<1>:df r10.0<1;1,0>:d
mov (16|M0) r40.0<1>:df r10.0<2;1,0>:f
mov (1|M0) r40.0<1>:df r10.1<0;1,0>:f
mov (1|M0) r40.0<1>:df r10.1<0;1,0>:ud
mov (1|M0) r40.0<1>:f r10.1<0;1,0>:hf
mov (16|M0) r40.0<1>:f r10.0<2;1,0>:hf
mov (16|M0) r40.0<1>:f r10.1<0;1,0>:hf
mov (16|M0) r40.0<2>:ud r10.0<1;1,0>:df
(f0.0) mov (16|M0) r40.0<2>:d r10.0<1;1,0>:df
mov (16|M0) r40.0<2>:f r10.0<1;1,0>:df
mov (16|M0) r40.0<4>:w r10.0<1;1,0>:df
mov (16|M0) r40.0<1>:w r10.0<1;1,0>:f
mov (16|M0) r40.0<2>:uw r10.0<1;1,0>:f
mov (16|M0) r40.0<4>:b r10.0<1;1,0>:f
mov (16|M0) r40.0<2>:ub r10.0<1;1,0>:f
mov (16|M0) r40.0<1>:bf r10.0<1;1,0>:f
mov (16|M0) r40.0<2>:hf r10.0<1;1,0>:f
mov (16|M0) r40.0<4>:d r10.0<1;1,0>:d
mov (16|M0) r40.0<1>:d r10.0<4;1,0>:d
mov (16|M0) r40.0<1>:q r10.0<4;1,0>:w
(W&~f0.0) mov (1|M0) r40.0<1>:hf r10.0<0;1,0>:f
rnde (16|M0) r40.0<1>:f r10.0<1;1,0>:f
rnde (16|M0) r40.0<1>:df r10.0<1;1,0>:df
math.rsqt (16|M0) r40.0<1>:f r10.0<1;1,0>:f
math.rsqt (1|M0) r40.0<1>:f r10.0<0;1,0>:f
cmp (16|M0) (ge)f0.0 null<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f
(f0.0) cmp (16|M0) (lt)f0.0 r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d
(~f2.0) cmp (32|M0) (ge)f2.0 r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f
cmp (32|M0) (lt)f2.0 r40.0<1>:d r10.0<1;1,0>:d -r20.0<1;1,0>:d
cmp (16|M16) (eq)f0.0 null<1>:ud r10.0<1;1,0>:ud r20.0<0;1,0>:ud
cmp (16|M0) (gt)f3.1 null<1>:q r10.0<1;1,0>:q r20.0<1;1,0>:q
(f0.0) sel (16|M0) r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f
(f1.0.any) sel (16|M0) r40.0<1>:uq r10.0<1;1,0>:uq r20.0<1;1,0>:uq
sel (16|M0) (lt)f0.0 r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f
sel (16|M0) (ge)f0.0 r40.0<1>:df r10.0<1;1,0>:df r20.0<1;1,0>:df
sel (16|M0) (ge)f0.0 r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d
csel (16|M0) (le)f0.0 r40.0<1>:f r10.0<1;0>:f r20.0<1;0>:f r30.0<1>:f
rndd (16|M0) r40.0<1>:f r10.0<1;1,0>:f
rndu (16|M0) r40.0<1>:f r10.0<1;1,0>:f
rndz (16|M0) r40.0<1>:f r10.0<1;1,0>:f
frc (16|M0) r40.0<1>:f r10.0<1;1,0>:f
math.inv (16|M0) r40.0<1>:f r10.0<1;1,0>:f
math.sqt (16|M0) r40.0<1>:f r10.0<1;1,0>:f
(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw
(W) xor (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x30:uw
send.ugm (16|M0) r40 r60 null:0 0x0 0x08100580
send.ugm (16|M0) null r60 r50:1 0x0 0x08000584
send.slm (16|M0) r40 r70 null:0 0x0 0x02100500
send.slm (16|M0) null r70 r50:1 0x0 0x02000504
(f0.0) send.ugm (16|M0) r40 r60 null:0 0x0 0x08100580
send.ugm (16|M0) r40 r60 null:0 0x0 0x08403580
send.ugm (1|M0) r40 r60 null:0 0x0 0x0210D580
(f1.0) send.ugm (1|M0) r40 r60 null:0 0x0 0x0210D580
(f0.0) jmpi 32
(f0.0) goto (16|M0) 32 32
join (16|M0) 16
(f0.0) if (16|M0) 32 32
endif (16|M0) 16
(f0.0) while (16|M0) -16
)";

// Two lines each that are one product; what they leave in the accumulator, others read, or may.
const char* const kProductTemplates = R"(
(W) mul (16|M0) acc0.0<1>:d r10.0<1;1,0>:d r20.0<2;1,0>:uw
macl (16|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d
(W) mul (16|M0) acc0.0<1>:ud r40.0<1;1,0>:ud r20.6<0;1,0>:uw
(f0.0) macl (16|M0) r10.0<1>:ud r40.0<1;1,0>:ud r20.3<0;1,0>:ud
(W) mul (16|M0) acc0.0<1>:ud r10.0<1;1,0>:ud 0xAAAB:uw
mach (16|M0) r41.0<1>:ud r10.0<1;1,0>:ud 0xAAAAAAAB:ud
(W) mul (16|M16) acc0.0<1>:d r41.0<1;1,0>:d r20.0<2;1,0>:uw
(~f1.0) mach (16|M16) r40.0<1>:d r41.0<1;1,0>:d r20.0<1;1,0>:d
mul (16|M0) acc0.0<1>:d r10.0<1;1,0>:d r20.0<2;1,0>:uw
mach (16|M0) r10.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d
)";
const char* const kAccumulatorTemplates = R"(
mov (16|M0) r42.0<1>:d acc0.0<1;1,0>:d
(f0.0) mov (16|M0) acc0.0<1>:d r41.0<1;1,0>:d
add (16|M0) r40.0<1>:d acc0.0<1;1,0>:d r20.0<1;1,0>:d
(W) add (8|M0) acc0.0<1>:d r20.0<1;1,0>:d r40.0<1;1,0>:d
cmp (16|M0) (lt)f0.0 null<1>:d r40.0<1;1,0>:d r20.0<1;1,0>:d
send.ugm (16|M0) r41 r60 null:0 0x0 0x08100580
send.slm (16|M0) null r70 r40:1 0x0 0x02000504
(f0.0) goto (16|M0) 32 32
join (16|M0) 16
)";

class RandomPrograms : public testing::Test {
  protected:
    using Instruction = std::array<std::byte, kInstructionBytes>;
    using Instructions = std::vector<Instruction>;

    static Instructions instructions(const char* text) {
        Instructions list;
        const Code code = assemble(text);
        for (std::size_t at = 0; at < code.size(); at += kInstructionBytes)
            std::copy_n(code.begin() + static_cast<std::ptrdiff_t>(at), kInstructionBytes, list.emplace_back().begin());
        return list;
    }
    static void SetUpTestSuite() {
        templates_ = instructions(kTemplates);
        products_ = instructions(kProductTemplates);
        accumulators_ = instructions(kAccumulatorTemplates);
        end_ = assembleProgram("");
    }

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

    std::uint32_t indexIn(const Instructions& list) { return below(static_cast<std::uint32_t>(list.size())); }
    /// With so many bits turned over, of registers and of anything.
    Instruction turnedOver(Instruction i, std::uint32_t flips) {
        for (; flips > 0; --flips) {
            const std::uint32_t bit = below(8 * kInstructionBytes);
            i[bit / 8] ^= std::byte{1} << bit % 8;
        }
        i[3] &= ~std::byte{0x20};  // not compacted
        return i;
    }
    static void append(Code& code, const Instruction& i) { code.insert(code.end(), i.begin(), i.end()); }
    static Code ended(Code code) {
        code.insert(code.end(), end_.begin(), end_.end());
        return code;
    }
    Code program() {
        Code code;
        for (std::uint32_t lines = 1 + below(6); lines > 0; --lines) {
            const Instruction& from = templates_[indexIn(templates_)];
            append(code, turnedOver(from, below(4)));
        }
        return ended(code);
    }
    /// Few bits are turned over: most of the lines shall belong together.
    Code programOfProducts() {
        Code code;
        for (std::uint32_t parts = 1 + below(5); parts > 0; --parts) {
            const auto few = [&] { return below(12) == 0 ? 1u : 0u; };
            if (below(3) == 0) {
                append(code, turnedOver(accumulators_[indexIn(accumulators_)], few()));
                continue;
            }
            const std::uint32_t first = indexIn(products_) & ~1u;
            append(code, turnedOver(products_[first], few()));
            append(code, turnedOver(products_[first + 1], few()));
        }
        return ended(code);
    }

    template <class T, std::size_t N>
    void fill(isa::Thread& t, std::uint32_t reg, const std::array<T, N>& edges) {
        for (std::uint32_t lane = 0; lane < 64 / sizeof(T); ++lane)
            std::memcpy(t.grf(reg) + lane * sizeof(T), &edges[below(N)], sizeof(T));
    }
    void fillRegister(isa::Thread& t, std::uint32_t reg) {
        static constexpr std::array<std::uint32_t, 18> singles{
            0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x7f800000,
            0xff800000, 0x7fc00001, 0xffc12345, 0x7fa00000, 0x4f000000, 0xcf000000, 0x4f800000, 0x3f000000, 0x42f6e979};
        static constexpr std::array<std::uint64_t, 12> doubles{0,
                                                               1ull << 63,
                                                               1,
                                                               0x000fffffffffffff,
                                                               0x3ff0000000000000,
                                                               0xbff8000000000000,
                                                               0x7ff0000000000000,
                                                               0x7ff8000000000007,
                                                               0xfff4000000000001,
                                                               0x43e0000000000000,
                                                               0xc3e0000000000000,
                                                               0x41dfffffffc00000};
        static constexpr std::array<std::uint32_t, 10> integers{0,    1,          ~0u,        0x80000000, 0x7fffffff,
                                                                0x80, 0x00010000, 0xffff8000, 31,         0x00ff00ff};
        static constexpr std::array<std::uint16_t, 10> halves{0,      0x8000, 1,      0x03ff, 0x3c00,
                                                              0x7c00, 0xfc00, 0x7e01, 0x7d00, 0x7bff};
        switch (below(5)) {
            case 0:
                return fill(t, reg, singles);
            case 1:
                return fill(t, reg, doubles);
            case 2:
                return fill(t, reg, integers);
            case 3:
                return fill(t, reg, halves);
            default:
                for (std::uint32_t k = 0; k < 8; ++k) {
                    const std::uint64_t bits = random_();
                    std::memcpy(t.grf(reg) + k * 8, &bits, sizeof bits);
                }
        }
    }
    /// Addresses that run on, are equal, lie apart, near each other in any order, or leave the memory.
    void fillAddresses(isa::Thread& t, std::uint64_t memory) {
        const std::uint32_t step = std::array{0u, 1u, 4u, 8u, 12u, 68u}[below(6)];
        const std::uint32_t start = below(5) == 0 ? 4000 : below(64) * 4;
        const std::uint32_t turned = below(2) * below(32);
        const std::uint32_t strayIn = below(2) == 0 ? 20 : 200;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            const std::uint64_t offset = start + (below(strayIn) == 0 ? below(5000) : (lane ^ turned) * step);
            const std::uint64_t address = memory + offset;
            const auto local = static_cast<std::uint32_t>(offset);
            std::memcpy(t.grf(60) + lane * 8, &address, sizeof address);
            std::memcpy(t.grf(70) + lane * 4, &local, sizeof local);
        }
    }
    void prepare(LoneThread& t, std::vector<std::byte>& memory) {
        isa::Thread& thread = t.thread();
        for (std::uint32_t reg = 0; reg < 256; ++reg) fillRegister(thread, reg);
        for (std::uint32_t at = 0; at < 16 * 64; at += 8) {
            const std::uint64_t bits = random_();
            std::memcpy(thread.state + isa::layout::kAccumulator + at, &bits, sizeof bits);
        }
        fillAddresses(thread, LoneThread::addressOf(memory));
        for (std::uint32_t flag = 0; flag < 4; ++flag)
            t.setFlag(flag, below(3) == 0 ? ~0u : below(3) == 0 ? 0 : static_cast<std::uint32_t>(random_()));
        for (std::uint32_t k = 0; k < 16; ++k)
            thread.at<std::uint16_t>(isa::layout::kAddress + k * 2) = static_cast<std::uint16_t>(below(250 * 64));
        constexpr std::uint32_t kModes =
            isa::kKeepDoubleDenormals | isa::kKeepSingleDenormals | isa::kKeepHalfDenormals | 3 << isa::kRoundingShift;
        t.setControl(static_cast<std::uint32_t>(random_()) & kModes);
        for (auto& byte : memory) byte = static_cast<std::byte>(random_());
    }

    /// The k-th program, whose stops must not differ.
    void expectTheSame(const Code& code, int k);
    /// The same for what an observer sees before each line.
    void expectTheSameReports(const Code& code, int k);

    std::mt19937_64 random_{20240607};
    static inline Instructions templates_;
    static inline Instructions products_;
    static inline Instructions accumulators_;
    static inline Code end_;
};

std::string listing(const isa::Program& program) {
    std::string list;
    for (isa::Line line = 0; line < program.lineCount(); ++line)
        list += isa::text(isa::kXeHpc, program.instruction(line)) + "\n";
    return list;
}

/// Whether registers that no line of the program may write are as they were.
bool keepsToWhatItMayWrite(const isa::Thread& before, const isa::Thread& after) {
    namespace layout = isa::layout;
    const isa::StateSlots written = after.program->written();
    for (std::uint32_t slot = 0; slot < layout::kArchitectureEnd; slot += layout::kRegisterBytes) {
        const auto begin = before.state + slot;
        if (!written.contains(slot) && !std::equal(begin, begin + layout::kRegisterBytes, after.state + slot))
            return false;
    }
    return true;
}

void RandomPrograms::expectTheSame(const Code& code, int k) {
    constexpr int kStops = 12;
    constexpr std::uint32_t kLanes[] = {0xffff, ~0u, 0xa5c3, 0x80000001, 1};
    const std::uint32_t lanes = kLanes[below(std::size(kLanes))];
    LoneThread t;
    auto& memory = t.allocate(4096);
    t.load(code, lanes);
    prepare(t, memory);
    Lockstep lockstep(isa::lower(code, {.base = kCodeBase}));
    const auto before = std::make_unique<isa::Thread>(t.thread());
    for (int stop = 0; stop < kStops; ++stop) {
        const std::string difference =
            lockstep.resume(t.thread(), below(2) * 100, {memory, t.local, t.scratch, t.payload});
        ASSERT_EQ(difference, "") << "program " << k << ", lanes " << std::hex << lanes << ":\n"
                                  << listing(t.program());
        if (t.thread().status != isa::Status::paused) break;
    }
    EXPECT_TRUE(keepsToWhatItMayWrite(*before, t.thread())) << "program " << k << ":\n" << listing(t.program());
}

void RandomPrograms::expectTheSameReports(const Code& code, int k) {
    const std::uint32_t lanes = below(2) == 0 ? 0xffff : ~0u;
    LoneThread t;
    auto& memory = t.allocate(4096);
    t.load(code, lanes);
    prepare(t, memory);
    const auto before = std::make_unique<isa::Thread>(t.thread());
    const auto memoryBefore = std::pair(memory, t.local);
    Witness witness;
    const isa::Reported all{&witness, std::vector<bool>(t.program().lineCount(), true)};
    for (isa::Line line = 0; line < all.lines.size(); ++line) t.program().watch(line, witness);
    isa::resume(t.thread(), 100);
    const Witness bySteps = std::exchange(witness, {});
    emulator::translate::translateAnyway(t.program(), kCodeBase, lanes == ~0u ? 32 : 16,
                                         emulator::translate::Registers::dropped, {&all, 1});
    ASSERT_NE(t.program().code().at(*before, 0)->handler(), &isa::observed) << "watched steps run it";
    t.thread() = *before;
    std::ranges::copy(memoryBefore.first, memory.begin());
    std::ranges::copy(memoryBefore.second, t.local.begin());
    isa::resume(t.thread(), 100);
    ASSERT_EQ(witness.lines, bySteps.lines) << "program " << k << ":\n" << listing(t.program());
    ASSERT_EQ(witness.masks, bySteps.masks) << "program " << k << ":\n" << listing(t.program());
    ASSERT_TRUE(witness.registers == bySteps.registers) << "program " << k << ":\n" << listing(t.program());
}

/// Those of every run are the first ones of a longer one.
int programs() {
    const char* more = std::getenv("ZETL_TEST_RANDOM_PROGRAMS");
    return more == nullptr ? kPrograms : std::atoi(more);
}

TEST_F(RandomPrograms, DoTheSameByStepsAndTranslated) {
    for (int k = 0; k < programs(); ++k) {
        expectTheSame(program(), k);
        if (HasFatalFailure()) return;
    }
}

// What host code holds in registers of the host is at home when an observer looks: all registers, flags and masks.
TEST_F(RandomPrograms, ShowObserversTheSameByStepsAndTranslated) {
    if (!emulator::translate::hostObstacle().empty()) GTEST_SKIP() << emulator::translate::hostObstacle();
    for (int k = 0; k < programs() / 4; ++k) {
        expectTheSameReports(below(2) == 0 ? program() : programOfProducts(), k);
        if (HasFatalFailure()) return;
    }
}

TEST_F(RandomPrograms, OfProductsDoTheSameByStepsAndTranslated) {
    for (int k = 0; k < programs() / 2; ++k) {
        expectTheSame(programOfProducts(), k);
        if (HasFatalFailure()) return;
    }
}

// What no compiler wrote, as a hostile binary: fields that exclude each other, targets in the middle of instructions.
TEST_F(RandomPrograms, BytesOfAnyKindDoTheSameByStepsAndTranslated) {
    const auto opcodes = isa::allOpcodes();
    for (int k = 0; k < programs() / 2; ++k) {
        Code code((1 + below(24)) * kInstructionBytes);
        for (std::size_t at = 0; at < code.size(); ++at) {
            const auto opcode =
                static_cast<std::uint32_t>(opcodes[below(static_cast<std::uint32_t>(opcodes.size()))].opcode);
            code[at] = static_cast<std::byte>(at % kInstructionBytes == 0 && below(8) != 0 ? opcode : below(256));
        }
        expectTheSame(code, k);
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace zetl::test
