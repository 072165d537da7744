#include "emulator/module/link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "compiled.h"

namespace zetl::emulator::module {
namespace {

template <class T>
T valueAt(std::span<const std::uint8_t> bytes, std::uint64_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

TEST(Link, VariablesHaveAddressSizeAndContent) {
    const LinkedModule module = placed(readCompiled(kProgramScope));
    const auto counter = module.variable("counter");
    const auto numbers = module.variable("numbers");
    const auto pointer = module.variable("pointer");
    ASSERT_TRUE(counter && numbers && pointer);
    const std::uint64_t base = kAddresses.data[1];
    EXPECT_EQ(counter->size, 4u);
    EXPECT_EQ(numbers->size, 32u);
    EXPECT_EQ(valueAt<int>(module.data(binary::DataKind::variables), counter->address - base), 5);
    EXPECT_EQ(valueAt<std::uint64_t>(module.data(binary::DataKind::variables), pointer->address - base),
              numbers->address + 12)
        << "the stored addend is kept";
    EXPECT_FALSE(module.variable("absent"));
    EXPECT_FALSE(module.variable("scope"));
}

TEST(Link, CodeGetsAddressesInsteadOfPlaceholders) {
    const binary::ModulePointer image = readCompiled(kProgramScope);
    const LinkedModule module = placed(image);
    int checked = 0;
    for (const binary::Relocation& relocation : image->relocations) {
        if (relocation.place.kind != binary::Place::Kind::code) continue;
        const std::uint64_t at = module.layout().offset(relocation.place.index) + relocation.place.offset;
        const binary::Symbol& symbol = image->symbols[relocation.symbol];
        const std::uint64_t address = module.addressOf(symbol.place);
        const auto expected = static_cast<std::uint32_t>(
            relocation.kind == binary::RelocationKind::addressHigh32 ? address >> 32 : address);
        EXPECT_EQ(valueAt<std::uint32_t>(module.code(), at), expected) << symbol.name;
        ++checked;
    }
    EXPECT_GE(checked, 6);
    EXPECT_TRUE(module.fullyResolved());
}

TEST(Link, KernelsStartInsideTheWindow) {
    const binary::ModulePointer image = readCompiled(kProgramScope);
    const LinkedModule module = placed(image);
    const binary::KernelImage& kernel = *image->kernel("scope");
    EXPECT_EQ(module.kernelAddress(kernel), kAddresses.instructionBase + module.kernelOffset(kernel));
    EXPECT_EQ(module.kernelOffset(kernel) % 64, 0u);
    EXPECT_EQ(module.functionAddress("scope"), module.kernelAddress(kernel));
    const auto start = module.kernelAddress(kernel) - kAddresses.code;
    EXPECT_TRUE(std::ranges::equal(std::span(image->code[kernel.codeSection].bytes).first(16),
                                   module.code().subspan(start, 16)));
}

TEST(Link, CodeOutsideTheWindowIsRefused) {
    Addresses addresses = kAddresses;
    addresses.code = addresses.instructionBase + (1ull << 32) - 64;
    const auto above = LinkedModule::place(readCompiled(kVectorAdd), addresses);
    ASSERT_FALSE(above);
    EXPECT_EQ(above.error().cause, binary::Cause::badArgument);
    addresses.code = addresses.instructionBase - 64;
    EXPECT_FALSE(LinkedModule::place(readCompiled(kVectorAdd), addresses));
}

// Two modules: one calls a function that the other exports.
struct TwoModules {
    binary::ModulePointer caller = readCompiled(
        "int twice(int x);\n"
        "kernel void call(global int* a) { int i = get_global_id(0); a[i] = twice(a[i]); }\n");
    binary::ModulePointer library;
    TwoModules() {
        const binary::ModulePointer source =
            readCompiled("int twice(int x) { return 2 * x; }\nkernel void unused() {}\n");
        CompileResult result = compile({.language = CompileRequest::Language::spirv,
                                        .source = source->spirv,
                                        .buildFlags = "-library-compilation",
                                        .constants = {}});
        EXPECT_TRUE(result) << result.log;
        library = *binary::readNative(result.binary);
    }
};

TEST(Link, ImportsAreListedUntilResolved) {
    const TwoModules modules;
    LinkedModule caller = placed(modules.caller);
    EXPECT_FALSE(caller.fullyResolved());
    const auto imports = modules.caller->imports();
    ASSERT_EQ(imports.size(), 1u);
    LinkedModule* const alone[] = {&caller};
    const auto missing = LinkedModule::resolve(alone);
    ASSERT_TRUE(missing);
    ASSERT_EQ(missing->size(), 1u);
    EXPECT_EQ((*missing)[0].name, imports[0]);
    EXPECT_EQ((*missing)[0].where, "call");
}

TEST(Link, ImportsResolveAcrossModules) {
    const TwoModules modules;
    LinkedModule caller = placed(modules.caller);
    Addresses addresses = kAddresses;
    addresses.code += 0x100000;
    auto library = LinkedModule::place(modules.library, addresses);
    ASSERT_TRUE(library);
    const binary::Bytes before(caller.code().begin(), caller.code().end());
    LinkedModule* const both[] = {&caller, &*library};
    const auto missing = LinkedModule::resolve(both);
    ASSERT_TRUE(missing);
    EXPECT_TRUE(missing->empty());
    EXPECT_TRUE(caller.fullyResolved());
    const std::string name = modules.caller->imports()[0];
    ASSERT_TRUE(library->functionAddress(name));
    // Code refers to functions by their distance from the instruction base.
    const auto target = static_cast<std::uint32_t>(*library->functionAddress(name) - kAddresses.instructionBase);
    bool found = false;
    for (std::size_t at = 0; at + 4 <= caller.code().size(); at += 4)
        found |= valueAt<std::uint32_t>(caller.code(), at) == target && valueAt<std::uint32_t>(before, at) != target;
    EXPECT_TRUE(found);
}

TEST(Link, PatchTokensGetTheirPointers) {
    const binary::ModulePointer image = readCompiled(kProgramScope, "-cl-std=CL2.0", false);
    const LinkedModule module = placed(image);
    ASSERT_EQ(image->relocations.size(), 1u);
    const std::uint64_t stored =
        valueAt<std::uint64_t>(module.data(binary::DataKind::variables), image->relocations[0].place.offset);
    EXPECT_GE(stored, kAddresses.data[1]);
    EXPECT_LT(stored, kAddresses.data[1] + image->segment(binary::DataKind::variables).size());
}

}  // namespace
}  // namespace zetl::emulator::module
