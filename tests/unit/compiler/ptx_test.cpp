// What SPIR-V's text becomes before LLVM makes PTX of it.
#include <gtest/gtest.h>

#include "compiler/ptx/builtins.h"
#include "compiler/ptx/global_offset.h"
#include "compiler/ptx/ir_text.h"
#include "compiler/ptx/printf.h"
#include "compiler/ptx_symbols.h"

namespace zetl::compiler {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(PtxText, HasNvidiasSpaces) {
    EXPECT_EQ(withNvidiasConventions("  %p = load i32, i32 addrspace(4)* %q\n"), "  %p = load i32, i32* %q\n");
    EXPECT_EQ(withNvidiasConventions("@t = constant i8 addrspace(2)* null"), "@t = constant i8 addrspace(4)* null\n");
    EXPECT_EQ(
        withNvidiasConventions("declare spir_func void @_Z1fPU3AS4fPU3AS2i(float addrspace(4)*, i32 addrspace(2)*)"),
        "declare void @_Z1fPfPU3AS4i(float*, i32 addrspace(4)*)\n");
}

TEST(PtxText, HasNoCastsToTheSameSpace) {
    EXPECT_EQ(withNvidiasConventions("  %a = addrspacecast i32* %b to i32 addrspace(4)*"),
              "  %a = bitcast i32* %b to i32*\n");
    EXPECT_EQ(withNvidiasConventions("  %a = addrspacecast ptr addrspace(1) %b to ptr addrspace(4)"),
              "  %a = addrspacecast ptr addrspace(1) %b to ptr\n");
    EXPECT_EQ(withNvidiasConventions(
                  "call void @f(i8 addrspace(4)* addrspacecast (i8 addrspace(3)* @l to i8 addrspace(4)*))"),
              "call void @f(i8* addrspacecast (i8 addrspace(3)* @l to i8*))\n");
}

TEST(PtxText, TellsKernels) {
    EXPECT_EQ(
        kernelsOf("define ptx_kernel void @one(i32 %a) {\ndefine void @no() {\ndefine ptx_kernel void @\"t.w\"() {"),
        (std::vector<std::string>{"one", "t.w"}));
}

TEST(PtxText, TellsWhatItDefinesForOthers) {
    const auto all = exportsOf(
        "@text = internal addrspace(4) constant [2 x i8] c\"a\\00\"\n@count = addrspace(1) global i32 7, align 4\n"
        "@table = addrspace(4) constant [2 x i32] zeroinitializer\n@other = external addrspace(1) global i32\n"
        "define ptx_kernel void @k() {\ndefine i32 @twice(i32 %0) #0 {\ndefine internal i32 @own(i32 %0) {\n"
        "declare i32 @far(i32)\n");
    std::vector<std::string> names;
    for (const auto& each : all) names.push_back(each.name + (each.isFunction ? "()" : ""));
    EXPECT_EQ(names, (std::vector<std::string>{"count", "table", "twice()"}));
}

TEST(PtxText, PassesTheGlobalOffset) {
    const std::string functions = "define internal void @zetl.offset.set(i32 %x, i32 %y, i32 %z) #9001 {\n";
    const auto set = [](const std::string& kernel) {
        return kernel + "  call void @zetl.offset.set(i32 %zetl.x, i32 %zetl.y, i32 %zetl.z)\n";
    };
    const std::string added = "i32 %zetl.x, i32 %zetl.y, i32 %zetl.z) {\n";
    EXPECT_EQ(
        withOffsetParameters(functions + "define ptx_kernel void @k(<2 x i32> %a, i32 addrspace(1)* %0) {\n  ret\n"),
        functions + set("define ptx_kernel void @k(<2 x i32> %a, i32 addrspace(1)* %0, " + added) + "  ret\n");
    EXPECT_EQ(withOffsetParameters(functions + "define ptx_kernel void @k() {\nentry:  ; no one\n  ret\n"),
              functions + set("define ptx_kernel void @k(" + added + "entry:  ; no one\n") + "  ret\n");
    const std::string without = "define ptx_kernel void @k() {\n";
    EXPECT_EQ(withOffsetParameters(without), without);
}

TEST(PtxSymbols, TellsWhatModulesDefineAndLack) {
    const auto symbols = symbolsOf(
        ".extern .func (.param .b32 r) far\n(\n.param .b32 a\n)\n;\n.extern .func (.param .b32 r) vprintf(.param .b64 "
        "a);\n"
        ".extern .func both;\n.visible .func both\n{\n}\n.extern .shared .align 4 .b8 room[];\n"
        ".extern .global .align 4 .b8 table[12];\n.visible .const .align 8 .f64 pi = 3;\n.func own() {}\n"
        ".weak .func  (.param .b32 r) maybe(\n.visible .entry k(.param .u64 a)\n.global .u32 hidden;\n.visible .glo");
    EXPECT_EQ(symbols.imports, (SymbolNames{"far", "table"}));
    EXPECT_EQ(symbols.functions, (SymbolNames{"both", "maybe"}));
    EXPECT_EQ(symbols.variables, (SymbolNames{"pi"}));
    EXPECT_TRUE(symbolsOf(".visible .func (").functions.empty());
    EXPECT_TRUE(symbolsOf(".extern").imports.empty());
}

TEST(PtxText, SaysWhichParametersAreLocal) {
    const auto local = localParametersOf(
        "define ptx_kernel void @k(i32 addrspace(1)* %a, <2 x i8> addrspace(3)* noalias %b, ptr addrspace(3) %c) #0 "
        "{\n");
    EXPECT_EQ(local, (std::vector<std::string>{"k_param_1", "k_param_2"}));
    EXPECT_EQ(withLocalParameters("(.param .u64 k_param_0, .param .u64 k_param_1)", local),
              "(.param .u64 k_param_0, .param .u64 .ptr .shared .align 1 k_param_1)");
}

TEST(PtxText, ReadsDeclarations) {
    const auto made = Declaration::of(
        "declare <4 x i32> @_Z3fooDv4_iPU3AS1f(<4 x i32> noundef, float addrspace(1)* nocapture, i8 signext) #3");
    ASSERT_TRUE(made);
    EXPECT_EQ(made->name(), "foo");
    EXPECT_EQ(made->mangledTypes(), "Dv4_iPU3AS1f");
    EXPECT_EQ(made->result, "<4 x i32>");
    EXPECT_EQ(made->parameters, (std::vector<std::string>{"<4 x i32>", "float addrspace(1)*", "i8"}));
    for (const char* text : {"", "define void @f() {", "declare ", "declare void", "declare void @f", "declare i32 @(",
                             "declare i32 @_Z99x("})
        EXPECT_TRUE(Declaration::of(text).value_or(Declaration{}).mangledTypes().empty()) << text;
}

std::string made(const std::string& declaration) { return withBuiltins(declaration, false); }

TEST(PtxBuiltins, AtomicsHaveFencesAroundThem) {
    const auto text = made(
        "declare i32 @_Z25atomic_fetch_max_explicitPVU7_Atomicjj12memory_order12memory_scope(i32*, i32, i32, i32)");
    EXPECT_TRUE(contains(text, "atomicrmw umax i32* %a0, i32 %a1 monotonic")) << text;
    EXPECT_TRUE(contains(text, "call void @zetl.fence(i32 %a2, i32 %a3)"));
    EXPECT_TRUE(contains(
        made(
            "declare i32 @_Z25atomic_fetch_max_explicitPVU7_Atomicii12memory_order12memory_scope(i32*, i32, i32, i32)"),
        "atomicrmw max "));
}

TEST(PtxBuiltins, SubGroupsKnowSigns) {
    EXPECT_TRUE(contains(made("declare i32 @_Z20sub_group_reduce_mini(i32)"), "icmp slt"));
    EXPECT_TRUE(contains(made("declare i32 @_Z20sub_group_reduce_minj(i32)"), "icmp ult"));
    EXPECT_TRUE(contains(made("declare float @_Z20sub_group_reduce_minf(float)"), "fcmp olt"));
    EXPECT_TRUE(contains(made("declare i32 @_Z28sub_group_scan_exclusive_mini(i32)"), "i32 2147483647"));
}

TEST(PtxBuiltins, PointersAreAsInTheModule) {
    const std::string one = "declare i32 @_Z22get_sub_group_local_idv()\n";
    EXPECT_TRUE(contains(made(one), "ptr addrspace(3) @zetl.scratch"));
    EXPECT_TRUE(contains(made(one + "declare void @f(i8*)\n"), "[32 x i64] addrspace(3)* @zetl.scratch"));
}

TEST(PtxBuiltins, HalvesAreComputedAsFloats) {
    const auto text = made("declare half @_Z3powDhDh(half, half)\ndeclare float @_Z3powff(float, float)\n");
    EXPECT_TRUE(contains(text, "%v0 = fpext half %a0 to float")) << text;
    EXPECT_TRUE(contains(text, "call float @_Z3powff(float %v0, float %v1)")) << text;
    EXPECT_TRUE(contains(text, "fptrunc float %v2 to half")) << text;
    EXPECT_EQ(text.find("declare float @_Z3powff"), text.rfind("declare float @_Z3powff")) << "declared once";
    const auto vector = made("declare <4 x half> @_Z3fmaDv4_DhS_S_(<4 x half>, <4 x half>, <4 x half>)");
    EXPECT_TRUE(contains(vector, "declare <4 x float> @_Z3fmaDv4_fS_S_(<4 x float>, <4 x float>, <4 x float>)"))
        << vector;
    EXPECT_TRUE(contains(made("declare half @_Z10native_sinDh(half)"), "@llvm.nvvm.sin.approx.f(float %a0)"));
    EXPECT_TRUE(contains(made("declare i32 @_Z5isnanDh(half)"), "call i32 @_Z5isnanf(float %v0)"));
    for (const char* stays :
         {"declare half @_Z9nextafterDhDh(half, half)\n", "declare half @_Z5fractDhPDh(half, half*)\n"})
        EXPECT_EQ(made(stays), stays);
}

TEST(PtxPrintf, PassesArgumentsInMemory) {
    const auto text = withPrintf(
        "  %r = call i32 (i8 addrspace(4)*, ...) @printf(i8 addrspace(4)* %f, i32 1, float %x, i8 addrspace(4)* "
        "getelementptr ([2 x i8], [2 x i8] addrspace(4)* @s, i64 0, i64 0)) #0, !dbg !1\n"
        "  %q = call i32 (i8 addrspace(4)*, ...) @printf(i8 addrspace(4)* %f) #0\n"
        "declare i32 @printf(i8 addrspace(4)*, ...)\n");
    EXPECT_TRUE(contains(text, "%r = call i32 @zetl.printf.1(i8 addrspace(4)* %f, i32 1, float %x, ")) << text;
    EXPECT_TRUE(contains(text, "#0, !dbg !1\n")) << text;
    EXPECT_TRUE(contains(text, "alloca { i32, double, i8* }, align 8")) << text;
    EXPECT_TRUE(contains(text, "%q = call i32 @zetl.printf.2(i8 addrspace(4)* %f) #0")) << text;
    EXPECT_TRUE(contains(text, "call i32 @vprintf(i8* %v0, i8* null)")) << text;
    EXPECT_TRUE(contains(text, "declare i32 @vprintf(i8*, i8*)\n")) << text;
}

TEST(PtxPrintf, KnowsPointersWithoutTypes) {
    const auto text =
        withPrintf("  call i32 (ptr addrspace(4), ...) @printf(ptr addrspace(4) %f, half 0xH3C00, i8 signext %c)\n");
    EXPECT_TRUE(contains(text, "call i32 @vprintf(ptr %v0, ptr %v3)")) << text;
    EXPECT_TRUE(contains(text, "fpext half %a1 to double")) << text;
    EXPECT_TRUE(contains(text, "sext i8 %a2 to i32")) << text;
}

TEST(PtxPrintf, LeavesVectors) {
    const std::string text = "  %r = call i32 (i8*, ...) @printf(i8* %f, <4 x float> %v)\n";
    EXPECT_EQ(withPrintf(text), text);
}

TEST(PtxText, KeepsRequiredGroups) {
    const auto groups = requiredGroupsOf(
        "define ptx_kernel void @k(i32 %a) #0 !kernel_arg_type !6 !reqd_work_group_size !10 {\n"
        "define ptx_kernel void @any() {\n!10 = !{i32 32, i32 2, i32 1}\n");
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].kernel, "k");
    EXPECT_EQ(withRequiredGroups(".visible .entry k(\n\t.param .u32 k_param_0\n)\n{\n", groups),
              ".visible .entry k(\n\t.param .u32 k_param_0\n)\n.reqntid 32, 2, 1\n{\n");
}

TEST(PtxBuiltins, WhatIsNotOursStays) {
    for (const char* text :
         {"declare float @_Z3expf(float)\n", "declare i32 @printf(i8*, ...)\n",
          "declare i16 @_Z25atomic_fetch_add_explicitPVU7_Atomicss12memory_order12memory_scope(i16*, i16, i32, i32)\n",
          "declare i32 @_Z20sub_group_reduce_addi(i32, i32)\n", "declare half @_Z20sub_group_reduce_andDh(half)\n"})
        EXPECT_EQ(made(text), text);
}

}  // namespace
}  // namespace zetl::compiler
