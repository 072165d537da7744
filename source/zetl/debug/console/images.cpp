#include "console/images.h"

#include <algorithm>
#include <cstdint>

#include "console/commands.h"
#include "console/console.h"
#include "console/values.h"
#include "core/failure.h"
#include "core/texels.h"

namespace zetl::debugger {
namespace {

/// What "from 1,2 4x3" asks for.
struct Asked {
    std::string name;
    TexelRegion region;
};

Asked askedBy(const std::string& arguments) {
    constexpr std::uint64_t kMostTexels = 4096;
    auto [name, rest] = firstWord(arguments);
    TexelRegion region;
    while (!rest.empty()) {
        const auto [word, behind] = firstWord(rest);
        rest = behind;
        if (const auto cross = word.find('x'); cross != std::string::npos) {
            region.columns = requiredNumber(word.substr(0, cross));
            region.rows = requiredNumber(word.substr(cross + 1));
            continue;
        }
        std::size_t begin = 0;
        for (std::size_t i = 0; begin <= word.size(); ++i) {
            const auto comma = std::min(word.find(',', begin), word.size());
            if (i == region.at.size()) fail("{}: an image has at most {} coordinates", word, region.at.size());
            region.at[i] = static_cast<std::int64_t>(requiredNumber(word.substr(begin, comma - begin)));
            begin = comma + 1;
        }
    }
    if (name.empty()) fail("name an image, for instance: texels from 1,2 4x3");
    if (region.columns > kMostTexels || region.rows > kMostTexels || region.columns * region.rows > kMostTexels)
        fail("{} x {} texels are too many to print at once; ask for at most {}", region.columns, region.rows,
             kMostTexels);
    return {name, region};
}

}  // namespace

std::optional<std::string> imageText(Console& console, const std::string& name) {
    const auto image = console.session().inspector().imageNamed(name);
    return image ? std::optional(imageTextOf(*image)) : std::nullopt;
}

void printTexels(Console& console, const std::string& arguments) {
    const auto [name, region] = askedBy(arguments);
    const auto image = console.session().inspector().imageNamed(name);
    if (!image) fail("{} is no image argument of the kernel whose frame is selected; info args lists them", name);
    for (const auto& line : texelsOf(*image, region, console.session().control().memory())) console.print("{}\n", line);
}

}  // namespace zetl::debugger
