// Real binaries, cut and changed: a failure with a reason, or a program that can be counted and written; never a crash.
#include <gtest/gtest.h>
#include <ze_tools_layer/instrumentation.h>

#include "module/compiled.h"
#include "module/emptied.h"
#include "support/effort.h"

namespace zetl::instrumentation {
namespace {

namespace module = emulator::module;
using Bytes = std::vector<std::uint8_t>;

void survive(const Bytes& bytes) {
    std::string failure;
    const auto program = Program::read(bytes, failure);
    if (!program) {
        EXPECT_NE(failure, "");
        return;
    }
    for (Section& section : program->sections())
        for (const Block& block : section.blocks())
            if (const auto code = countingCode(section, block.begin, 0x1000)) section.insertBefore(block.begin, *code);
    if (program->write(failure).empty()) {
        EXPECT_NE(failure, "");
    }
}

class DamagedProgram : public testing::TestWithParam<bool> {
  protected:
    const Bytes& binary() const {
        return module::compiled(module::kPrivate, "-cl-std=CL2.0 -g -cl-opt-disable", GetParam());
    }
};

TEST_P(DamagedProgram, Cut) {
    for (std::size_t size = 0; size < binary().size(); size += 1 + size / 23)
        survive(Bytes(binary().begin(), binary().begin() + static_cast<std::ptrdiff_t>(size)));
}

// The fuzz harness goes further under a sanitizer.
constexpr std::size_t kHead = test::effort(256, 64);
constexpr std::size_t kPlaces = test::effort(997, 31);

TEST_P(DamagedProgram, FlippedBits) {
    for (std::size_t at = 0; at < binary().size(); at += at < kHead ? 1 : 1 + binary().size() / kPlaces)
        for (const std::uint8_t mask : {0x01, 0x80, 0xff}) {
            Bytes damaged = binary();
            damaged[at] ^= mask;
            survive(damaged);
        }
}

TEST_P(DamagedProgram, SectionsWithoutBytes) {
    for (const Bytes& damaged : module::emptied(binary())) survive(damaged);
}

INSTANTIATE_TEST_SUITE_P(Containers, DamagedProgram, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "zebin" : "patchTokens"; });

}  // namespace
}  // namespace zetl::instrumentation
