#include "emulator/module/printf.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>

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
    kBytes = 9,
    kShorts = 10,
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

    /// `used`: by the records, also those for which there was no room.
    std::string print(std::optional<std::uint32_t> used = {}, const binary::NumberedStrings* numbered = nullptr) {
        const auto stated = used.value_or(static_cast<std::uint32_t>(bytes.size()));
        std::memcpy(bytes.data(), &stated, sizeof stated);
        const auto read = [this](std::uint64_t at, std::size_t longest) -> std::optional<std::string> {
            const auto found = strings.find(at);
            return found == strings.end() ? std::nullopt : std::optional(found->second.substr(0, longest));
        };
        return printfText(bytes, read, numbered);
    }
    std::string printNumbered(const binary::NumberedStrings& numbered) { return print({}, &numbered); }
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

// What has less than a word has a word's room.
TEST(Printf, PrintsVectorsOfBytesAndShorts) {
    Buffer buffer;
    buffer.record("%v4hhd|%d\n").value(kBytes, std::uint32_t{4}).put(std::array<std::int8_t, 16>{1, -2, 3, 4});
    buffer.value(kInt, 5);
    buffer.record("%v3hx").value(kShorts, std::uint32_t{3}).put(std::array<std::int16_t, 6>{1, -2, 3});
    EXPECT_EQ(buffer.print(), "1,-2,3,4|5\n1,fffe,3");
}

TEST(Printf, IntegersHaveTheLengthThatTheFormatStates) {
    Buffer buffer;
    buffer.record("%hhx %hx %hhd %hd %d %u|").value(kInt, -1).value(kInt, -1).value(kInt, 0x1ff).value(kInt, 0x18000);
    buffer.value(kLong, std::int64_t{0x1'0000'0007}).value(kLong, std::int64_t{-1});
    buffer.record("%zu %td %jd %lld").value(kLong, std::int64_t{4}).value(kLong, std::int64_t{-1});
    buffer.value(kLong, std::int64_t{-2}).value(kLong, std::int64_t{1} << 40);
    EXPECT_EQ(buffer.print(), "ff ffff -1 -32768 7 4294967295|4 -1 -2 1099511627776");
}

// The compiler takes only literals that are not empty for strings; it has all else as pointers.
TEST(Printf, PointersAreTextWhereTheFormatSaysSo) {
    Buffer buffer;
    const std::uint64_t empty = buffer.address("");
    const std::uint64_t word = buffer.address("word");
    buffer.record("[%s][%6s][%.2s][%s]").value(kPointer, empty).value(kPointer, word).value(kPointer, word);
    buffer.value(kPointer, std::uint64_t{0});
    buffer.record("|%12p|%-6p|%lx|%p|").value(kPointer, std::uint64_t{0x1234}).value(kPointer, std::uint64_t{0x1});
    buffer.value(kPointer, std::uint64_t{0xabc}).value(kText, std::uint64_t{0xdef});
    EXPECT_EQ(buffer.print(), "[][  word][wo][(null)]|      0x1234|0x1   |abc|0xdef|");
}

TEST(Printf, PatchTokensHaveNumbersForStrings) {
    const binary::NumberedStrings numbered{{0, "value %d of %s\n"}, {1, "text"}, {7, "end"}};
    Buffer buffer;
    buffer.put(std::uint32_t{0}).value(kInt, 42).value(kText, std::uint32_t{1}).put(std::uint32_t{7});
    EXPECT_EQ(buffer.printNumbered(numbered), "value 42 of text\nend");
    EXPECT_EQ(Buffer().put(std::uint32_t{3}).printNumbered(numbered), "[printf: no format at 0x3]\n");
    EXPECT_EQ(Buffer().put(UINT32_MAX).printNumbered(numbered), "[printf: buffer full]\n");
    Buffer unknown;
    unknown.put(std::uint32_t{0}).value(kInt, 42).value(kText, std::uint32_t{9});
    EXPECT_EQ(unknown.printNumbered(numbered), "value 42 of [no text 9]\n");
}

// The literal of no characters is none to the compiler: it gives its address.
TEST(Printf, AnEmptyFormatHasNoNumber) {
    const binary::NumberedStrings numbered{{0, "text"}};
    Buffer buffer;
    buffer.put(buffer.address("")).put(std::uint32_t{0});
    EXPECT_EQ(buffer.printNumbered(numbered), "text");
}

constexpr std::uint64_t inside(std::uint32_t bytes) { return std::uint64_t{1} << 63 | bytes; }

// Compilers of 2026: a format that is only known at run time.
TEST(Printf, FormatsMayLieInTheRecord) {
    Buffer buffer;
    buffer.put(inside(9)).put(std::array<char, 12>{'i', 't', 'e', 'm', ' ', '%', 'd', '\n'}).value(kInt, 7);
    buffer.record("next");
    EXPECT_EQ(buffer.print(), "item 7\nnext");
    for (const std::uint32_t bytes : {0u, 4u, 5u, 0x7fffffffu, UINT32_MAX - 1})
        EXPECT_EQ(Buffer().put(inside(bytes)).put(std::array<char, 4>{'a', 'b', 'c', 'd'}).print(),
                  fmt::format("[printf: no format at {:#x}]\n", inside(bytes)))
            << "without its end";
}

// Compilers before 2024 record them.
TEST(Printf, ArgumentsBeyondTheFormatAreLeftOut) {
    Buffer buffer;
    buffer.record("%d ")
        .value(kInt, 1)
        .value(kInt, 2)
        .value(kDouble, 0.5)
        .value(kBytes, std::uint32_t{2})
        .put(UINT64_MAX);
    buffer.record("next");
    EXPECT_EQ(buffer.print(), "1 next");
}

// A word of ones, whatever stands behind it.
TEST(Printf, SaysThatTheBufferIsFull) {
    Buffer marked;
    marked.record("a").put(UINT32_MAX).put(std::uint32_t{0x1234});
    EXPECT_EQ(marked.print(UINT32_MAX), "a[printf: buffer full]\n");
    EXPECT_EQ(Buffer().record("a").put(UINT32_MAX).print(100), "a[printf: buffer full]\n") << "at its very end";
    EXPECT_EQ(Buffer().record("a").print(100), "a[printf: buffer full]\n") << "without room for the word";
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

TEST(DamagedPrintf, TextIsLimited) {
    Buffer buffer;
    buffer.record(std::string(1 << 16, 'x')).record("%4096d%4096d%4096d%4096d%4096d|").value(kInt, 1).value(kInt, 1);
    buffer.value(kInt, 1).value(kInt, 1).value(kInt, 1).record("next");
    const std::string text = buffer.print();
    EXPECT_EQ(text.size(), 2 * ((16 << 10) - 1) + 4);
    EXPECT_TRUE(text.ends_with("next"));
    const std::uint64_t format = buffer.address(std::string(1 << 16, 'x'));
    for (int i = 0; i < 20000; ++i) buffer.put(format);
    const std::string all = buffer.print();
    EXPECT_LT(all.size(), 257u << 20);
    EXPECT_TRUE(all.ends_with("[printf: the text behind 256 MiB is left out]\n"));
}

TEST(DamagedPrintf, UsedBeyondTheBufferIsCut) {
    Buffer buffer;
    buffer.record("%d").value(kInt, 3);
    buffer.print();
    const std::uint32_t used = UINT32_MAX;
    std::memcpy(buffer.bytes.data(), &used, sizeof used);
    EXPECT_EQ(printfText(buffer.bytes, [](std::uint64_t, std::size_t) { return std::optional<std::string>("%d"); }),
              "3[printf: buffer full]\n");
}

}  // namespace
}  // namespace zetl::emulator::module
