// Writes real modules as a first corpus for the harnesses:  module_fuzz_seeds DIRECTORY
#include <filesystem>
#include <fstream>
#include <iostream>

#include "binary/elf_file.h"
#include "binary/native_binary.h"
#include "binary/patch_token_debug.h"
#include "binary/patch_token_format.h"
#include "emulator/module/compiler.h"
#include "emulator/module/debug_image.h"
#include "emulator/module/link.h"
#include "support/archive.h"
#include "support/sass.h"

namespace {

using namespace zetl::emulator::module;

constexpr std::string_view kSources[] = {
    "kernel void add(global const int* a, global int* b) { b[get_global_id(0)] += a[get_global_id(0)]; }",
    "constant int t[4] = {1, 2, 3, 4}; global int v = 5; global int* p = &v;\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void scope(global int* o, local int* l, int4 x, char c) {\n"
    "    l[0] = x.y + c; barrier(CLK_LOCAL_MEM_FENCE); o[0] = t[l[0] & 3] + *p; printf(\"%d %s\\n\", o[0], \"x\"); }",
    "int f(int); kernel void call(global int* o) { int t[100]; for (int i = 0; i < 100; ++i) t[i] = o[i];\n"
    "    o[t[3] % 100] = f(t[o[0] % 100]); }",
};
constexpr std::string_view kFlags[] = {"-cl-std=CL2.0", "-cl-std=CL2.0 -g", "-cl-std=CL2.0 -g -cl-opt-disable",
                                       "-cl-std=CL2.0 -zet-profile-flags 3"};

void write(const std::filesystem::path& file, std::span<const std::uint8_t> bytes) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// The container of debug data, and the file of each kernel in it.
void writeDebugData(const std::filesystem::path& directory, zetl::binary::ByteView container, const std::string& name) {
    write(directory / "debug_tokens" / name, container.bytes());
    const auto kernels = zetl::binary::readPatchTokenDebug(container.bytes());
    for (std::size_t i = 0; kernels && i < kernels->size(); ++i)
        write(directory / "debug_data" / (name + "." + std::to_string(i)), (*kernels)[i].elf.bytes());
}

/// Sections that have a reader of their own.
void writeParts(const std::filesystem::path& directory, const zetl::binary::ElfFile& file, const std::string& name) {
    for (const zetl::binary::ElfFile::Section& section : file.sections) {
        if (section.name == ".ze_info") write(directory / "ze_info" / name, section.content.bytes());
        if (section.name.starts_with(".gtpin_info.")) write(directory / "gtpin" / name, section.content.bytes());
        if (section.name == zetl::binary::patch::kDebugSectionName) writeDebugData(directory, section.content, name);
    }
}

void writeDebugImage(const std::filesystem::path& file, const zetl::binary::ModulePointer& image) {
    const auto module = LinkedModule::place(
        image, {.instructionBase = 0, .code = 0x10000, .data = {1ull << 40, 2ull << 40, 3ull << 40}});
    if (!module) return;
    const auto debug = makeDebugImage(*module);
    if (debug) write(file, *debug);
}

bool writeSeeds(const std::filesystem::path& directory, std::string_view source, std::string_view flags,
                const std::string& name) {
    for (const bool zebin : {true, false}) {
        const CompileResult result =
            compile({.language = CompileRequest::Language::openclC,
                     .source = {reinterpret_cast<const std::uint8_t*>(source.data()), source.size()},
                     .buildFlags = flags,
                     .constants = {},
                     .zebin = zebin});
        if (!result) {
            std::cerr << result.log << '\n';
            return false;
        }
        write(directory / (zebin ? "native" : "patch_tokens") / name, result.binary);
        const std::string_view text(reinterpret_cast<const char*>(result.binary.data()), result.binary.size());
        write(directory / "native" / ("archive." + name + (zebin ? "" : ".tokens")),
              zetl::test::Archive().add("64.9.0.9", text).add("64.12.60.7", text).bytes());
        const auto file = zetl::binary::readElf(result.binary);
        if (file) writeParts(directory, *file, name);
        const auto image = zetl::binary::readNative(result.binary);
        if (!image) continue;
        write(directory / "spirv" / name, (*image)->spirv);
        writeDebugImage(directory / "debug" / name, *image);
    }
    return true;
}

/// NVIDIA's, with an instruction of each kind that leads somewhere.
void writeCubin(const std::filesystem::path& file) {
    using namespace zetl::test::sass;
    const Kernel kernel{.code = {straight(0), convergenceSet(0x30), branchIf(0x10), call(0x20), convergenceSync(),
                                 exitIf(), branch(-0x20), straight(7), leave()},
                        .exits = {0x50},
                        .relocations = {0x70}};
    write(file, cubinOf(kernel));
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: module_fuzz_seeds DIRECTORY\n";
        return 2;
    }
    int number = 0;
    for (const std::string_view source : kSources)
        for (const std::string_view flags : kFlags)
            if (!writeSeeds(arguments[1], source, flags, "seed" + std::to_string(number++))) return 1;
    writeCubin(std::filesystem::path(arguments[1]) / "cubin" / "seed0");
    std::filesystem::create_directories(std::filesystem::path(arguments[1]) / "printf");
    return 0;
}
