// OpenCL C's printf as a table: every conversion with flags, widths, precisions, lengths and vectors, on the emulated
// GPU against PoCL. Where PoCL 3.1 deviates from the specification, the expected text follows the specification.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "device_under_test.h"

namespace zetl::kernels {
namespace {

using Texts = std::vector<std::string_view>;

/// The arguments of one call, the format without its quotes first.
struct Call {
    std::string format;
    std::string values;  ///< with a comma in front of each
};

/// Elements of a type with a length modifier of its own.
struct Type {
    std::string_view length;
    std::string_view name;
    std::string_view unsignedName;
    std::array<std::string_view, 4> edges;
};
constexpr std::array kIntegers{
    Type{"hh", "char", "uchar", {"0", "-1", "127", "-128"}},
    Type{"h", "short", "ushort", {"0", "-1", "32767", "-32768"}},
    Type{"", "int", "uint", {"0", "-1", "2147483647", "-2147483647-1"}},
    Type{"l", "long", "ulong", {"0", "-1", "9223372036854775807L", "42"}},
};

class Table {
  public:
    Table() {
        addIntegers("di", {"", "-", "+", " ", "0", "+0", "-+"});
        addIntegers("uoxX", {"", "-", "0", "#", "#0", "-#"});
        addReals();
        addTexts();
        addVectors();
    }
    const std::vector<Call>& calls() const { return calls_; }

  private:
    std::vector<Call> calls_;
    std::size_t turn_ = 0;  ///< takes one value after the other

    void add(std::string format, std::string values) { calls_.push_back({std::move(format), std::move(values)}); }

    void addIntegers(std::string_view letters, const Texts& flags) {
        for (const char letter : letters)
            for (const std::string_view flag : flags)
                for (const std::string_view width : {"", "3", "12"})
                    for (const std::string_view precision : {"", ".", ".0", ".7"}) {
                        // PoCL pads with zeroes although there is a precision, if that is 0.
                        const bool zero = precision == "." || precision == ".0";
                        if (zero && flag.find('0') != std::string_view::npos) continue;
                        for (const Type& type : kIntegers)
                            add(fmt::format("%{}{}{}{}{}", flag, width, precision, type.length, letter),
                                fmt::format(", ({})({})", type.name, type.edges[turn_++ % type.edges.size()]));
                    }
    }
    /// Of numbers that a float can hold: PoCL rounds others.
    void addReals() {
        const Texts numbers{"0.0f",      "-0.0f", "1.5f", "-123456.789f", "1e-10f",   "3.4e38f", "1e-42f",
                            "-INFINITY", "NAN",   "0.1f", "(double)0.75", "INFINITY", "9.9999f"};
        for (const char letter : std::string_view("fFeEgGaA"))
            for (const std::string_view flag : {"", "-", "+", " ", "0", "#"})
                for (const std::string_view width : {"", "14"})
                    for (const std::string_view precision : {"", ".0", ".3", ".10"})
                        for (int i = 0; i < 2; ++i)
                            add(fmt::format("%{}{}{}{}", flag, width, precision, letter),
                                fmt::format(", {}", numbers[turn_++ % numbers.size()]));
    }
    void addTexts() {
        for (const std::string_view flag : {"", "-"})
            for (const std::string_view width : {"", "3", "12"}) {
                add(fmt::format("%{}{}c", flag, width), ", 'z'");
                add(fmt::format("%{}{}p", flag, width), ", (global int*)0x1234");
                for (const std::string_view precision : {"", ".", ".0", ".2", ".9"})
                    // PoCL pads to no more than the precision.
                    for (const std::string_view text : {"a", "some text", "a\\tb"})
                        if (width.empty() || precision.empty())
                            add(fmt::format("%{}{}{}s", flag, width, precision), fmt::format(", \"{}\"", text));
            }
        add("%s", ", \"\"");
        add("%%", "");
        add("100%%%d%%", ", 5");
        add("\\t\\\"\\\\\\a\\r\\v\\f\\b x", "");
    }
    void addVectors() {
        constexpr Type kInt{"hl", "int", "uint", {}};
        for (const int count : {2, 3, 4, 8, 16}) {
            for (const Type& type : {kIntegers[0], kIntegers[1], kInt, kIntegers[3]}) {
                if (isBeyondPocl(count, type.length)) continue;
                for (const char letter : std::string_view("diuxXo"))
                    for (const std::string_view form : {"", "-6", "08.5"})
                        addVector(form, count, type.length, letter,
                                  letter == 'd' || letter == 'i' ? type.name : type.unsignedName,
                                  {"0", "-1", "7", "-100", "55", "33", "-2", "100"});
            }
            for (const char letter : std::string_view("fFeEgGaA"))
                for (const std::string_view form : {"", "+.2", "-12.3", "012.1"})
                    for (const std::string_view length : {"hl", "l"})
                        if (!isBeyondPocl(count, length))
                            addVector(form, count, length, letter, length == "l" ? "double" : "float",
                                      {"0", "-1.5", "1e10", "0.1", "123.456", "-7", "3", "1e-5"});
        }
    }
    /// PoCL reads vectors from the wrong place that are longer than the host's registers, 32 bytes for AVX2.
    static bool isBeyondPocl(int count, std::string_view length) {
        return (length == "l" && count > 4) || (length == "hl" && count > 8);
    }

    void addVector(std::string_view form, int count, std::string_view length, char letter, std::string_view element,
                   const Texts& numbers) {
        Texts values;
        for (int i = 0; i < count; ++i) values.push_back(numbers[(turn_ + i) % numbers.size()]);
        ++turn_;
        add(fmt::format("%{}v{}{}{}", form, count, length, letter),
            fmt::format(", ({}{})(({}){})", element, count, element,
                        fmt::join(values, fmt::format(", ({})", element))));
    }
};

constexpr std::size_t kCallsPerKernel = 100;

std::string sourceOf(const std::vector<Call>& calls) {
    std::string source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (i % kCallsPerKernel == 0) source += fmt::format("kernel void part{}() {{\n", i / kCallsPerKernel);
        source += fmt::format("    printf(\"{}|{}|\\n\"{});\n", i, calls[i].format, calls[i].values);
        if (i % kCallsPerKernel == kCallsPerKernel - 1 || i + 1 == calls.size()) source += "}\n";
    }
    return source;
}

std::vector<std::string> linesOf(BuiltProgram& program, std::size_t calls) {
    std::vector<std::string> lines;
    std::vector<CaseArgument> none;
    for (std::size_t i = 0; i < calls; i += kCallsPerKernel) {
        const std::string text = program.run(fmt::format("part{}", i / kCallsPerKernel), {}, none);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            lines.push_back(text.substr(at, end - at));
            at = end + 1;
        }
    }
    return lines;
}

struct Build {
    const char* name;
    const char* options;
    Form form;
};
constexpr Build kBuilds[] = {{"spirv", "", Form::spirv},
                             {"optDisable", " -cl-opt-disable", Form::zebin},
                             {"patchTokens", "", Form::patchTokens}};

class Printf : public testing::TestWithParam<Build> {
  protected:
    static std::unique_ptr<BuiltProgram> build(const std::string& source) {
        return buildForLevelZero(source, std::string("-cl-std=CL1.2") + GetParam().options, GetParam().form);
    }
};

TEST_P(Printf, IsThatOfPocl) {
    const Table table;
    const auto& calls = table.calls();
    const auto found = linesOf(*build(sourceOf(calls)), calls.size());
    const auto expected = linesOf(*buildForPocl(sourceOf(calls), "-cl-std=CL1.2 -cl-opt-disable"), calls.size());
    ASSERT_EQ(expected.size(), calls.size());
    ASSERT_EQ(found.size(), calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i)
        EXPECT_EQ(found[i], expected[i]) << "printf(\"" << calls[i].format << '"' << calls[i].values << ')';
    RecordProperty("calls", static_cast<int>(calls.size()));
}

struct Stated {
    Call call;
    std::string_view text;
};

TEST_P(Printf, IsThatOfTheSpecification) {
    const std::vector<Stated> stated{
        {{"%05.d", ", 42"}, "   42"},
        {{"%05.0x", ", 42"}, "   2a"},
        {{"%+04.d", ", 0"}, "   +"},
        {{"%5s", ", \"\""}, "     "},
        {{"%-3.2s", ", \"\""}, "   "},
        {{"%12.2s", ", \"some text\""}, "          so"},
        {{"%-5.s", ", \"some text\""}, "     "},
        {{"%.17g", ", (double)1 / 3"}, "0.33333333333333331"},
        {{"%e", ", as_double(0x7fe0000000000000L)"}, "8.988466e+307"},
        {{"%a", ", as_double(0x0008000000000000L)"}, "0x0.8p-1022"},
        {{"%v16ld", ", (long16)(1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8)"},
         "1,2,3,4,5,6,7,8,-1,-2,-3,-4,-5,-6,-7,-8"},
        {{"%.1v16lf", ", (double16)(0.5)"}, "0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5"},
        {{"%v8lX", ", (ulong8)(1, 2, 3, 4, 5, 6, 7, 0xff)"}, "1,2,3,4,5,6,7,FF"},
        {{"%-3v8ld", ", (long8)(1, 2, 3, 4, -1, -2, -3, -400)"}, "1  ,2  ,3  ,4  ,-1 ,-2 ,-3 ,-400"},
        {{"%+.2v8lf", ", (double8)(0.5, 1, 2, 3, -0.5, -1, -2, -3)"},
         "+0.50,+1.00,+2.00,+3.00,-0.50,-1.00,-2.00,-3.00"},
        {{"%02v16hli", ", (int16)(1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8)"},
         "01,02,03,04,05,06,07,08,-1,-2,-3,-4,-5,-6,-7,-8"},
        {{"%#v16hlo", ", (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)"},
         "0,01,02,03,04,05,06,07,010,011,012,013,014,015,016,017"},
        {{"%v16hla", ", (float16)(1, 2, 4, 8, 16, 32, 64, 128, -1, -2, -4, -8, -16, -32, -64, -128)"},
         "0x1p+0,0x1p+1,0x1p+2,0x1p+3,0x1p+4,0x1p+5,0x1p+6,0x1p+7,"
         "-0x1p+0,-0x1p+1,-0x1p+2,-0x1p+3,-0x1p+4,-0x1p+5,-0x1p+6,-0x1p+7"},
        {{"%zu %td", ", sizeof(long), (ptrdiff_t)-1"}, "8 -1"},
        {{"%v4hhd,%d", ", (char4)(1, -2, 3, -4), 5"}, "1,-2,3,-4,5"},
        {{"%v2hx,%x", ", (ushort2)(0xffff, 1), 5"}, "ffff,1,5"},
        {{"%.2v3hf", ", (half3)(1.5f, -2, 0)"}, "1.50,-2.00,0.00"},
    };
    std::vector<Call> calls;
    for (const Stated& each : stated) calls.push_back(each.call);
    const auto lines =
        linesOf(*build("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + sourceOf(calls)), calls.size());
    ASSERT_EQ(lines.size(), stated.size());
    for (std::size_t i = 0; i < stated.size(); ++i)
        EXPECT_EQ(lines[i], fmt::format("{}|{}|", i, stated[i].text)) << stated[i].call.format;
}

// The compiler has literals for strings, and all else for pointers.
TEST_P(Printf, TextsLieAnywhere) {
    constexpr std::string_view kSource =
        "constant char variable[] = \"a variable\";\n"
        "kernel void part0(global char* memory) {\n"
        "    printf(\"%s|%s|%.6s|%s\\n\", \"\", variable, memory, memory[0] == 'f' ? \"yes\" : \"no\");\n"
        "    printf(\"\");\n"
        "    printf(\"end\\n\");\n"
        "}\n";
    const std::string_view text = "from memory";
    std::vector<CaseArgument> arguments(1);
    arguments[0].type = &ElementType::named("char");
    arguments[0].bytes.assign(text.begin(), text.end());
    arguments[0].bytes.push_back(0);
    EXPECT_EQ(build(std::string(kSource))->run("part0", {}, arguments), "|a variable|from m|yes\nend\n");
}

TEST_P(Printf, ArgumentsBeyondTheFormatAreLeftOut) {
    std::vector<CaseArgument> none;
    EXPECT_EQ(build("kernel void part0() { printf(\"%d|\", 1, 2, 0.5f, (int3)(7)); printf(\"end\\n\"); }")
                  ->run("part0", {}, none),
              "1|end\n");
}

TEST_P(Printf, EndsWhereTheBufferIsFull) {
    constexpr std::size_t kBufferBytes = (4 << 20) - 4;
    const std::size_t recordBytes = GetParam().form == Form::patchTokens ? 12 : 16;
    std::vector<CaseArgument> none;
    const std::string text =
        build("kernel void part0() { for (int i = 0; i < 400000; ++i) printf(\"%d\\n\", i); }")->run("part0", {}, none);
    EXPECT_TRUE(text.ends_with(fmt::format("\n{}\n[printf: buffer full]\n", kBufferBytes / recordBytes - 1)))
        << text.substr(text.size() - std::min<std::size_t>(text.size(), 100));
}

INSTANTIATE_TEST_SUITE_P(Builds, Printf, testing::ValuesIn(kBuilds),
                         [](const auto& build) { return std::string(build.param.name); });

}  // namespace
}  // namespace zetl::kernels

int main(int count, char** arguments) {
    setenv("ZE_ENABLE_ALT_DRIVERS", ZETL_EMULATED_GPU, 0);
    testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}
