#include "trials.h"

#include <cstdint>
#include <initializer_list>
#include <string>

namespace zetl::benchmark::emulator {
namespace {

constexpr std::uint32_t kLineBytes = 64;

// Latencies: each load gives the address of the next one, by way of some arithmetic. Scalars are 0.

const char* const kChase = R"(
kernel void chase(global ulong* first, uint n, global ulong* out, ulong x, ulong y, ulong z) {
    ulong at = (ulong)first;
    for (uint k = 0; k < n; k += 64) {
        __attribute__((opencl_unroll_hint(64)))
        for (uint j = 0; j < 64; ++j) {
            at = *(global ulong*)at;
            at = STEPS;
        }
    }
    *out = at;
})";
constexpr const char* kOneAddition = "-DSTEPS=(at+x)";
constexpr const char* kOneXor = "-DSTEPS=((at+x)^y)";
constexpr const char* kXorAndAddition = "-DSTEPS=(((at+x)^y)+z)";

/// A ring through cache lines, in the order of a stride that is prime to their number.
std::uint64_t* ringOf(Lab& lab, std::uint32_t lines) {
    constexpr std::uint32_t kWords = kLineBytes / sizeof(std::uint64_t);
    constexpr std::uint32_t kStride = 97;
    auto* const ring = lab.buffer<std::uint64_t>(std::size_t{lines} * kWords);
    for (std::uint32_t at = 0, i = 0; i < lines; ++i) {
        const std::uint32_t next = (at + kStride) % lines;
        ring[at * kWords] = reinterpret_cast<std::uint64_t>(ring + std::size_t{next} * kWords);
        at = next;
    }
    return ring;
}

double chase(Lab& lab, const char* flags, std::uint64_t* ring, std::uint32_t steps) {
    constexpr std::uint64_t kZero = 0;
    auto* const out = lab.buffer<std::uint64_t>(1);
    const double cycles =
        lab.cycles({kChase, "chase", flags}, {1, 1, 1}, {1, 1, 1}, {ring, steps, out, kZero, kZero, kZero});
    lab.release(out);
    return cycles / steps;
}

/// Cycles that an addition adds to a step.
double costOfAddition(Lab& lab) {
    constexpr std::uint32_t kLines = 64;
    constexpr std::uint32_t kSteps = 1 << 13;
    auto* const ring = ringOf(lab, kLines);
    const double cost = chase(lab, kXorAndAddition, ring, kSteps) - chase(lab, kOneXor, ring, kSteps);
    lab.release(ring);
    return cost;
}

/// From load to load. `passes`: through the ring, of which the last counts.
double latency(Lab& lab, std::uint32_t lines, std::uint32_t steps, int passes) {
    auto* const ring = ringOf(lab, lines);
    double cycles = 0;
    for (int pass = 0; pass < passes; ++pass) cycles = chase(lab, kOneAddition, ring, steps);
    lab.release(ring);
    return cycles - costOfAddition(lab);
}

constexpr std::uint32_t kFarLines = 1 << 15;  // 2 MiB: more than L1

// Streams.

const char* const kStreams = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void scale(global const double* a, global double* c) {
    size_t i = get_global_id(0);
    c[i] = 0.4 * a[i];
}
kernel void add(global const double* a, global const double* b, global double* c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
kernel void triad(global double* a, global const double* b, global const double* c) {
    size_t i = get_global_id(0);
    a[i] = b[i] + 0.4 * c[i];
}
kernel void dot_product(global const double* a, global const double* b, global double* out, uint n) {
    local double box[256];
    uint l = get_local_id(0);
    double sum = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += a[i] * b[i];
    box[l] = sum;
    for (uint half_ = 128; half_ > 0; half_ >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < half_) box[l] += box[l + half_];
    }
    if (l == 0) out[get_group_id(0)] = box[0];
}
kernel void read_all(global const float* a, global float* out) {
    uint n = get_global_size(0), i = get_global_id(0);
    float sum = 0;
    for (uint k = 0; k < 16; ++k) sum += a[i + k * n];
    out[i] = sum;
}
kernel void write_all(global float* a) {
    uint n = get_global_size(0), i = get_global_id(0);
    for (uint k = 0; k < 16; ++k) a[i + k * n] = i;
}
kernel void read_near(global const uint4* a, global uint* out, uint n) {
    uint l = get_local_id(0);
    uint4 sum = 0;
    for (uint k = 0; k < n; ++k) {
        __attribute__((opencl_unroll_hint(4)))
        for (uint j = 0; j < 4; ++j) sum ^= a[j * 256 + (l ^ k & 1)];
    }
    out[get_global_id(0)] = sum.x ^ sum.y ^ sum.z ^ sum.w;
})";

constexpr std::uint32_t kGroup = 256;

/// Bytes of all arrays of a stream together: so many that each pass replaces all lines of the last cache.
std::uint64_t streamBytes(Lab& lab) { return lab.profile().cacheBytes / 2 * 3; }

/// Arrays are filled with nothing; the second of two launches counts, which finds the last cache full.
double doubleStream(Lab& lab, const char* kernel, std::uint32_t arrays) {
    const auto groups = static_cast<std::uint32_t>(streamBytes(lab) / arrays / sizeof(double) / kGroup);
    const std::size_t elements = std::size_t{groups} * kGroup;
    std::vector<double*> buffers;
    std::vector<Lab::Argument> arguments;
    for (std::uint32_t i = 0; i < arrays; ++i)
        arguments.emplace_back(buffers.emplace_back(lab.buffer<double>(elements)));
    double cycles = 0;
    for (int launch = 0; launch < 2; ++launch)
        cycles = lab.cycles({kStreams, kernel}, {kGroup, 1, 1}, {groups, 1, 1}, arguments);
    for (double* const buffer : buffers) lab.release(buffer);
    return static_cast<double>(elements * arrays * sizeof(double)) / cycles;
}

/// One array of floats, sixteen for each item.
double floatStream(Lab& lab, const char* kernel, bool reads) {
    constexpr std::uint32_t kEach = 16;
    const auto groups = static_cast<std::uint32_t>(streamBytes(lab) / sizeof(float) / kEach / kGroup);
    const std::size_t items = std::size_t{groups} * kGroup;
    auto* const a = lab.buffer<float>(items * kEach);
    auto* const out = lab.buffer<float>(items);
    std::vector<Lab::Argument> arguments{a};
    if (reads) arguments.emplace_back(out);
    double cycles = 0;
    for (int launch = 0; launch < 2; ++launch)
        cycles = lab.cycles({kStreams, kernel}, {kGroup, 1, 1}, {groups, 1, 1}, arguments);
    lab.release(a);
    lab.release(out);
    return static_cast<double>(items * kEach * sizeof(float)) / cycles;
}

// Rates.

const char* const kRate = R"(
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void rate(global T* out, uint n) {
    T x = (T)(S)get_local_id(0), y = (T)(S)get_group_id(0);
    T a = x, b = x + (T)(S)1, c = x + (T)(S)2, d = x + (T)(S)3;
    for (uint k = 0; k < n; ++k) {
        __attribute__((opencl_unroll_hint(16)))
        for (uint j = 0; j < 16; ++j) {
            a = FMA(a, x, y);
            b = FMA(b, x, y);
            c = FMA(c, x, y);
            d = FMA(d, x, y);
        }
    }
    out[get_global_id(0)] = a + b + c + d;
})";

/// `elements`: values in each lane.
double rate(Lab& lab, const char* flags, std::uint32_t elements) {
    constexpr std::uint32_t kTurns = 64;
    constexpr std::uint32_t kAdds = 64;  // in each turn
    const std::uint32_t groups = lab.groups(kGroup / 16, 2);
    const std::size_t items = std::size_t{groups} * kGroup;
    auto* const out = lab.buffer<double>(items);
    const double cycles = lab.cycles({kRate, "rate", flags}, {kGroup, 1, 1}, {groups, 1, 1}, {out, kTurns});
    lab.release(out);
    return static_cast<double>(items) * kTurns * kAdds * elements * 2 / cycles;
}

const char* const kDpasRate = R"(
SUM __attribute__((overloadable)) MULTIPLY(short8 a, int8 b, SUM c);
__attribute__((intel_reqd_sub_group_size(16)))
kernel void dpas_rate(global uint* out, uint n) {
    short8 a = (short8)(short)get_local_id(0);
    int8 b = (int8)(int)get_group_id(0);
    SUM c = 0, d = 0, e = 0, f = 0;
    for (uint k = 0; k < n; ++k) {
        __attribute__((opencl_unroll_hint(4)))
        for (uint j = 0; j < 4; ++j) {
            c = MULTIPLY(a, b, c);
            d = MULTIPLY(a, b, d);
            e = MULTIPLY(a, b, e);
            f = MULTIPLY(a, b, f);
        }
    }
    c += d + e + f;
    out[get_global_id(0)] = c.s0 + c.s1 + c.s2 + c.s3 + c.s4 + c.s5 + c.s6 + c.s7;
})";

constexpr std::uint32_t kDpasRows = 8;      // of a dpas
constexpr std::uint32_t kDpasColumns = 16;  // lanes
constexpr const char* kByHalves = "-DSUM=float8 -DMULTIPLY=intel_sub_group_f16_f16_matrix_mad_k16";
constexpr const char* kByBrains = "-DSUM=float8 -DMULTIPLY=intel_sub_group_bf16_bf16_matrix_mad_k16";
constexpr const char* kByBytes = "-DSUM=int8 -DMULTIPLY=intel_sub_group_i8_i8_matrix_mad_k32";
constexpr std::uint32_t kDepth = 16;  // of a dpas of halves
constexpr std::uint32_t kDepthOfBytes = 32;

double dpas(Lab& lab, const char* flags, std::uint32_t depth) {
    constexpr std::uint32_t kTurns = 32;
    constexpr std::uint32_t kProducts = 16;  // in each turn
    constexpr std::uint32_t kThreads = 8;    // of a group
    const std::uint32_t groups = lab.groups(kThreads, 2);
    auto* const out = lab.buffer<std::uint32_t>(std::size_t{groups} * kThreads * kDpasColumns);
    const double cycles =
        lab.cycles({kDpasRate, "dpas_rate", flags}, {kThreads * kDpasColumns, 1, 1}, {groups, 1, 1}, {out, kTurns});
    lab.release(out);
    return static_cast<double>(groups) * kThreads * kTurns * kProducts * kDpasRows * kDpasColumns * depth * 2 / cycles;
}

// Products, of matrices with so many rows that each sub-slice has as much to do as the others.

// A sub-group has ROWS x 16 elements of the result; a value of the left matrix comes from one lane.
const char* const kProductOfReals = R"(
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define READ_FLOATS(p) as_float(intel_sub_group_block_read((global const uint*)(p)))
#define READ_DOUBLES(p) as_double(intel_sub_group_block_read_ul((global const ulong*)(p)))
__attribute__((intel_reqd_sub_group_size(16)))
kernel void product(global const T* a, global const T* b, global T* c, uint columns, uint depth) {
    uint row = get_global_id(1) * ROWS, column = get_global_id(0) & ~15u;
    T sum[ROWS];
    for (uint r = 0; r < ROWS; ++r) sum[r] = 0;
    for (uint k = 0; k < depth; k += 16) {
        T left[ROWS];
        for (uint r = 0; r < ROWS; ++r) left[r] = READ(a + (row + r) * depth + k);
        __attribute__((opencl_unroll_hint(16)))
        for (uint j = 0; j < 16; ++j) {
            T right = READ(b + (k + j) * columns + column);
            for (uint r = 0; r < ROWS; ++r) sum[r] = fma(sub_group_broadcast(left[r], j), right, sum[r]);
        }
    }
    for (uint r = 0; r < ROWS; ++r) c[(row + r) * columns + column + get_sub_group_local_id()] = sum[r];
})";

double productOfReals(Lab& lab, const char* flags, std::uint32_t rowsOfSubGroup, std::uint32_t bytes) {
    constexpr std::uint32_t kColumns = 512;
    constexpr std::uint32_t kDeep = 1024;
    constexpr std::uint32_t kAcross = 4;  // sub-groups of a group beside each other, and below each other
    constexpr std::uint32_t kAside = kColumns / kDpasColumns / kAcross;  // groups
    const std::uint32_t below = lab.profile().subslices() * 2 / kAside;
    const std::uint32_t rows = below * kAcross * rowsOfSubGroup;
    const auto words = [&](std::uint32_t height, std::uint32_t width) {
        return std::size_t{height} * width * bytes / sizeof(std::uint32_t);
    };
    auto* const a = lab.buffer<std::uint32_t>(words(rows, kDeep));
    auto* const b = lab.buffer<std::uint32_t>(words(kDeep, kColumns));
    auto* const c = lab.buffer<std::uint32_t>(words(rows, kColumns));
    double cycles = 0;
    for (int launch = 0; launch < 2; ++launch)
        cycles = lab.cycles({kProductOfReals, "product", flags}, {kAcross * kDpasColumns, kAcross, 1},
                            {kAside, below, 1}, {a, b, c, kColumns, kDeep});
    for (std::uint32_t* const buffer : {a, b, c}) lab.release(buffer);
    return 2.0 * rows * kColumns * kDeep / cycles;
}

// Matrices are stored by the tiles that a dpas takes, and those that a sub-group takes together lie together, as
// libraries pack them before they multiply: tiles of rows that are a power of two apart would fight for the same sets
// of L1. A sub-group has 64 x 32 elements of the result, and reads the next tiles while it multiplies.
const char* const kProductByDpas = R"(
SUM __attribute__((overloadable)) MULTIPLY(short8 a, int8 b, SUM c);
#define LEFT(r, k) as_short8(intel_sub_group_block_read_us8(a + ((row * tiles + (k)) * 8 + (r)) * 128))
#define RIGHT(s, k) as_int8(intel_sub_group_block_read8(b + ((column * tiles + (k)) * 2 + (s)) * 128))
__attribute__((intel_reqd_sub_group_size(16)))
kernel void dpas_product(global const ushort* a, global const uint* b, global uint* c, uint n, uint tiles) {
    uint row = get_global_id(1), column = get_global_id(0) / 16;
    SUM sum[8][2];
    short8 left[8];
    int8 right[2];
    for (uint r = 0; r < 8; ++r) sum[r][0] = sum[r][1] = 0;
    for (uint r = 0; r < 8; ++r) left[r] = LEFT(r, 0);
    for (uint s = 0; s < 2; ++s) right[s] = RIGHT(s, 0);
    for (uint k = 0; k < tiles; ++k) {
        uint next = min(k + 1, tiles - 1);
        short8 nextLeft[8];
        int8 nextRight[2];
        for (uint r = 0; r < 8; ++r) nextLeft[r] = LEFT(r, next);
        for (uint s = 0; s < 2; ++s) nextRight[s] = RIGHT(s, next);
        for (uint r = 0; r < 8; ++r)
            for (uint s = 0; s < 2; ++s) sum[r][s] = MULTIPLY(left[r], right[s], sum[r][s]);
        for (uint r = 0; r < 8; ++r) left[r] = nextLeft[r];
        for (uint s = 0; s < 2; ++s) right[s] = nextRight[s];
    }
    for (uint r = 0; r < 8; ++r)
        for (uint s = 0; s < 2; ++s)
            intel_sub_group_block_write8(c + ((row * 8 + r) * n / 16 + column * 2 + s) * 128, as_uint8(sum[r][s]));
})";

double productByDpas(Lab& lab, const std::string& flags, std::uint32_t depth) {
    constexpr std::uint32_t kColumns = 512;
    constexpr std::uint32_t kDeep = 2048;
    constexpr std::uint32_t kTileRows = 64;  // of a sub-group
    constexpr std::uint32_t kTileColumns = 32;
    constexpr std::uint32_t kAcross = 4;  // sub-groups of a group beside each other, and below each other
    constexpr std::uint32_t kDown = 8;
    constexpr std::uint32_t kAside = kColumns / kTileColumns / kAcross;  // groups
    const std::uint32_t below = lab.profile().subslices() / kAside;
    const std::uint32_t rows = below * kDown * kTileRows;
    const std::uint32_t tiles = kDeep / depth;
    const auto sourceWords = [&](std::uint32_t height) {
        return std::size_t{height} * tiles * 32 / sizeof(std::uint32_t);
    };
    auto* const a = lab.buffer<std::uint32_t>(sourceWords(rows));
    auto* const b = lab.buffer<std::uint32_t>(sourceWords(kColumns));
    auto* const c = lab.buffer<std::uint32_t>(std::size_t{rows} * kColumns);
    const std::string options = "-cl-intel-256-GRF-per-thread " + flags;
    double cycles = 0;
    for (int launch = 0; launch < 2; ++launch)
        cycles = lab.cycles({kProductByDpas, "dpas_product", options.c_str()}, {kAcross * kDpasColumns, kDown, 1},
                            {kAside, below, 1}, {a, b, c, kColumns, tiles});
    for (std::uint32_t* const buffer : {a, b, c}) lab.release(buffer);
    return 2.0 * rows * kColumns * kDeep / cycles;
}

}  // namespace

double chaseL1(Lab& lab) {
    constexpr std::uint32_t kLines = 128;
    constexpr std::uint32_t kSteps = 1 << 17;
    return latency(lab, kLines, kSteps, 1);
}
double chaseL3(Lab& lab) { return latency(lab, kFarLines, kFarLines, 2); }
double chaseMemory(Lab& lab) { return latency(lab, kFarLines, kFarLines, 1); }

double scaleStream(Lab& lab) { return doubleStream(lab, "scale", 2); }
double addStream(Lab& lab) { return doubleStream(lab, "add", 3); }
double triadStream(Lab& lab) { return doubleStream(lab, "triad", 3); }
double readStream(Lab& lab) { return floatStream(lab, "read_all", true); }
double writeStream(Lab& lab) { return floatStream(lab, "write_all", false); }

double dotStream(Lab& lab) {
    constexpr std::uint32_t kItemsOfThread = 16;
    const auto elements = static_cast<std::uint32_t>(streamBytes(lab) / 2 / sizeof(double));
    const std::uint32_t groups = lab.groups(kGroup / kItemsOfThread);
    auto* const a = lab.buffer<double>(elements);
    auto* const b = lab.buffer<double>(elements);
    auto* const out = lab.buffer<double>(groups);
    double cycles = 0;
    for (int launch = 0; launch < 2; ++launch)
        cycles = lab.cycles({kStreams, "dot_product"}, {kGroup, 1, 1}, {groups, 1, 1}, {a, b, out, elements});
    for (double* const buffer : {a, b, out}) lab.release(buffer);
    return 2.0 * elements * sizeof(double) / cycles;
}

double readL1(Lab& lab) {
    constexpr std::uint32_t kTurns = 128;
    constexpr std::uint32_t kLoads = 4;  // in each turn
    constexpr std::uint32_t kLoadBytes = 16;
    const std::uint32_t groups = lab.groups(kGroup / 16);
    auto* const a = lab.buffer<std::uint32_t>(std::size_t{kLoads} * kGroup * kLoadBytes / sizeof(std::uint32_t));
    auto* const out = lab.buffer<std::uint32_t>(std::size_t{groups} * kGroup);
    const double cycles = lab.cycles({kStreams, "read_near"}, {kGroup, 1, 1}, {groups, 1, 1}, {a, out, kTurns});
    lab.release(a);
    lab.release(out);
    return static_cast<double>(groups) * kGroup * kTurns * kLoads * kLoadBytes / lab.profile().subslices() / cycles;
}

double rateOfFloats(Lab& lab) { return rate(lab, "-DT=float -DS=float -DFMA=fma", 1); }
double rateOfDoubles(Lab& lab) { return rate(lab, "-DT=double -DS=double -DFMA=fma", 1); }
double rateOfHalves(Lab& lab) { return rate(lab, "-DT=half2 -DS=half -DFMA=fma", 2); }
double rateOfInts(Lab& lab) { return rate(lab, "-DT=int -DS=int -DFMA(a,b,c)=((a)*(b)+(c))", 1); }
double rateOfShorts(Lab& lab) { return rate(lab, "-DT=short2 -DS=short -DFMA(a,b,c)=((a)*(b)+(c))", 2); }

double dpasOfHalves(Lab& lab) { return dpas(lab, kByHalves, kDepth); }
double dpasOfBrains(Lab& lab) { return dpas(lab, kByBrains, kDepth); }
double dpasOfBytes(Lab& lab) { return dpas(lab, kByBytes, kDepthOfBytes); }

double gemmOfFloats(Lab& lab) {
    return productOfReals(lab, "-cl-intel-256-GRF-per-thread -DT=float -DREAD=READ_FLOATS -DROWS=32", 32,
                          sizeof(float));
}
double gemmOfDoubles(Lab& lab) {
    return productOfReals(lab, "-cl-intel-256-GRF-per-thread -DT=double -DREAD=READ_DOUBLES -DROWS=16", 16,
                          sizeof(double));
}
double gemmOfHalves(Lab& lab) { return productByDpas(lab, kByHalves, kDepth); }
double gemmOfBrains(Lab& lab) { return productByDpas(lab, kByBrains, kDepth); }
double gemmOfBytes(Lab& lab) { return productByDpas(lab, kByBytes, kDepthOfBytes); }

}  // namespace zetl::benchmark::emulator
