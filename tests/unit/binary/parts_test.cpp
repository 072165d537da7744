// Modules of many kernels in parts, and the parts' binaries as one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "binary/native_binary.h"
#include "binary/spirv.h"
#include "binary/spirv_parts.h"
#include "binary/zebin_parts.h"
#include "emulator/module/compiler.h"
#include "module/compiled.h"

namespace zetl::emulator::module::parts_test {
namespace {

using binary::Bytes;

constexpr int kKernels = 24;

/// Kernels that are so long that compilers take a while, each with a function of its own, and one that all call.
std::string manyKernels(const std::string& scope = {}) {
    std::string text = scope + "int common(int x) { return x * 77 + 1; }\n";
    for (int k = 0; k < kKernels; ++k) {
        const std::string number = std::to_string(k);
        text += "int own" + number + "(int x) {\n";
        for (int i = 1; i <= 150; ++i)
            text += "x = x * " + std::to_string(i * 2 + k) + " + (x >> " + std::to_string(i % 7 + 1) + ");\n";
        text += "return x; }\nkernel void k" + number + "(global int* a, int more, local int* l) {\n" +
                "l[get_local_id(0)] = own" + number + "(a[get_global_id(0)]); barrier(CLK_LOCAL_MEM_FENCE);\n" +
                "a[get_global_id(0)] = common(l[get_local_id(0) ^ 1]) + more; }\n";
    }
    return text;
}
binary::ModulePointer imageOf(const Bytes& native) {
    auto image = binary::readNative(native);
    EXPECT_TRUE(image) << (image ? "" : image.error().message);
    return image ? *std::move(image) : nullptr;
}
std::vector<std::string> kernelsOf(const binary::ModuleImage& image) {
    std::vector<std::string> names;
    for (const binary::KernelImage& kernel : image.kernels) names.push_back(kernel.name);
    std::ranges::sort(names);
    return names;
}
const binary::KernelImage& find(const binary::ModuleImage& image, const std::string& name) {
    return *std::ranges::find(image.kernels, name, &binary::KernelImage::name);
}

TEST(Parts, HaveEachKernelOnce) {
    const binary::ModulePointer whole = readCompiled(manyKernels());
    const std::vector<Bytes> parts = binary::partsOf(whole->spirv);
    ASSERT_GT(parts.size(), 1u);
    std::vector<std::string> names;
    for (const Bytes& part : parts) {
        const auto module = binary::readSpirv(part);
        ASSERT_TRUE(module);
        EXPECT_LT(module->entryPoints.size(), std::size_t{kKernels});
        names.insert(names.end(), module->entryPoints.begin(), module->entryPoints.end());
    }
    std::ranges::sort(names);
    EXPECT_EQ(names, kernelsOf(*whole));
}

TEST(Parts, BecomeWhatOneBuildMakes) {
    const std::string source = manyKernels();
    const binary::ModulePointer whole = readCompiled(source);
    ASSERT_FALSE(binary::partsOf(whole->spirv).empty());
    const CompileResult built = compile({.source = whole->spirv, .buildFlags = "-cl-std=CL2.0", .constants = {}});
    ASSERT_TRUE(built) << built.log;
    const binary::ModulePointer joined = imageOf(built.binary);
    ASSERT_NE(joined, nullptr);
    EXPECT_EQ(kernelsOf(*joined), kernelsOf(*whole));
    EXPECT_EQ(joined->spirv, whole->spirv);
    EXPECT_EQ(joined->relocations.size(), whole->relocations.size());
    for (const binary::KernelImage& expected : whole->kernels) {
        const binary::KernelImage& kernel = find(*joined, expected.name);
        EXPECT_EQ(joined->code.at(kernel.codeSection).bytes, whole->code.at(expected.codeSection).bytes)
            << expected.name;
        EXPECT_EQ(kernel.arguments.size(), expected.arguments.size()) << expected.name;
        EXPECT_EQ(kernel.environment.simdSize, expected.environment.simdSize) << expected.name;
    }
}

TEST(Parts, AreNotMadeOfKernelsThatShareMoreThanCode) {
    const Bytes plain = readCompiled(manyKernels())->spirv;
    EXPECT_FALSE(binary::partsOf(plain).empty());
    const std::string shares = "global int counter = 5;\nkernel void counts(global int* a) { a[0] = counter++; }\n";
    EXPECT_TRUE(binary::partsOf(readCompiled(manyKernels(shares))->spirv).empty());
    EXPECT_TRUE(binary::partsOf(readCompiled(kVectorAdd)->spirv).empty());
}

/// Of a module with one damaged word that still can be read: such damage is the compiler's to find.
void takeApartDamaged(const Bytes& spirv, std::size_t word, std::uint32_t damage) {
    Bytes damaged = spirv;
    std::memcpy(damaged.data() + word * sizeof damage, &damage, sizeof damage);
    const auto module = binary::readSpirv(damaged);
    const auto bytes = module ? binary::specialize(*module, {}) : module.error();
    if (!bytes) return;
    for (const Bytes& part : binary::partsOf(*bytes)) EXPECT_LE(part.size(), spirv.size());
}

TEST(Parts, OfDamagedModulesAreNoHarm) {
    constexpr std::size_t kHeader = 5;
    constexpr std::size_t kPlaces = 12;
    const Bytes few = readCompiled(kVectorAdd)->spirv;
    const Bytes many = readCompiled(manyKernels())->spirv;
    for (const std::uint32_t damage : {0u, 1u, 0x0001000bu, 0x00010036u, 0x0002000fu, 0xffffu, ~0u}) {
        for (std::size_t i = 3; i < few.size() / sizeof damage; ++i) takeApartDamaged(few, i, damage);
        for (std::size_t i = 0; i < kPlaces; ++i)
            takeApartDamaged(many, kHeader + (many.size() / sizeof damage - kHeader) * i / kPlaces, damage);
    }
}

TEST(Parts, KeepTheirConstants) {
    const auto tableOf = [](int seed) {
        return "constant int table[5] = {" + std::to_string(seed) + ", 2, 3, 40, 50};\nkernel void k" +
               std::to_string(seed) + "(global int* o) { o[0] = table[o[1]]; }\n";
    };
    const std::vector<Bytes> parts = {compiled(tableOf(111)), compiled(tableOf(222))};
    const auto joined = binary::joinZebins(parts, {});
    ASSERT_TRUE(joined);
    const binary::ModulePointer image = imageOf(*joined);
    ASSERT_NE(image, nullptr);
    for (const int seed : {111, 222}) {
        const binary::KernelImage& kernel = find(*image, "k" + std::to_string(seed));
        const auto relocation = std::ranges::find_if(image->relocations, [&](const binary::Relocation& r) {
            return r.place.kind == binary::Place::Kind::code && r.place.index == kernel.codeSection &&
                   image->symbols[r.symbol].place.kind == binary::Place::Kind::data;
        });
        ASSERT_NE(relocation, image->relocations.end());
        const binary::Place& table = image->symbols[relocation->symbol].place;
        int first = 0;
        std::memcpy(&first, image->data[table.index].bytes.data() + table.offset, sizeof first);
        EXPECT_EQ(first, seed);
    }
}

TEST(Parts, AreNotJoinedIfOthersMaySeeIt) {
    const Bytes plain = compiled(kVectorAdd);
    EXPECT_TRUE(binary::joinZebins(std::vector{plain, compiled(kPrivate)}, {}));
    for (const char* source : {kProgramScope, kFunctions})
        EXPECT_FALSE(binary::joinZebins(std::vector{plain, compiled(source, "-cl-std=CL2.0 -cl-opt-disable")}, {}))
            << source;
    EXPECT_FALSE(binary::joinZebins(std::vector{plain, Bytes{1, 2, 3}}, {}));
}

}  // namespace
}  // namespace zetl::emulator::module::parts_test
