#include "binary/archive.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "binary/device_binary.h"
#include "binary/elf_builder.h"
#include "binary/patch_token_format.h"
#include "module/compiled.h"
#include "support/archive.h"

namespace zetl::binary {
namespace {

namespace module = emulator::module;

using test::Archive;

constexpr auto memberOf = test::archiveMember;

std::string_view textOf(std::span<const std::uint8_t> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::span<const std::uint8_t> bytesOf(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(Archive, HasMembers) {
    const Archive archive = Archive().add("64.12.60.7", "odd").add("generic_ir", "even");
    EXPECT_TRUE(isArchive(archive.bytes()));
    const auto members = readArchive(archive.bytes());
    ASSERT_TRUE(members) << members.error().message;
    ASSERT_EQ(members->size(), 2u);
    EXPECT_EQ((*members)[0].name, "64.12.60.7");
    EXPECT_EQ(textOf((*members)[0].content), "odd");
    EXPECT_EQ((*members)[1].name, "generic_ir");
    EXPECT_EQ(textOf((*members)[1].content), "even");
}

TEST(Archive, HasLongNames) {
    const std::string text =
        "!<arch>\n" + memberOf("//", "first/\nthe name of the second/\n") + memberOf("/7", "content");
    const auto members = readArchive(bytesOf(text));
    ASSERT_TRUE(members) << members.error().message;
    ASSERT_EQ(members->size(), 1u);
    EXPECT_EQ((*members)[0].name, "the name of the second");
}

TEST(Archive, DamagedOnesAreRefused) {
    const std::string whole = Archive().add("64.12.60.7", "content").text();
    EXPECT_FALSE(readArchive({}));
    EXPECT_FALSE(readArchive(bytesOf(whole.substr(1))));
    for (const std::string& wrong : {"!<arch>\n" + memberOf("64.pvc/", "content").replace(48, 10, "9999999999"),
                                     "!<arch>\n" + memberOf("64.pvc/", "content").replace(48, 10, "-1        "),
                                     "!<arch>\n" + memberOf("64.pvc/", "content").replace(48, 10, "          "),
                                     "!<arch>\n" + memberOf("", "content"), "!<arch>\n" + memberOf("/", "content"),
                                     "!<arch>\n" + memberOf("/3", "content")}) {
        const auto members = readArchive(bytesOf(wrong));
        ASSERT_FALSE(members);
        EXPECT_EQ(members.error().cause, Cause::damaged);
    }
    for (std::size_t size = 0; size < whole.size(); ++size) (void)readNative(bytesOf(whole).first(size));
}

std::string add() {
    const Bytes& native = module::compiled(module::kVectorAdd);
    return {native.begin(), native.end()};
}
/// Of the same for another product.
std::string foreign() {
    constexpr std::uint32_t kFamily = 1271;
    std::string binary = add();
    const std::size_t at =
        binary.find(std::string_view(reinterpret_cast<const char*>(&kFamily), sizeof kFamily), binary.find("IntelGT"));
    binary.at(at) ^= 1;
    return binary;
}

TEST(DeviceBinary, IsTheMemberForTheDevice) {
    const std::string own = add();
    for (const std::string_view name : {"64.12.60.7", "64.pvc.7", "64.12.60", "64.pvc", "64.12.60.3", "64.pvc.3"}) {
        const Archive archive =
            Archive().add("64.9.0.9", "another").add("64.12.6", "?").add(name, own).add("64.pvcx", "?");
        const auto image = readNative(archive.bytes());
        ASSERT_TRUE(image) << image.error().message;
        EXPECT_EQ(textOf((*image)->native), own);
        EXPECT_EQ(textOf(*binaryFor(archive.bytes())), own);
    }
    EXPECT_EQ(textOf(*binaryFor(bytesOf(own))), own);
}

TEST(DeviceBinary, IsTheMostExactThatIsWhole) {
    const std::string own = add();
    const Archive exact = Archive().add("64.pvc.3", "older").add("64.12.60.7", own);
    EXPECT_TRUE(readNative(exact.bytes()));
    const Archive whole = Archive().add("64.12.60.7", "damaged").add("64.pvc", own);
    EXPECT_TRUE(readNative(whole.bytes()));
}

/// Of the same, with another product's family, which decides.
std::string madeFor(const isa::xe::Product& product) {
    std::string binary = add();
    const std::uint32_t family = isa::xe::kPvc.productFamily;
    const std::size_t at =
        binary.find(std::string_view(reinterpret_cast<const char*>(&family), sizeof family), binary.find("IntelGT"));
    std::memcpy(&binary.at(at), &product.productFamily, sizeof product.productFamily);
    return binary;
}

TEST(DeviceBinary, ForAnotherDeviceIsRefusedWithItsName) {
    const auto image = readNative(bytesOf(add()), isa::xe::kBmg);
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().cause, Cause::wrongDevice);
    EXPECT_EQ(image.error().message,
              "the binary is for pvc (product family 0x4f7), the device is bmg (product family 0x4fa); compile with "
              "-device bmg");
    const std::string other = madeFor(isa::xe::kBmg);
    EXPECT_NE(readNative(bytesOf(other)).error().message.find("is for bmg (product family 0x4fa), the device is pvc"),
              std::string::npos);
    const Archive both = Archive().add("64.12.60.7", add()).add("64.20.1.0", other);
    EXPECT_EQ(textOf(*binaryFor(both.bytes())), add());
    EXPECT_EQ(textOf(*binaryFor(both.bytes(), isa::xe::kBmg)), other);
}

TEST(DeviceBinary, ArchivesWithoutOneSayWhatTheyHave) {
    const Archive archive = Archive().add("64.9.0.9", add()).add("32.12.60.7", add()).add("64.dg2", "x");
    const auto image = readNative(archive.bytes());
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().cause, Cause::wrongDevice);
    EXPECT_NE(image.error().message.find("it has 64.9.0.9, 32.12.60.7, 64.dg2"), std::string::npos)
        << image.error().message;
    EXPECT_FALSE(carriedSpirv(archive.bytes()));
    EXPECT_NE(readNative(Archive().bytes()).error().message.find("it has nothing"), std::string::npos);
    Archive many;
    for (int i = 0; i < 20; ++i) many.add(fmt::format("64.9.0.{}", i), "x");
    EXPECT_NE(readNative(many.bytes()).error().message.find("and 4 more"), std::string::npos);
}

TEST(DeviceBinary, CarriesSpirv) {
    const auto spirv = module::readCompiled(module::kVectorAdd)->spirv;
    const std::string other = foreign();
    ASSERT_EQ(readNative(bytesOf(other)).error().cause, Cause::wrongDevice);
    const auto carried = carriedSpirv(bytesOf(other));
    ASSERT_TRUE(carried);
    EXPECT_EQ(Bytes(carried->spirv.begin(), carried->spirv.end()), spirv);
    EXPECT_EQ(carried->buildOptions, "-cl-std=CL2.0");
    EXPECT_TRUE(carriedSpirv(Archive().add("64.pvc.7", other).bytes()));
    EXPECT_FALSE(carriedSpirv(Archive().add("64.dg2.7", other).bytes())) << "as Intel's driver";
    EXPECT_FALSE(carriedSpirv(bytesOf("no ELF file")));
}

TEST(DeviceBinary, SpirvForAllDevicesIsTakenLast) {
    const Bytes spirv = {1, 2, 3, 4};
    const std::string_view options = "-cl-mad-enable";
    ElfBuilder elf;
    elf.add({.name = ".spv", .type = patch::kSectionSpirv, .content = spirv});
    elf.add({.name = "options", .type = patch::kSectionOptions, .content = {options.begin(), options.end()}});
    const Bytes file = elf.write(0);
    const Archive archive = Archive().add("generic_ir", textOf(file)).add("64.pvc", foreign());
    EXPECT_GT(carriedSpirv(archive.bytes())->spirv.size(), spirv.size());
    const Archive fallback = Archive().add("generic_ir", textOf(file)).add("64.9.0.9", "x");
    const auto carried = carriedSpirv(fallback.bytes());
    ASSERT_TRUE(carried);
    EXPECT_EQ(Bytes(carried->spirv.begin(), carried->spirv.end()), spirv);
    EXPECT_EQ(carried->buildOptions, options);
}

}  // namespace
}  // namespace zetl::binary
