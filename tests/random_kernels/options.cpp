#include "options.h"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>
#include <string_view>

namespace zetl::random_kernels {

const char* const kUsage =
    R"(Random kernels on PoCL and on the emulated GPU, in every build and by every way of executing: each work-item's
results, the counters and the scratch memory must be the same bit for bit. Exit code 1 if a kernel differs or faults.

  random_kernels [--first NUMBER] [--count N] [--seconds N]   compares; a kernel is its number
                 [--every-build | --build BUILD]              instead of one build by the kernel's number
                 [--device PROFILE]                           the emulated device, for which Intel's compiler builds
                                                              (small; another takes the newest compiler)
                 [--options TEXT]                             further options of Intel's compiler
                 [--hide FUNCTION,...]                        for Intel's compiler these built-in functions are called
                                                              by functions that are not inlined; "convert": conversions,
                                                              "all": all that the program has
                 [--hide-each]                                says of each kernel that differs which of its functions,
                                                              hidden alone, makes it agree
                 [--references DIRECTORY]                     what PoCL has computed is there, or is put there
                 [--keep DIRECTORY]                           sources of the kernels that differ
  random_kernels --first NUMBER --show                        prints one kernel's source
  random_kernels --first NUMBER --reduce BUILD EXECUTION [--keep DIRECTORY]
                                                              leaves out what makes no difference

BUILD: default, simd16, simd32, unoptimised, registers256, simd16-registers256, simd32-registers256
EXECUTION: translated, avx512, avx2, sse4
)";

namespace {

std::vector<std::string> separated(const std::string& text) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
    return parts;
}

}  // namespace

Options parse(int count, char** words) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        const auto value = [&] {
            if (++i >= count) throw std::runtime_error(fmt::format("{} wants a value", word));
            return std::string(words[i]);
        };
        if (word == "--first") {
            options.first = std::stoull(value());
        } else if (word == "--count") {
            options.count = std::stoull(value());
        } else if (word == "--seconds") {
            options.time = std::chrono::seconds(std::stoull(value()));
        } else if (word == "--device") {
            options.device = value();
        } else if (word == "--keep") {
            options.keep = value();
        } else if (word == "--references") {
            options.references = value();
        } else if (word == "--options") {
            options.options = value();
        } else if (word == "--hide") {
            options.hidden = separated(value());
        } else if (word == "--hide-each") {
            options.hideEach = true;
        } else if (word == "--build") {
            options.build = value();
        } else if (word == "--every-build") {
            options.everyBuild = true;
        } else if (word == "--show") {
            options.show = true;
        } else if (word == "--help") {
            options.help = true;
        } else if (word == "--reduce") {
            options.reducedBuild = value();
            options.reducedExecution = value();
        } else {
            throw std::runtime_error(fmt::format("unknown: {}", word));
        }
    }
    return options;
}

}  // namespace zetl::random_kernels
