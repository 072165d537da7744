// Real modules for the tests, compiled once a process by Intel's compiler.
#pragma once

#include <string>
#include <string_view>

#include "binary/native_binary.h"
#include "emulator/module/compiler.h"
#include "emulator/module/link.h"

namespace zetl::emulator::module {

/// Native binary of an OpenCL C source; kept, so that several tests may ask for it. Fails the test if it does not
/// build.
const binary::Bytes& compiled(const std::string& source, const std::string& flags = "-cl-std=CL2.0", bool zebin = true);

/// The same, read.
binary::ModulePointer readCompiled(const std::string& source, const std::string& flags = "-cl-std=CL2.0",
                                   bool zebin = true);

// Addresses that cannot be mistaken for each other.
inline constexpr Addresses kAddresses{.instructionBase = 0x1'0000'0000,
                                      .code = 0x1'0001'0000,
                                      .data = {0x2000'0000'1000, 0x3000'0000'2000, 0x4000'0000'3000}};

inline LinkedModule placed(binary::ModulePointer image) {
    auto module = LinkedModule::place(std::move(image), kAddresses);
    return *std::move(module);
}

// A kernel of each feature the containers describe.
inline constexpr const char* kVectorAdd =
    "kernel void add(global const int* a, global const int* b, global int* c) {\n"
    "    size_t i = get_global_id(0);\n"
    "    c[i] = a[i] + b[i];\n"
    "}\n";
inline constexpr const char* kArguments =
    "typedef struct { int a; float b; char c[12]; double d; } S;\n"
    "kernel __attribute__((reqd_work_group_size(8, 4, 1))) void args(S s, char c, short h, long l, int4 v,\n"
    "        global int* out, local int* scratch, constant float* table, local long* more) {\n"
    "    local int own[10];\n"
    "    int i = get_local_id(0);\n"
    "    own[i] = s.a + c + h + (int)l + v.w; scratch[i] = own[i]; more[i] = s.d; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[i] = scratch[7 - i] + own[9 - i] + (int)(table[i] * s.b) + (int)more[7 - i] + s.c[i];\n"
    "}\n";
inline constexpr const char* kProgramScope =
    "constant int table[4] = {1, 2, 3, 40};\n"
    "global int counter = 5;\n"
    "global int numbers[8];\n"
    "global int* pointer = &numbers[3];\n"
    "kernel void scope(global int* o) { int i = get_global_id(0); o[i] = table[i & 3] + counter + *pointer + numbers[i "
    "& 7]; }\n";
inline constexpr const char* kFunctions =  // with -cl-opt-disable: symbols and relocations in both containers
    "constant int table[4] = {1, 2, 3, 40};\n"
    "global int counter = 5;\n"
    "__attribute__((noinline)) int helper(int i) { return table[i & 3] * counter; }\n"
    "kernel void scope(global int* o) { o[0] = helper(o[1]) + counter; }\n";
inline constexpr const char* kPrintf =
    "kernel void text(global int* a) { printf(\"item %d of %s: %f %v4d\\n\", a[0], \"all\", 0.5f, (int4)(1, 2, 3, "
    "a[1])); }\n";
inline constexpr const char* kPrivate =
    "kernel void large(global int* a) { int t[200]; int i = get_global_id(0);\n"
    "    for (int k = 0; k < 200; ++k) t[k] = a[k + i]; for (int k = 0; k < 200; ++k) t[t[k] % 200] += k;\n"
    "    a[i] = t[a[i] % 200]; }\n";

}  // namespace zetl::emulator::module
