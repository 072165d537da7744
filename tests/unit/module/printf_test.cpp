#include "emulator/module/printf.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "binary/kernel_image.h"

namespace zetl::emulator::module {
namespace {

enum Type : std::uint32_t {
    kInt = 3,
    kFloat = 4,
    kText = 5,
    kLong = 6,
    kPointer = 7,
    kDouble = 8,
    kInts = 11,
    kDoubles = 14
};

/// A buffer as a kernel leaves it, with the strings it points to.
struct Buffer {
    binary::Bytes bytes = binary::Bytes(kPrintfHeaderBytes);
    std::map<std::uint64_t, std::string> strings;

    template <class T>
    Buffer& put(const T& value) {
        const std::size_t at = bytes.size();
        bytes.resize(at + sizeof value);
        std::memcpy(&bytes[at], &value, sizeof value);
        return *this;
    }
    template <class T>
    Buffer& value(Type type, const T& content) {
        return put(std::uint32_t{type}).put(content);
    }
    std::uint64_t address(const std::string& string) {
        const std::uint64_t at = 0x1000 + 256 * strings.size();
        strings[at] = string;
        return at;
    }
    Buffer& record(const std::string& format) { return put(address(format)); }

    std::string print() {
        const auto used = static_cast<std::uint32_t>(bytes.size());
        std::memcpy(bytes.data(), &used, sizeof used);
        return printfText(bytes, [this](std::uint64_t at) -> std::optional<std::string> {
            const auto found = strings.find(at);
            return found == strings.end() ? std::nullopt : std::optional(found->second);
        });
    }
};

TEST(Printf, PrintsEveryType) {
    Buffer buffer;
    const std::uint64_t word = buffer.address("word");
    buffer.record("%d|%5.2f|%s|%ld|%p|%e|%c|%x|%%|%-4u|\n")
        .value(kInt, -7)
        .value(kDouble, 2.5)
        .value(kText, word)
        .value(kLong, std::int64_t{1} << 40)
        .value(kPointer, std::uint64_t{0xabc})
        .value(kFloat, 0.25f)
        .value(kInt, int{'z'})
        .value(kInt, -1)
        .value(kInt, 12);
    EXPECT_EQ(buffer.print(), "-7| 2.50|word|1099511627776|0xabc|2.500000e-01|z|ffffffff|%|12  |\n");
}

TEST(Printf, PrintsVectors) {
    Buffer buffer;
    buffer.record("(%v4d) %2.1v2lf").value(kInts, std::uint32_t{4}).put(std::array<int, 4>{1, -2, 3, 4});
    buffer.value(kDoubles, std::uint32_t{2}).put(std::array<double, 2>{0.5, 1.5});
    EXPECT_EQ(buffer.print(), "(1,-2,3,4) 0.5,1.5");
}

TEST(Printf, PrintsRecordsInOrder) {
    Buffer buffer;
    buffer.record("a%d ").value(kInt, 1).record("b%d ").value(kInt, 2).record("end");
    EXPECT_EQ(buffer.print(), "a1 b2 end");
    EXPECT_EQ(Buffer().print(), "");
}

TEST(DamagedPrintf, EndsWithALineThatSaysSo) {
    EXPECT_EQ(Buffer().record("%d").value(Type{99}, 1).print(), "[printf: damaged record]\n");
    EXPECT_EQ(Buffer().record("%d").print(), "[printf: damaged record]\n");
    EXPECT_EQ(Buffer().put(std::uint64_t{0x77}).print(), "[printf: no format at 0x77]\n");
    EXPECT_EQ(Buffer().put(UINT64_MAX).print(), "[printf: buffer full]\n");
    EXPECT_EQ(Buffer().record("%v4d").value(kInts, std::uint32_t{4000000000}).print(), "[printf: damaged record]\n");
    EXPECT_EQ(Buffer().record("%s").value(kText, std::uint64_t{5}).print(), "[no text at 0x5]");
    EXPECT_EQ(printfText({}, {}), "");
}

TEST(DamagedPrintf, HostileFormatsAreNotHandedToTheLibrary) {
    EXPECT_EQ(Buffer().record("%n").value(kInt, 1).print(), "1");
    EXPECT_EQ(Buffer().record("%*d").value(kInt, 1).print(), "1d") << "the star stands for the conversion";
    EXPECT_EQ(Buffer().record("%999999999d").value(kInt, 1).print(), "1");
    EXPECT_EQ(Buffer().record("%s").value(kInt, 1).print(), "1");
    EXPECT_EQ(Buffer().record("50%").print(), "50%");
}

TEST(DamagedPrintf, UsedBeyondTheBufferIsCut) {
    Buffer buffer;
    buffer.record("%d").value(kInt, 3);
    buffer.print();
    const std::uint32_t used = UINT32_MAX;
    std::memcpy(buffer.bytes.data(), &used, sizeof used);
    EXPECT_EQ(printfText(buffer.bytes, [](std::uint64_t) { return std::optional<std::string>("%d"); }), "3");
}

}  // namespace
}  // namespace zetl::emulator::module
