// Shows a kernel's native binary from the driver's compiler (zeModuleGetNativeBinary): the sections of the file, the
// kernel's arguments, and its machine code beside the source.
//
// Exit code 0: all of it was read. 1: an error. 2: the correlation library cannot read the binary; the program prints
// the reason.
#include <level_zero/ze_api.h>
#include <ze_tools_layer/correlation.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "session/check.h"
#include "session/elf_sections.h"
#include "session/session.h"

namespace {

using namespace zetl::correlation;

const char* const kSource = R"(
kernel void scale(global float* data, float factor) {
    const size_t i = get_global_id(0);
    data[i] = data[i] * factor + 1.0f;
})";

session::Bytes nativeBinary(ze_module_handle_t module) {
    std::size_t size = 0;
    CHECK(zeModuleGetNativeBinary(module, &size, nullptr));
    session::Bytes binary(size);
    CHECK(zeModuleGetNativeBinary(module, &size, binary.data()));
    return binary;
}

void printSections(const session::Bytes& binary) {
    for (const auto& section : session::elfSectionsOf(binary))
        if (section.bytes) std::printf("  %-28s %8" PRIu64 " bytes\n", section.name.c_str(), section.bytes);
}

std::string sourceLine(int number) {
    std::istringstream text(kSource);
    std::string line;
    for (int i = 0; i < number; ++i) std::getline(text, line);
    return line;
}

/// Prints the machine code; above each part, the source line from which it was compiled.
void printCode(const Binary& binary, const Kernel& kernel) {
    int current = 0;
    for (const Instruction& instruction : binary.instructions(kernel)) {
        const auto places = binary.sourceOf(kernel, instruction.offset);
        const int line = places.empty() ? current : places.front().line;
        if (line != current) std::printf("%4d: %s\n", line, sourceLine(line).c_str());
        current = line;
        std::printf("      %#6x  %s\n", instruction.offset, instruction.text.c_str());
    }
}

void printKernel(const Binary& binary, const Kernel& kernel) {
    std::printf(
        "%s: %u lanes, %u registers, %u barriers, %u bytes of local, %u of private, %u of spilled memory, %u of code\n",
        kernel.name.c_str(), kernel.simdWidth, kernel.registers, kernel.barriers, kernel.localBytes,
        kernel.privateBytes, kernel.spillBytes, kernel.codeBytes);
    printCode(binary, kernel);
}

}  // namespace

int main() {
    const session::Session session;
    const session::Kernel scale(session, kSource, "scale", "-g");
    const auto bytes = nativeBinary(scale.module);
    std::string failure;
    const auto binary = Binary::read(bytes, failure);
    std::printf("native binary: %zu bytes, %s\n", bytes.size(), binary ? binary->container().c_str() : "not read");
    printSections(bytes);
    if (!binary) {
        std::printf("kernel_binary: %s\n", failure.c_str());
        return 2;
    }
    for (const Kernel& kernel : binary->kernels()) printKernel(*binary, kernel);
    const auto& without = binary->withoutLines();
    std::printf("kernel_binary: %zu kernels, %s\n", binary->kernels().size(),
                without.empty() ? "with source lines" : without.c_str());
    return binary->kernels().empty() ? 1 : 0;
}
