// Runs every case of the corpus in every build variant on the emulated GPU, against its explicit expectations and
// against PoCL. One test a case and variant.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "device_under_test.h"
#include "variant.h"

namespace zetl::kernels {
namespace {

constexpr int kMaxReported = 8;

/// Compares one buffer with what it should hold; reports the first differences.
void compare(const CaseArgument& argument, const Bytes& expected, const Bytes& found, const Tolerance& tolerance,
             const std::string& where) {
    ASSERT_LE(expected.size(), found.size()) << where;
    const std::size_t count = expected.size() / argument.type->bytes;
    std::size_t wrong = 0;
    std::string report;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t want = elementAt(expected, *argument.type, i);
        const std::uint64_t got = elementAt(found, *argument.type, i);
        if (equals(*argument.type, want, got, tolerance)) continue;
        if (++wrong <= kMaxReported)
            report +=
                fmt::format("\n  [{}] expected {}, found {}", i, argument.type->text(want), argument.type->text(got));
    }
    EXPECT_EQ(wrong, 0u) << where << ": " << wrong << " of " << count << " elements differ" << report;
}

/// A result that a compiler is known to get wrong in this build, and just so. Otherwise it must be right.
bool isKnownMistake(const CaseLaunch& launch, const Variant& variant, const CaseArgument& argument,
                    const Bytes& found) {
    const auto reason = launch.mistaken.find(variant.name);
    if (!argument.mistaken || reason == launch.mistaken.end()) return false;
    if (!std::ranges::equal(*argument.mistaken, std::span(found).first(argument.mistaken->size()))) return false;
    fmt::print("{}: wrong by the compiler: {}\n", launch.kernel, reason->second);
    return true;
}

class CorpusTest : public testing::Test {
  public:
    CorpusTest(std::filesystem::path file, const Variant& variant) : file_(std::move(file)), variant_(variant) {}

    void TestBody() override {
        const KernelCase test = readCase(file_);
        std::unique_ptr<BuiltProgram> program;
        std::unique_ptr<BuiltProgram> reference;
        ASSERT_NO_THROW(program = buildForLevelZero(test.source, test.options + " " + variant_.options, variant_.form));
        for (const CaseLaunch& launch : test.launches) {
            if (launch.excluded.contains(variant_.name)) continue;
            // Unoptimised: optimising takes PoCL longer than all that is compared.
            if (!launch.referenceKernel.empty() && !reference)
                reference = buildForPocl(test.source, fmt::format("{} -DREFERENCE=1 -DFRONT_END={} -cl-opt-disable",
                                                                  test.referenceOptions, frontEndVersion()));
            runLaunch(launch, *program, reference.get());
        }
    }

  private:
    std::filesystem::path file_;
    const Variant& variant_;

    void runLaunch(const CaseLaunch& launch, BuiltProgram& program, BuiltProgram* reference) const {
        SCOPED_TRACE("kernel " + launch.kernel);
        std::vector<CaseArgument> found = launch.arguments;
        std::vector<CaseArgument> expected = launch.arguments;
        std::string output;
        ASSERT_NO_THROW(output = program.run(launch.kernel, launch, found));
        if (!launch.expectedOutput.empty()) {
            EXPECT_EQ(output, launch.expectedOutput);
        }
        if (!launch.referenceKernel.empty()) reference->run(launch.referenceKernel, launch, expected);
        for (std::size_t i = 0; i < found.size(); ++i) {
            const CaseArgument& argument = launch.arguments[i];
            if (argument.kind != CaseArgument::Kind::buffer) continue;
            if (isKnownMistake(launch, variant_, argument, found[i].bytes)) continue;
            if (argument.expected)
                compare(argument, *argument.expected, found[i].bytes, argument.tolerance,
                        fmt::format("argument {}, as stated", i));
            if (argument.compared && !launch.referenceKernel.empty())
                compare(argument, expected[i].bytes, found[i].bytes, argument.tolerance,
                        fmt::format("argument {}, against PoCL", i));
        }
    }
};

}  // namespace
}  // namespace zetl::kernels

int main(int count, char** arguments) {
    // The stock loader finds the emulated GPU by name; nothing of the machine's own is asked for.
    setenv("ZE_ENABLE_ALT_DRIVERS", ZETL_EMULATED_GPU, 0);
    testing::InitGoogleTest(&count, arguments);
    using namespace zetl::kernels;
    constexpr int kSkipped = 77;
    if (std::getenv("ZETL_EMULATED_DEVICE") != nullptr && compilerIsOlder()) return kSkipped;
    registerCases("Corpus", ZETL_CORPUS,
                  [](const std::filesystem::path& file, const Variant& variant) -> testing::Test* {
                      return new CorpusTest(file, variant);
                  });
    return RUN_ALL_TESTS();
}
