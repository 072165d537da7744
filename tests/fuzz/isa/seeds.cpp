// Writes programs as a first corpus for fuzz_isa_program: isa_fuzz_seeds DIRECTORY
//
// Messages of every kind that the reference draws (tests/isa/reference), each with the end of its thread: without them
// the fuzzer hardly finds a descriptor that means something.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include "assembler.h"
#include "reference/message.h"
#include "reference/surface_block.h"

namespace zetl::test {
namespace {

constexpr std::uint64_t kMessages = 100;  // each is executed before the fuzzer's time begins
constexpr std::uint64_t kBlocks = 30;
constexpr std::size_t kInstruction = 16;
constexpr std::size_t kEnd = 2 * kInstruction;
const char* const kOthers[] = {
    "(W) send.gtwy (1|M0) null r0 null:0 0x0 0x02000004",  // a barrier
    "send.ugm (1|M0) r40 r10 null:0 0x0 0x0210031F",       // fences
    "send.slm (1|M0) r40 r10 null:0 0x0 0x0210011F",
    "send.dc0 (16|M0) r40 r10 null:0 0x0 0x0219C000",
    "send.ugm (16|M0) null r10 null:0 0x0 0x04000580",  // a prefetch
    "send.ugm (16|M0) r40 r10 null:0 0x0 0x0410059B",   // load_status
    "(W) mov (1|M0) a0.0<1>:ud 0x04100580:ud",
    "send.ugm (16|M0) r40 r10 null:0 0x0 a0.0",
};

std::vector<std::string> lines() {
    std::vector<std::string> list(std::begin(kOthers), std::end(kOthers));
    for (std::uint64_t n = 0; n < kMessages; ++n)
        list.push_back(reference::messageProgram(n, 0x10000).message.assembly());
    for (std::uint64_t n = 0; n < kBlocks; ++n)
        list.push_back(reference::surfaceProgram(n, 0x10000).message.assembly());
    return list;
}

int write(const std::filesystem::path& directory) {
    std::string text;
    const std::vector<std::string> all = lines();
    for (const std::string& line : all) text += line + "\n";
    const Code code = assembleProgram(text);
    if (code.size() != all.size() * kInstruction + kEnd) return 1;
    std::filesystem::create_directories(directory);
    for (std::size_t n = 0; n < all.size(); ++n) {
        std::ofstream file(directory / ("seed" + std::to_string(n)), std::ios::binary);
        const auto put = [&](std::size_t at, std::size_t bytes) {
            file.write(reinterpret_cast<const char*>(code.data() + at), static_cast<std::streamsize>(bytes));
        };
        put(n * kInstruction, kInstruction);
        put(all.size() * kInstruction, kEnd);
        if (!file) return 1;
    }
    return 0;
}

}  // namespace
}  // namespace zetl::test

int main(int count, char** arguments) {
    if (count == 2) return zetl::test::write(arguments[1]);
    std::cerr << "usage: isa_fuzz_seeds DIRECTORY\n";
    return 2;
}
