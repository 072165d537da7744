// The seeds of the debugger's dialogues, whole and damaged, the same in every run: what the fuzzers do, where they
// cannot be built.  debugger_dialogues SEEDS
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "dialogue.h"
#include "support/effort.h"

namespace {

constexpr int kDamagedCopies = zetl::test::effort(200, 25);

std::string contentOf(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// A few places of it get another character, or go, or come twice.
std::string damaged(std::string text, std::mt19937& random) {
    for (auto left = 1 + random() % 8; left > 0 && !text.empty(); --left) {
        const auto at = random() % text.size();
        switch (random() % 3) {
            case 0:
                text[at] = static_cast<char>(random());
                break;
            case 1:
                text.erase(at, 1 + random() % 8);
                break;
            default:
                text.insert(at, text.substr(at, 1 + random() % 64));
                break;
        }
    }
    return text;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    std::mt19937 random(20240917);
    int held = 0;
    for (const auto& dialogue : zetl::test::kDialogues)
        for (const auto& seed :
             std::filesystem::directory_iterator(std::filesystem::path(arguments[1]) / dialogue.name)) {
            const auto text = contentOf(seed.path());
            dialogue.hold(text);
            for (int i = 0; i < kDamagedCopies; ++i) dialogue.hold(damaged(text, random));
            held += 1 + kDamagedCopies;
        }
    std::printf("%d dialogues\n", held);
    return held == 0;
}
