#include "files/output_name.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "text/rank.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

/// As one part of a path.
std::string asPart(std::string text) {
    std::replace(text.begin(), text.end(), '/', '_');
    return text;
}

std::string variable(const std::string& pattern, const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value && *value) return asPart(value);
    throw UsageError(
        fmt::format("{}: the environment variable {} is not set; set it, or use %p (the process), %h (the "
                    "host) or %r (the rank)",
                    pattern, name));
}

std::string rankText(const std::string& pattern) {
    const auto rank = currentRank();
    if (rank.any()) return std::to_string(rank.number);
    throw UsageError(
        fmt::format("{}: %r: no launcher gave this process a rank (Open MPI, PMI, PMIx and Slurm are known); use "
                    "%q{{NAME}} with the variable of yours",
                    pattern));
}

/// Replaces patterns from left to right.
class Expansion {
  public:
    explicit Expansion(const std::string& pattern) : pattern_(pattern) {
        for (std::size_t at = 0; at < pattern.size();) at += addFrom(at);
    }
    const std::string& text() const { return text_; }
    /// It differs between the ranks of a host.
    bool differs() const { return differs_; }

  private:
    /// The number of characters of the pattern that were read.
    std::size_t addFrom(std::size_t at) {
        const auto rest = std::string_view(pattern_).substr(at);
        if (rest.size() < 2 || rest[0] != '%') return add(rest.substr(0, 1), 1);
        switch (rest[1]) {
            case '%':
                return add("%", 2);
            case 'h':
                return add(asPart(hostName()), 2);
            case 'p':
                differs_ = true;
                return add(std::to_string(getpid()), 2);
            case 'r':
                differs_ = true;
                return add(rankText(pattern_), 2);
            case 'q':
                return addVariable(rest);
            default:
                return add("%", 1);
        }
    }

    std::size_t addVariable(std::string_view rest) {
        const auto end = rest.find('}');
        if (rest.size() < 4 || rest[2] != '{' || end == rest.npos) return add("%", 1);
        differs_ = true;
        return add(variable(pattern_, std::string(rest.substr(3, end - 3))), end + 1);
    }

    std::size_t add(std::string_view text, std::size_t read) {
        text_ += text;
        return read;
    }

    const std::string& pattern_;
    std::string text_;
    bool differs_ = false;
};

/// Standard output, none, or something that ranks may share, such as /dev/null.
bool isPlace(const std::string& name) {
    std::error_code failure;
    const auto status = fs::status(name, failure);
    return name.empty() || name == "-" || (fs::exists(status) && !fs::is_regular_file(status));
}

}  // namespace

std::string hostName() {
    char name[HOST_NAME_MAX + 1] = {};
    if (gethostname(name, sizeof name - 1) != 0 || !*name) return "unknown";
    const std::string_view whole = name;
    return std::string(whole.substr(0, whole.find('.')));
}

std::string outputName(const std::string& pattern) {
    if (isPlace(pattern)) return pattern;
    const Expansion name(pattern);
    const auto rank = currentRank();
    if (name.differs() || !rank.hasOthers() || isPlace(name.text())) return name.text();
    const fs::path path(name.text());
    const auto own = fmt::format("{}.rank{}{}", path.stem().native(), rank.number, path.extension().native());
    return (path.parent_path() / own).native();
}

std::string outputDirectory(const std::string& pattern) {
    if (pattern.empty()) return pattern;
    const Expansion name(pattern);
    const auto rank = currentRank();
    if (name.differs() || !rank.hasOthers()) return name.text();
    return (fs::path(name.text()) / fmt::format("rank{}", rank.number)).native();
}

}  // namespace zetl::command
