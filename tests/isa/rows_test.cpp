// Every row against an independent reference at the edges of its types, on every table, with all lanes on and with some
// off.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "lone_thread.h"

namespace zetl::test {
namespace {

using Wide = __int128;
using IntegerReference = Wide (*)(Wide, Wide, Wide);

constexpr std::uint32_t kSources[3] = {10, 20, 30};
constexpr std::uint32_t kDestination = 40;
constexpr std::uint32_t kSomeLanes = 0xa35c;

// ---- integers ----
struct IntegerCase {
    const char* assembly;  // sources in r10, r20, r30; destination r40
    int bytes;             // of all operands
    bool isSigned;
    int sources;
    IntegerReference reference;
    int mathFunction = 0;  // makes a math instruction of an add: the assembler lacks these, newer ones may not
};

std::vector<Wide> integerEdges(int bytes, bool isSigned) {
    const Wide top = Wide(1) << (bytes * 8 - 1);
    if (isSigned) return {0, 1, -1, 2, 7, 31, 33, -100, top - 1, -top, -top + 1, 0x55, 12345};
    return {0, 1, 2, 7, 31, 33, 63, top - 1, top, 2 * top - 1, 0x55, 0xa5, 12345};
}
std::uint32_t low(Wide v) { return static_cast<std::uint32_t>(v); }
std::uint64_t longLow(Wide v) { return static_cast<std::uint64_t>(v); }

const IntegerCase kIntegerCases[] = {
    {"add (16|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d", 4, true, 2, [](Wide a, Wide b, Wide) { return a + b; }},
    {"add (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return a + b; }},
    {"add (16|M0) r40.0<1>:q r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2, [](Wide a, Wide b, Wide) { return a + b; }},
    {"add (16|M0) r40.0<1>:w r10.0<1;1,0>:w r20.0<1;1,0>:w", 2, true, 2, [](Wide a, Wide b, Wide) { return a + b; }},
    {"add (16|M0) (sat)r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d", 4, true, 2,
     [](Wide a, Wide b, Wide) { return std::clamp<Wide>(a + b, INT32_MIN, INT32_MAX); }},
    {"add (16|M0) (sat)r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return std::clamp<Wide>(a + b, 0, UINT32_MAX); }},
    {"add (16|M0) (sat)r40.0<1>:q r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2,
     [](Wide a, Wide b, Wide) { return std::clamp<Wide>(a + b, INT64_MIN, INT64_MAX); }},
    {"add (16|M0) r40.0<1>:d -r10.0<1;1,0>:d (abs)r20.0<1;1,0>:d", 4, true, 2,
     [](Wide a, Wide b, Wide) { return -a + (b < 0 ? -b : b); }},
    {"add (16|M0) r40.0<1>:ud (abs)r10.0<1;1,0>:d -(abs)r20.0<1;1,0>:d", 4, true, 2,
     [](Wide a, Wide b, Wide) { return (a < 0 ? -a : a) - (b < 0 ? -b : b); }},
    {"add (16|M0) r40.0<1>:d r10.0<1;1,0>:ud (abs)r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return a + b; }},
    {"add (16|M0) r40.0<1>:uq (abs)r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2,
     [](Wide a, Wide b, Wide) { return (a < 0 ? -a : a) + b; }},
    {"mul (16|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d", 4, true, 2, [](Wide a, Wide b, Wide) { return a * b; }},
    {"mul (16|M0) (sat)r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d", 4, true, 2,
     [](Wide a, Wide b, Wide) { return std::clamp<Wide>(a * b, INT32_MIN, INT32_MAX); }},
    {"mul (16|M0) r40.0<1>:w r10.0<1;1,0>:w r20.0<1;1,0>:w", 2, true, 2, [](Wide a, Wide b, Wide) { return a * b; }},
    {"avg (16|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d", 4, true, 2,
     [](Wide a, Wide b, Wide) { return (a + b + 1) >> 1; }},
    {"avg (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return (a + b + 1) >> 1; }},
    {"avg (16|M0) r40.0<1>:q r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2,
     [](Wide a, Wide b, Wide) { return (a + b + 1) >> 1; }},
    {"avg (16|M0) r40.0<1>:uq r10.0<1;1,0>:uq r20.0<1;1,0>:uq", 8, false, 2,
     [](Wide a, Wide b, Wide) { return (a + b + 1) >> 1; }},
    {"avg (16|M0) (sat)r40.0<1>:uq r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2,
     [](Wide a, Wide b, Wide) { return std::max<Wide>((a + b + 1) >> 1, 0); }},
    {"avg (16|M0) (sat)r40.0<1>:q r10.0<1;1,0>:uq r20.0<1;1,0>:uq", 8, false, 2,
     [](Wide a, Wide b, Wide) { return std::min<Wide>((a + b + 1) >> 1, INT64_MAX); }},
    {"mac (16|M0) (sat)r40.0<1>:q r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2,
     [](Wide a, Wide b, Wide) { return std::clamp<Wide>(a * b, INT64_MIN, INT64_MAX); }},
    {"add3 (16|M0) r40.0<1>:d r10.0<1;0>:d r20.0<1;0>:d r30.0<1>:d", 4, true, 3,
     [](Wide a, Wide b, Wide c) { return a + b + c; }},
    {"mad (16|M0) r40.0<1>:d r10.0<1;0>:d r20.0<1;0>:w r30.0<1>:w", 4, true, 1, [](Wide a, Wide, Wide) { return a; }},
    {"mad (16|M0) r40.0<1>:w r10.0<1;0>:w r20.0<1;0>:w r30.0<1>:w", 2, true, 3,
     [](Wide a, Wide b, Wide c) { return a + b * c; }},
    {"addc (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return a + b; }},
    {"subb (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return a - b; }},
    {"and (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return a & b; }},
    {"and (16|M0) r40.0<1>:ud ~r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return ~a & b; }},
    {"or (16|M0) r40.0<1>:q r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2, [](Wide a, Wide b, Wide) { return a | b; }},
    {"xor (16|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d", 4, true, 2, [](Wide a, Wide b, Wide) { return a ^ b; }},
    {"not (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud", 4, false, 1, [](Wide a, Wide, Wide) { return ~a; }},
    {"not (16|M0) r40.0<1>:w r10.0<1;1,0>:w", 2, true, 1, [](Wide a, Wide, Wide) { return ~a; }},
    {"shl (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return a << (low(b) & 31); }},
    {"shl (16|M0) r40.0<1>:d (abs)r10.0<1;1,0>:d 3:w", 4, true, 1,
     [](Wide a, Wide, Wide) { return Wide((a < 0 ? -a : a) << 3); }},
    {"shl (16|M0) r40.0<1>:q r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2,
     [](Wide a, Wide b, Wide) { return Wide(longLow(a) << (longLow(b) & 63)); }},
    {"shl (16|M0) (sat)r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d", 4, true, 2,
     [](Wide a, Wide b, Wide) { return std::clamp<Wide>(a * (Wide(1) << (low(b) & 31)), INT32_MIN, INT32_MAX); }},
    {"shl (16|M0) (sat)r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return std::clamp<Wide>(a << (low(b) & 31), 0, UINT32_MAX); }},
    {"shl (16|M0) (sat)r40.0<1>:w r10.0<1;1,0>:w r20.0<1;1,0>:w", 2, true, 2,
     [](Wide a, Wide b, Wide) { return std::clamp<Wide>(a * (Wide(1) << (low(b) & 31)), INT16_MIN, INT16_MAX); }},
    {"shl (16|M0) (sat)r40.0<1>:q r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2,
     [](Wide a, Wide b, Wide) { return std::clamp<Wide>(a * (Wide(1) << (low(b) & 63)), INT64_MIN, INT64_MAX); }},
    {"shl (16|M0) (sat)r40.0<1>:uq r10.0<1;1,0>:uq r20.0<1;1,0>:uq", 8, false, 2,
     [](Wide a, Wide b, Wide) {
         const int n = low(b) & 63;
         return a > Wide(UINT64_MAX >> n) ? Wide(UINT64_MAX) : a << n;
     }},
    {"asr (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return a >> (low(b) & 31); }},
    {"asr (16|M0) r40.0<1>:uq r10.0<1;1,0>:uq r20.0<1;1,0>:uq", 8, false, 2,
     [](Wide a, Wide b, Wide) { return a >> (low(b) & 63); }},
    {"asr (16|M0) r40.0<1>:d (abs)r10.0<1;1,0>:d r20.0<1;1,0>:d", 4, true, 2,
     [](Wide a, Wide b, Wide) { return (a < 0 ? -a : a) >> (low(b) & 31); }},
    {"asr (16|M0) (sat)r40.0<1>:w r10.0<1;1,0>:w r20.0<1;1,0>:w", 2, true, 2,
     [](Wide a, Wide b, Wide) { return a >> (low(b) & 31); }},
    {"mul (16|M0) (sat)r40.0<1>:d r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return std::min<Wide>(a * b, INT32_MAX); }},
    {"add (16|M0) (sat)r40.0<1>:uq r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2,
     [](Wide a, Wide b, Wide) { return std::clamp<Wide>(a + b, 0, UINT64_MAX); }},
    {"mad (16|M0) (sat)r40.0<1>:uq r10.0<1;0>:q r20.0<1;0>:q r30.0<1>:q", 8, true, 3,
     [](Wide a, Wide b, Wide c) { return std::clamp<Wide>(a + b * c, 0, UINT64_MAX); }},
    {"shl (16|M0) (sat)r40.0<1>:uq r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2,
     [](Wide a, Wide b, Wide) { return std::clamp<Wide>(a * (Wide(1) << (low(b) & 63)), 0, UINT64_MAX); }},
    {"mul (16|M0) (sat)r40.0<1>:q r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2,
     [](Wide a, Wide b, Wide) { return std::clamp<Wide>(a * b, INT64_MIN, INT64_MAX); }},
    {"add3 (16|M0) (sat)r40.0<1>:q r10.0<1;0>:q r20.0<1;0>:q r30.0<1>:q", 8, true, 3,
     [](Wide a, Wide b, Wide c) { return std::clamp<Wide>(a + b + c, INT64_MIN, INT64_MAX); }},
    {"mad (16|M0) (sat)r40.0<1>:q r10.0<1;0>:q r20.0<1;0>:q r30.0<1>:q", 8, true, 3,
     [](Wide a, Wide b, Wide c) { return std::clamp<Wide>(a + b * c, INT64_MIN, INT64_MAX); }},
    {"dp4a (16|M0) (sat)r40.0<1>:d r10.0<1;0>:d r20.0<1;0>:d r30.0<1>:d", 4, true, 3,
     [](Wide a, Wide b, Wide c) {
         for (int k = 0; k < 32; k += 8) a += Wide(std::int8_t(low(b) >> k)) * std::int8_t(low(c) >> k);
         return std::clamp<Wide>(a, INT32_MIN, INT32_MAX);
     }},
    {"shr (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return a >> (low(b) & 31); }},
    {"shr (16|M0) r40.0<1>:ud r10.0<1;1,0>:d r20.0<1;1,0>:d", 4, true, 2,
     [](Wide a, Wide b, Wide) { return Wide(low(a) >> (low(b) & 31)); }},
    {"shr (16|M0) r40.0<1>:ud (abs)r10.0<1;1,0>:d 3:w", 4, true, 1,
     [](Wide a, Wide, Wide) { return (a < 0 ? -a : a) >> 3; }},
    {"asr (16|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d", 4, true, 2,
     [](Wide a, Wide b, Wide) { return a >> (low(b) & 31); }},
    {"asr (16|M0) r40.0<1>:q r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2,
     [](Wide a, Wide b, Wide) { return a >> (longLow(b) & 63); }},
    {"rol (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return Wide(std::rotl(low(a), int(low(b) & 31))); }},
    {"ror (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return Wide(std::rotr(low(a), int(low(b) & 31))); }},
    {"ror (16|M0) r40.0<1>:uq r10.0<1;1,0>:uq r20.0<1;1,0>:uq", 8, false, 2,
     [](Wide a, Wide b, Wide) { return Wide(std::rotr(longLow(a), int(longLow(b) & 63))); }},
    {"rol (16|M0) r40.0<1>:uw r10.0<1;1,0>:uw r20.0<1;1,0>:uw", 2, false, 2,
     [](Wide a, Wide b, Wide) { return Wide(std::rotl(std::uint16_t(a), int(low(b) & 15))); }},
    {"rol (16|M0) r40.0<1>:ub r10.0<1;1,0>:ub r20.0<1;1,0>:ub", 1, false, 2,
     [](Wide a, Wide b, Wide) { return Wide(std::rotl(std::uint8_t(a), int(low(b) & 7))); }},
    {"ror (16|M0) r40.0<1>:ub r10.0<1;1,0>:ub r20.0<1;1,0>:ub", 1, false, 2,
     [](Wide a, Wide b, Wide) { return Wide(std::rotr(std::uint8_t(a), int(low(b) & 7))); }},
    {"bfn.0xCA (16|M0) r40.0<1>:ud r10.0<1;0>:ud r20.0<1;0>:ud r30.0<1>:ud", 4, false, 3,
     [](Wide a, Wide b, Wide c) { return (c & b) | (~c & a); }},
    {"bfn.0x96 (16|M0) r40.0<1>:ud r10.0<1;0>:ud r20.0<1;0>:ud r30.0<1>:ud", 4, false, 3,
     [](Wide a, Wide b, Wide c) { return a ^ b ^ c; }},
    {"bfn.0x01 (16|M0) r40.0<1>:uw r10.0<1;0>:uw r20.0<1;0>:uw r30.0<1>:uw", 2, false, 3,
     [](Wide a, Wide b, Wide c) { return ~(a | b | c); }},
    {"lzd (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud", 4, false, 1,
     [](Wide a, Wide, Wide) { return Wide(std::countl_zero(low(a))); }},
    {"fbl (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud", 4, false, 1,
     [](Wide a, Wide, Wide) { return a ? Wide(std::countr_zero(low(a))) : -1; }},
    {"fbh (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud", 4, false, 1,
     [](Wide a, Wide, Wide) { return a ? Wide(std::countl_zero(low(a))) : -1; }},
    {"fbh (16|M0) r40.0<1>:ud r10.0<1;1,0>:d", 4, true, 1,
     [](Wide a, Wide, Wide) {
         const std::uint32_t v = low(a < 0 ? ~a : a);
         return v ? Wide(std::countl_zero(v)) : -1;
     }},
    {"cbit (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud", 4, false, 1,
     [](Wide a, Wide, Wide) { return Wide(std::popcount(low(a))); }},
    {"bfrev (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud", 4, false, 1,
     [](Wide a, Wide, Wide) {
         std::uint32_t r = 0;
         for (int k = 0; k < 32; ++k) r |= (low(a) >> k & 1) << (31 - k);
         return Wide(r);
     }},
    {"bfe (16|M0) r40.0<1>:ud r10.0<1;0>:ud r20.0<1;0>:ud r30.0<1>:ud", 4, false, 3,
     [](Wide w, Wide o, Wide v) {
         const std::uint32_t n = low(w) & 31;
const std::uint32_t s = low(o) & 31;
         return Wide(low(v) >> s & ((1ull << n) - 1));
     }},
    {"bfe (16|M0) r40.0<1>:d r10.0<1;0>:d r20.0<1;0>:d r30.0<1>:d", 4, true, 3,
     [](Wide w, Wide o, Wide v) -> Wide {
         const int n = int(low(w) & 31), s = int(low(o) & 31);
         if (n == 0) return 0;
         if (n + s >= 32) return v >> s;
         const std::uint32_t field = low(v) >> s & ((1u << n) - 1);
         return field >> (n - 1) & 1 ? Wide(field) - (Wide(1) << n) : Wide(field);
     }},
    {"bfi1 (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide w, Wide o, Wide) { return ((Wide(1) << (low(w) & 31)) - 1) << (low(o) & 31); }},
    {"bfi2 (16|M0) r40.0<1>:ud r10.0<1;0>:ud r20.0<1;0>:ud r30.0<1>:ud", 4, false, 3,
     [](Wide m, Wide v, Wide old) { return ((v << (m ? std::countr_zero(low(m)) : 0)) & m) | (old & ~m); }},
    {"dp4a (16|M0) r40.0<1>:d r10.0<1;0>:d r20.0<1;0>:d r30.0<1>:d", 4, true, 3,
     [](Wide a, Wide b, Wide c) {
         for (int k = 0; k < 32; k += 8) a += std::int8_t(low(b) >> k) * std::int8_t(low(c) >> k);
         return a;
     }},
    {"dp4a (16|M0) r40.0<1>:ud r10.0<1;0>:ud r20.0<1;0>:ud r30.0<1>:ud", 4, false, 3,
     [](Wide a, Wide b, Wide c) {
         for (int k = 0; k < 32; k += 8) a += std::uint8_t(low(b) >> k) * std::uint8_t(low(c) >> k);
         return a;
     }},
    {"sel (16|M0) (lt)f0.0 r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d", 4, true, 2,
     [](Wide a, Wide b, Wide) { return std::min(a, b); }},
    {"sel (16|M0) (ge)f0.0 r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return std::max(a, b); }},
    {"sel (16|M0) (lt)f0.0 r40.0<1>:q r10.0<1;1,0>:q r20.0<1;1,0>:q", 8, true, 2,
     [](Wide a, Wide b, Wide) { return std::min(a, b); }},
    {"sel (16|M0) (gt)f0.0 r40.0<1>:w r10.0<1;1,0>:w r20.0<1;1,0>:w", 2, true, 2,
     [](Wide a, Wide b, Wide) { return std::max(a, b); }},
    {"csel (16|M0) (lt)f0.0 r40.0<1>:w r10.0<1;0>:w r20.0<1;0>:w r30.0<1>:w", 2, true, 3,
     [](Wide a, Wide b, Wide c) { return c < 0 ? a : b; }},
    {"mov (16|M0) r40.0<1>:d r10.0<1;1,0>:d", 4, true, 1, [](Wide a, Wide, Wide) { return a; }},
    {"mov (16|M0) r40.0<1>:d -r10.0<1;1,0>:d", 4, true, 1, [](Wide a, Wide, Wide) { return -a; }},
    {"mov (16|M0) (sat)r40.0<1>:q r10.0<1;1,0>:uq", 8, false, 1,
     [](Wide a, Wide, Wide) { return std::min<Wide>(a, INT64_MAX); }},
    {"add (16|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d", 4, true, 2,
     [](Wide a, Wide b, Wide) { return b ? a / b : -1; }, 12},
    {"add (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud", 4, false, 2,
     [](Wide a, Wide b, Wide) { return b ? a % b : a; }, 13},
};

void store(std::byte* p, int bytes, Wide v) { std::memcpy(p, &v, static_cast<std::size_t>(bytes)); }
Wide fetch(const std::byte* p, int bytes) {
    Wide v = 0;
    std::memcpy(&v, p, static_cast<std::size_t>(bytes));
    return v;
}
Wide truncated(Wide v, int bytes) { return v & ((Wide(1) << bytes * 8) - 1); }

/// All combinations of the edges, sixteen at a time.
class Combinations {
  public:
    Combinations(std::size_t edges, int sources) : edges_(edges) {
        for (int k = 0; k < sources; ++k) total_ *= edges;
    }
    std::size_t total() const { return total_; }
    std::size_t pick(std::size_t combination, int source) const {
        for (int k = 0; k < source; ++k) combination /= edges_;
        return combination % edges_;
    }

  private:
    std::size_t edges_;
    std::size_t total_ = 1;
};

void makeMath(Code& instruction, int function) {
    constexpr auto opcodeMask = std::byte{0x7f};
    constexpr auto mathOpcode = std::byte{0x38};
    instruction[0] = (instruction[0] & ~opcodeMask) | mathOpcode;
    instruction[11] = (instruction[11] & std::byte{0x0f}) | static_cast<std::byte>(function << 4);
}
/// One program for each instruction, assembled in one go.
template <class Case, std::size_t N>
std::vector<Code> programsOf(const Case (&cases)[N]) {
    std::string text;
    for (const Case& c : cases) text += std::string(c.assembly) + "\n";
    const Code all = assembleProgram(text);
    constexpr std::size_t size = 16;
    EXPECT_EQ(all.size(), (N + 2) * size);
    std::vector<Code> programs;
    for (std::size_t i = 0; i < N; ++i) {
        Code one(all.begin() + static_cast<std::ptrdiff_t>(i * size),
                 all.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
        if (cases[i].mathFunction) makeMath(one, cases[i].mathFunction);
        one.insert(one.end(), all.end() - 2 * size, all.end());
        programs.push_back(one);
    }
    return programs;
}

constexpr isa::LowerOptions kAll{.base = 0x10000};
constexpr isa::LowerOptions kMasked{.base = 0x10000, .simd16 = false, .simd32 = false};

void checkIntegers(const IntegerCase& c, const Code& code, const isa::StepTable& table, std::uint32_t lanes,
                   const isa::LowerOptions& options) {
    const auto edges = integerEdges(c.bytes, c.isSigned);
    const Combinations all(edges.size(), c.sources);
    LoneThread t;
    for (std::size_t first = 0; first < all.total(); first += 16) {
        t.thread().reset();
        for (unsigned lane = 0; lane < 16; ++lane)
            for (int k = 0; k < c.sources; ++k)
                store(t.thread().grf(kSources[k]) + lane * unsigned(c.bytes), c.bytes,
                      edges[all.pick((first + lane) % all.total(), k)]);
        std::memset(t.thread().grf(kDestination), 0x5a, 512);
        t.load(code, lanes, options, table);
        ASSERT_EQ(t.resume(), isa::Status::done) << c.assembly << ": " << describe(t.thread().fault);
        for (unsigned lane = 0; lane < 16; ++lane) {
            const auto input = [&](int k) {
                return k < c.sources ? edges[all.pick((first + lane) % all.total(), k)] : Wide(0);
            };
            const Wide got = fetch(t.thread().grf(kDestination) + lane * unsigned(c.bytes), c.bytes);
            const Wide kept = truncated(Wide(0x5a5a5a5a5a5a5a5aull), c.bytes);
            const Wide want = lanes >> lane & 1 ? truncated(c.reference(input(0), input(1), input(2)), c.bytes) : kept;
            ASSERT_TRUE(got == want) << c.assembly << " on " << table.name << " lane " << lane << " of " << std::hex
                                     << lanes << ": " << static_cast<std::int64_t>(input(0)) << ", "
                                     << static_cast<std::int64_t>(input(1)) << ", "
                                     << static_cast<std::int64_t>(input(2)) << " gave "
                                     << static_cast<std::uint64_t>(got) << ", not " << static_cast<std::uint64_t>(want);
        }
    }
}

TEST(Rows, IntegersAtTheEdges) {
    const auto programs = programsOf(kIntegerCases);
    for (const isa::StepTable* table : usableTables())
        for (std::size_t i = 0; i < programs.size(); ++i) {
            checkIntegers(kIntegerCases[i], programs[i], *table, 0xffff, kAll);
            checkIntegers(kIntegerCases[i], programs[i], *table, 0xffff, kMasked);
            checkIntegers(kIntegerCases[i], programs[i], *table, kSomeLanes, kAll);
        }
}

// ---- floating point ----
struct RealCase {
    const char* assembly;
    int sources;
    double (*reference)(double, double, double);
    double tolerance;  // relative; 0: the same bits, any NaN for a NaN
    int mathFunction = 0;
};
const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();
const std::vector<double> kRealEdges = {0.0,  -0.0,   1,     -1,    0.5,  1.5,  2.5,   -2.5, 3.9999,
                                        1e10, -1e-10, 65504, 1e-40, 3e38, kInf, -kInf, kNan};

float single(double v) { return static_cast<float>(v); }

const RealCase kSingleCases[] = {
    {"add (16|M0) r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f", 2, [](double a, double b, double) { return a + b; }, 0},
    {"add (16|M0) r40.0<1>:f r10.0<1;1,0>:f -(abs)r20.0<1;1,0>:f", 2,
     [](double a, double b, double) { return a - std::fabs(b); }, 0},
    {"mul (16|M0) r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f", 2, [](double a, double b, double) { return a * b; }, 0},
    {"mad (16|M0) r40.0<1>:f r10.0<1;0>:f r20.0<1;0>:f r30.0<1>:f", 3,
     [](double a, double b, double c) { return double(std::fmaf(single(b), single(c), single(a))); }, 0},
    {"add (16|M0) (sat)r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f", 2,
     [](double a, double b, double) {
         const double s = a + b;
         return s > 0 ? std::min(s, 1.0) : 0.0;
     },
     0},
    {"frc (16|M0) r40.0<1>:f r10.0<1;1,0>:f", 1,
     [](double a, double, double) { return double(single(a) - std::floor(single(a))); }, 0},
    {"rndu (16|M0) r40.0<1>:f r10.0<1;1,0>:f", 1, [](double a, double, double) { return std::ceil(a); }, 0},
    {"rndd (16|M0) r40.0<1>:f r10.0<1;1,0>:f", 1, [](double a, double, double) { return std::floor(a); }, 0},
    {"rnde (16|M0) r40.0<1>:f r10.0<1;1,0>:f", 1, [](double a, double, double) { return std::nearbyint(a); }, 0},
    {"rndz (16|M0) r40.0<1>:f r10.0<1;1,0>:f", 1, [](double a, double, double) { return std::trunc(a); }, 0},
    {"sel (16|M0) (lt)f0.0 r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f", 2,
     [](double a, double b, double) { return std::isnan(a)   ? b
                                             : std::isnan(b) ? a
                                             : a < b         ? a
                                                             : b; }, 0},
    {"sel (16|M0) (ge)f0.0 r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f", 2,
     [](double a, double b, double) { return std::isnan(a)   ? b
                                             : std::isnan(b) ? a
                                             : a >= b        ? a
                                                             : b; }, 0},
    {"sel (16|M0) (un)f0.0 r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f", 2,
     [](double a, double b, double) { return std::isnan(a) || std::isnan(b) ? a : b; }, 0},
    {"csel (16|M0) (un)f0.0 r40.0<1>:f r10.0<1;0>:f r20.0<1;0>:f r30.0<1>:f", 3,
     [](double a, double b, double c) { return std::isnan(c) ? a : b; }, 0},
    {"csel (16|M0) (ge)f0.0 r40.0<1>:f r10.0<1;0>:f r20.0<1;0>:f r30.0<1>:f", 3,
     [](double a, double b, double c) { return c >= 0 ? a : b; }, 0},
    {"mac (16|M0) r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f", 2,
     [](double a, double b, double) { return 0.0 + double(single(a * b)); }, 0},
    {"math.inv (16|M0) r40.0<1>:f r10.0<1;1,0>:f", 1, [](double a, double, double) { return 1 / a; }, 1e-6},
    {"math.log (16|M0) r40.0<1>:f r10.0<1;1,0>:f", 1, [](double a, double, double) { return std::log2(a); }, 1e-6},
    {"math.exp (16|M0) r40.0<1>:f r10.0<1;1,0>:f", 1, [](double a, double, double) { return std::exp2(a); }, 1e-6},
    {"math.sqt (16|M0) r40.0<1>:f r10.0<1;1,0>:f", 1, [](double a, double, double) { return std::sqrt(a); }, 1e-6},
    {"math.rsqt (16|M0) r40.0<1>:f r10.0<1;1,0>:f", 1, [](double a, double, double) { return 1 / std::sqrt(a); }, 1e-6},
    {"math.sin (16|M0) r40.0<1>:f r10.0<1;1,0>:f", 1,
     [](double a, double, double) { return double(std::sin(single(a))); }, 1e-6},
    {"math.cos (16|M0) r40.0<1>:f r10.0<1;1,0>:f", 1,
     [](double a, double, double) { return double(std::cos(single(a))); }, 1e-6},
    {"add (16|M0) r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f", 2, [](double a, double b, double) { return a / b; }, 1e-6,
     9},
    {"add (16|M0) r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f", 2,
     [](double a, double b, double) { return double(std::pow(std::fabs(single(a)), single(b))); }, 1e-5, 10},
    {"math.invm (16|M0) (eo)f0.0 r40.mme0:f r10.nomme:f r20.nomme:f", 2,
     [](double a, double b, double) { return double(single(a) / single(b)); }, 0},
    {"math.rsqtm (16|M0) (eo)f0.0 r40.mme0:f r10.nomme:f", 1,
     [](double a, double, double) { return double(std::sqrt(single(a))); }, 0},
    {"madm (16|M0) r40.mme0:f r10.nomme:f r20.nomme:f r30.nomme:f", 3,
     [](double a, double b, double c) { return double(std::fmaf(single(b), single(c), single(a))); }, 0},
};

bool agrees(float got, double reference, double tolerance) {
    const float want = single(reference);
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    if (std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(want)) return true;
    return tolerance > 0 && std::fabs(double(got) - reference) <= tolerance * std::fabs(reference) + 1e-30;
}

void checkSingles(const RealCase& c, const Code& code, const isa::StepTable& table, std::uint32_t lanes,
                  const isa::LowerOptions& options) {
    const Combinations all(kRealEdges.size(), c.sources);
    LoneThread t;
    for (std::size_t first = 0; first < all.total(); first += 16) {
        t.thread().reset();
        std::vector<float> in[3];
        for (int k = 0; k < c.sources; ++k) {
            for (unsigned lane = 0; lane < 16; ++lane)
                in[k].push_back(single(kRealEdges[all.pick((first + lane) % all.total(), k)]));
            t.set(kSources[k], in[k]);
        }
        t.load(code, lanes, options, table);
        ASSERT_EQ(t.resume(), isa::Status::done) << c.assembly << ": " << describe(t.thread().fault);
        const auto got = t.get<float>(kDestination, 16);
        for (unsigned lane = 0; lane < 16; ++lane) {
            const auto input = [&](int k) { return k < c.sources ? double(in[k][lane]) : 0.0; };
            const double want = lanes >> lane & 1 ? c.reference(input(0), input(1), input(2)) : 0.0;
            ASSERT_TRUE(agrees(got[lane], want, c.tolerance))
                << c.assembly << " on " << table.name << " lane " << lane << ": " << input(0) << ", " << input(1)
                << ", " << input(2) << " gave " << got[lane] << ", not " << want;
        }
    }
}

TEST(Rows, SinglesAtTheEdges) {
    const auto programs = programsOf(kSingleCases);
    for (const isa::StepTable* table : usableTables())
        for (std::size_t i = 0; i < programs.size(); ++i) {
            checkSingles(kSingleCases[i], programs[i], *table, 0xffff, kAll);
            checkSingles(kSingleCases[i], programs[i], *table, 0xffff, kMasked);
            checkSingles(kSingleCases[i], programs[i], *table, kSomeLanes, kAll);
        }
}

// Adds the lowest random bits, then cuts off: 13 of them from f to hf, 8 from hf to bf8.
TEST(StochasticRounding, AddsRandomBitsBelowTheLastPlace) {
    LoneThread t;
    t.set(10, std::vector<std::uint32_t>{0x3f800fff, 0x3f800fff, 0x3f801001, 0xbf801001, 0x477fffff, 0x33000000,
                                         0x7f800000, 0x7fc00000, 0xff7ffffe});
    t.set(20, std::vector<std::uint32_t>{0x1001, 0x1000, 0x0fff, 0x2fff, 0x0001, 0, 0x1fff, 0x1fff, 0x1fff});
    ASSERT_EQ(t.run(assembleProgram("(W) srnd (16|M0) r40.0<1>:hf r10.0<1;1,0>:f r20.0<1;1,0>:f")), isa::Status::done);
    EXPECT_EQ(t.get<std::uint16_t>(40, 9),
              (std::vector<std::uint16_t>{0x3c01, 0x3c00, 0x3c01, 0xbc01, 0x7c00, 0x0000, 0x7c00, 0x7e00, 0xfc00}));
    t.set(10, std::vector<std::uint16_t>{0x3c80, 0x3c80, 0xfbff, 0x7c00, 0x7c01, 0x8001});
    t.set(20, std::vector<std::uint16_t>{0x80, 0x7f, 0xff, 0xff, 0xff, 0xff});
    ASSERT_EQ(t.run(assembleProgram("(W) srnd (4|M0) r40.0<1>:bf8 r10.0<1;1,0>:hf r20.0<1;1,0>:hf\n"
                                    "(W) srnd (2|M0) r41.0<1>:bf8 r10.4<1;1,0>:hf r20.4<1;1,0>:hf")),
              isa::Status::done);
    EXPECT_EQ(t.get<std::uint8_t>(40, 4), (std::vector<std::uint8_t>{0x3d, 0x3c, 0xfc, 0x7c}));
    EXPECT_EQ(t.get<std::uint8_t>(41, 2), (std::vector<std::uint8_t>{0x7e, 0x81}));
    ASSERT_EQ(t.run(assembleProgram("(W) srnd (8|M0) r40.0<1>:bf8 r10.0<1;1,0>:f r20.0<1;1,0>:f")),
              isa::Status::faulted);
    EXPECT_STREQ(t.thread().fault.what, "srnd of these operands");
}

}  // namespace
}  // namespace zetl::test
