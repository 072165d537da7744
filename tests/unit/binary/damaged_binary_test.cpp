// Damaged containers: an error with a reason, or a module that can be walked; never a crash.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "binary/elf_file.h"
#include "emulator/module/debug_image.h"
#include "module/compiled.h"
#include "support/effort.h"

namespace zetl::emulator::module {
namespace {

/// Reads the bytes and, if they still make a module, does everything a driver does with it.
void survive(const binary::Bytes& bytes) {
    const auto image = binary::readNative(bytes);
    if (!image) {
        EXPECT_FALSE(image.error().message.empty());
        return;
    }
    auto module = LinkedModule::place(*image, kAddresses);
    if (!module) return;
    LinkedModule* const modules[] = {&*module};
    EXPECT_TRUE(LinkedModule::resolve(modules));
    const auto debug = makeDebugImage(*module);
    if (!debug) return;
    const bool copied = (*image)->container == binary::ModuleImage::Container::zebin;
    EXPECT_TRUE(!copied || debug->size() >= bytes.size())
        << "a zebin is changed in place; patch tokens are written anew";
    EXPECT_TRUE(binary::readElf(*debug));
}

struct Container {
    const char* name;
    const char* source;
    const char* flags;
    bool zebin;
};

class DamagedBinary : public testing::TestWithParam<Container> {
  protected:
    const binary::Bytes& binary() const { return compiled(GetParam().source, GetParam().flags, GetParam().zebin); }
};

TEST_P(DamagedBinary, EveryTruncationIsRefused) {
    for (std::size_t size = 0; size < binary().size(); size += 1 + size / 37) {
        const auto image = binary::readNative(std::span(binary()).first(size));
        ASSERT_FALSE(image) << size;
        EXPECT_FALSE(image.error().message.empty());
    }
}

/// How many places of a binary's rest are damaged, below a sanitizer fewer: its fuzz harness goes further.
constexpr std::size_t kFlipped = test::effort(499, 97);
constexpr std::size_t kOversized = test::effort(199, 53);

TEST_P(DamagedBinary, FlippedBitsDoNotCrash) {
    for (std::size_t at = 0; at < binary().size(); at += at < 256 ? 1 : 1 + binary().size() / kFlipped) {
        for (const std::uint8_t mask : {0x01, 0x80, 0xff}) {
            binary::Bytes damaged = binary();
            damaged[at] ^= mask;
            survive(damaged);
        }
    }
}

TEST_P(DamagedBinary, OversizedNumbersDoNotCrash) {
    const std::uint64_t large[] = {UINT32_MAX, UINT64_MAX, 1ull << 63, 0x7fffffff};
    for (std::size_t at = 0; at + 8 < binary().size(); at += at < 128 ? 4 : 1 + binary().size() / kOversized) {
        for (const std::uint64_t value : large) {
            binary::Bytes damaged = binary();
            std::memcpy(&damaged[at], &value, sizeof value);
            survive(damaged);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Containers, DamagedBinary,
                         testing::Values(Container{"zebin", kProgramScope, "-cl-std=CL2.0 -g", true},
                                         Container{"patchTokens", kProgramScope, "-cl-std=CL2.0 -g", false},
                                         Container{"patchTokensWithSymbols", kFunctions,
                                                   "-cl-std=CL2.0 -cl-opt-disable", false}),
                         [](const auto& info) { return info.param.name; });

/// The section header table of a zebin, entry by entry.
template <class F>
void eachSection(binary::Bytes& bytes, F&& function) {
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    for (int i = 0; i < header.e_shnum; ++i) {
        const std::size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
        Elf64_Shdr section;
        std::memcpy(&section, &bytes[at], sizeof section);
        function(section);
        std::memcpy(&bytes[at], &section, sizeof section);
    }
}

TEST(DamagedZebin, SectionBeyondTheFile) {
    binary::Bytes bytes = compiled(kProgramScope);
    eachSection(bytes, [&](Elf64_Shdr& section) {
        if (section.sh_type == SHT_SYMTAB) section.sh_offset = bytes.size();
    });
    const auto image = binary::readNative(bytes);
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().cause, binary::Cause::damaged);
}

TEST(DamagedZebin, RelocationBeyondItsSection) {
    binary::Bytes bytes = compiled(kProgramScope);
    eachSection(bytes, [&](Elf64_Shdr& section) {
        const std::uint64_t offset = UINT64_MAX - 2;
        if (section.sh_type == SHT_REL) std::memcpy(&bytes[section.sh_offset], &offset, sizeof offset);
    });
    const auto image = binary::readNative(bytes);
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().cause, binary::Cause::damaged);
    EXPECT_NE(image.error().message.find("offset"), std::string::npos) << image.error().message;
}

TEST(DamagedZebin, UnknownRelocationIsNamed) {
    binary::Bytes bytes = compiled(kProgramScope);
    eachSection(bytes, [&](Elf64_Shdr& section) {
        if (section.sh_type == SHT_REL) bytes[section.sh_offset + offsetof(Elf64_Rel, r_info)] = 99;
    });
    const auto image = binary::readNative(bytes);
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().cause, binary::Cause::unsupported);
    EXPECT_NE(image.error().message.find("99"), std::string::npos) << image.error().message;
}

TEST(DamagedZebin, NoElfAndNoSections) {
    for (const std::size_t size : {0, 1, 4, 63, 64, 1000}) {
        const auto image = binary::readNative(binary::Bytes(size, 0x7f));
        ASSERT_FALSE(image);
        EXPECT_EQ(image.error().cause, binary::Cause::damaged);
    }
}

}  // namespace
}  // namespace zetl::emulator::module
