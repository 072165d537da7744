#include "nvidia/debugger/mi_record.h"

#include <algorithm>

namespace zetl::nvidia::mi {
namespace {

constexpr int kMostLevels = 64;

class Parser {
  public:
    explicit Parser(std::string_view text) : rest_(text) {}

    bool atEnd() const noexcept { return rest_.empty(); }
    bool take(char c) noexcept {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    std::string name() {
        const auto end = std::min(rest_.find_first_of("=,\"{}[]"), rest_.size());
        std::string taken(rest_.substr(0, end));
        rest_.remove_prefix(end);
        return taken;
    }
    bool string(std::string& out) {
        if (!take('"')) return false;
        while (!rest_.empty()) {
            if (take('"')) return true;
            out += take('\\') ? escaped() : plain();
        }
        return false;
    }
    bool value(Value& out, int levels = 0) {
        if (levels == kMostLevels) return false;
        if (take('{')) return take('}') || (items(out, levels) && take('}'));
        if (take('[')) return take(']') || (items(out, levels) && take(']'));
        return string(out.text);
    }
    /// Results or values, with commas between them.
    bool items(Value& out, int levels) {
        do {
            auto& [name, value] = out.items.emplace_back(Item{});
            const bool isValue =
                !rest_.empty() && std::string_view("\"{[").find(rest_.front()) != std::string_view::npos;
            if (!isValue) {
                name = this->name();
                if (!take('=')) return false;
            }
            if (!this->value(value, levels + 1)) return false;
        } while (take(','));
        return true;
    }

  private:
    char plain() noexcept {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }
    char escaped() noexcept {
        if (rest_.empty()) return '\\';
        if (rest_.front() >= '0' && rest_.front() <= '7') return octal();
        const char c = plain();
        constexpr std::string_view kLetters = "nrtabfve";
        constexpr std::string_view kMeanings = "\n\r\t\a\b\f\v\033";
        const auto place = kLetters.find(c);
        return place == std::string_view::npos ? c : kMeanings[place];
    }
    char octal() noexcept {
        unsigned code = 0;
        for (int i = 0; i < 3 && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '7'; ++i)
            code = code * 8 + static_cast<unsigned>(plain() - '0');
        return static_cast<char>(code);
    }

    std::string_view rest_;
};

std::string_view withoutStrayBytes(std::string_view line) {
    const auto isText = [](unsigned char c) { return c > ' ' && c < 0x7f; };
    line.remove_prefix(static_cast<std::size_t>(std::ranges::find_if(line, isText) - line.begin()));
    while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
    return line;
}

}  // namespace

const Value* Value::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(items, name, &Item::name);
    return found == items.end() ? nullptr : &found->value;
}

std::string_view Value::textOf(std::string_view name) const noexcept {
    const auto* const value = find(name);
    return value ? std::string_view(value->text) : std::string_view();
}

std::optional<Record> parse(std::string_view line) {
    line = withoutStrayBytes(line);
    if (line.empty()) return std::nullopt;
    Record record{line.front(), {}, {}};
    Parser parser(line.substr(1));
    const bool isStream = std::string_view("~@&").find(record.kind) != std::string_view::npos;
    if (isStream) return parser.string(record.value.text) ? std::optional(std::move(record)) : std::nullopt;
    if (std::string_view("^*=+").find(record.kind) == std::string_view::npos) return std::nullopt;
    record.name = parser.name();
    if (parser.take(',') && !parser.items(record.value, 0)) return std::nullopt;
    return parser.atEnd() ? std::optional(std::move(record)) : std::nullopt;
}

}  // namespace zetl::nvidia::mi
