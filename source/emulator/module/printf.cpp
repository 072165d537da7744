#include "emulator/module/printf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "binary/byte_view.h"

namespace zetl::emulator::module {
namespace {

enum class Element : std::uint8_t { none, i8, i16, i32, f32, text, i64, pointer, f64 };
enum RecordType : std::uint32_t { kFirstScalar = 1, kLastScalar = 8, kFirstVector = 9, kLastVector = 14 };
constexpr Element kVectorElements[] = {Element::i8,  Element::i16, Element::i32,
                                       Element::i64, Element::f32, Element::f64};
constexpr std::uint32_t kMaxVector = 16;
constexpr int kMaxWidth = 4096;

constexpr std::uint32_t bytesOf(Element element) noexcept {
    switch (element) {
        case Element::i8:
            return 1;
        case Element::i16:
            return 2;
        case Element::i32:
        case Element::f32:
            return 4;
        case Element::none:
            return 0;
        default:
            return 8;
    }
}

/// One conversion specification of a format: %[flags][width][.precision][vn][length]conversion.
struct Conversion {
    std::string flags;  ///< flags, width and precision, as C wants them
    char letter = 0;
    std::size_t length = 0;  ///< characters in the format
};

bool isSane(const std::string& digits) {
    return digits.size() < 4 || (digits.size() == 4 && std::stoi(digits) <= kMaxWidth);
}

/// Nothing if the format ends within the conversion.
std::optional<Conversion> parseConversion(std::string_view format) {
    Conversion conversion{.flags = "%", .letter = 0, .length = 1};
    const auto take = [&](std::string_view allowed) {
        std::string taken;
        while (conversion.length < format.size() && allowed.find(format[conversion.length]) != std::string_view::npos)
            taken += format[conversion.length++];
        return taken;
    };
    conversion.flags += take("-+ #0");
    std::string width = take("0123456789");
    std::string precision;
    if (conversion.length < format.size() && format[conversion.length] == '.') {
        ++conversion.length;
        precision += '.';
        precision += take("0123456789");
    }
    // A width no reader wants would let the format of a hostile module fill memory; it is left out.
    if (isSane(width)) conversion.flags += width;
    if (!precision.empty() && isSane(precision.substr(1))) conversion.flags += precision;
    if (conversion.length < format.size() && format[conversion.length] == 'v') {
        ++conversion.length;
        take("0123456789");
    }
    take("hl");
    if (conversion.length >= format.size()) return std::nullopt;
    conversion.letter = format[conversion.length++];
    return conversion;
}

template <class T>
std::string formatted(const std::string& specification, T value) {
    std::array<char, 2 * kMaxWidth> text{};
    const int length = std::snprintf(text.data(), text.size(), specification.c_str(), value);
    return {text.data(), static_cast<std::size_t>(std::clamp<int>(length, 0, text.size() - 1))};
}

/// Decodes one buffer.
class RecordPrinter {
  public:
    RecordPrinter(binary::ByteView records, const StringReader& readString)
        : records_(records), readString_(readString) {}

    std::string run() {
        while (records_.holds(at_, sizeof(std::uint64_t))) {
            const std::uint64_t address = *records_.read<std::uint64_t>(at_);
            at_ += sizeof address;
            const auto format = address == UINT64_MAX ? std::nullopt : readString_(address);
            if (!format) {
                // The rest cannot be found: a record's length follows from its format.
                out_ += address == UINT64_MAX ? "[printf: buffer full]\n"
                                              : fmt::format("[printf: no format at {:#x}]\n", address);
                break;
            }
            if (!print(*format)) {
                out_ += "[printf: damaged record]\n";
                break;
            }
        }
        return std::move(out_);
    }

  private:
    binary::ByteView records_;
    const StringReader& readString_;
    std::uint64_t at_ = 0;
    std::string out_;

    bool print(std::string_view format) {
        while (!format.empty()) {
            const std::size_t percent = std::min(format.find('%'), format.size());
            out_ += format.substr(0, percent);
            format.remove_prefix(percent);
            if (format.empty()) break;
            if (format.starts_with("%%")) {
                out_ += '%';
                format.remove_prefix(2);
                continue;
            }
            const auto conversion = parseConversion(format);
            if (!conversion) {
                out_ += format;
                return true;
            }
            if (!printValue(*conversion)) return false;
            format.remove_prefix(conversion->length);
        }
        return true;
    }

    bool printValue(const Conversion& conversion) {
        const auto type = records_.read<std::uint32_t>(at_);
        if (!type) return false;
        at_ += sizeof *type;
        if (*type >= kFirstScalar && *type <= kLastScalar) return printElement(static_cast<Element>(*type), conversion);
        if (*type < kFirstVector || *type > kLastVector) return false;
        const auto count = records_.read<std::uint32_t>(at_);
        if (!count || *count > kMaxVector) return false;
        at_ += sizeof *count;
        for (std::uint32_t i = 0; i < *count; ++i) {
            if (i != 0) out_ += ',';
            if (!printElement(kVectorElements[*type - kFirstVector], conversion)) return false;
        }
        return true;
    }

    bool printElement(Element element, const Conversion& conversion) {
        const std::uint32_t size = bytesOf(element);
        if (!records_.holds(at_, size)) return false;
        out_ += text(element, conversion, at_);
        at_ += size;
        return true;
    }

    std::string text(Element element, const Conversion& conversion, std::uint64_t at) const {
        switch (element) {
            case Element::i8:
                return integer(conversion, *records_.read<std::int8_t>(at), *records_.read<std::uint8_t>(at));
            case Element::i16:
                return integer(conversion, *records_.read<std::int16_t>(at), *records_.read<std::uint16_t>(at));
            case Element::i32:
                return integer(conversion, *records_.read<std::int32_t>(at), *records_.read<std::uint32_t>(at));
            case Element::i64:
                return integer(conversion, *records_.read<std::int64_t>(at), *records_.read<std::uint64_t>(at));
            case Element::f32:
                return real(conversion, *records_.read<float>(at));
            case Element::f64:
                return real(conversion, *records_.read<double>(at));
            case Element::text:
                return string(conversion, *records_.read<std::uint64_t>(at));
            case Element::pointer:
                return fmt::format("{:#x}", *records_.read<std::uint64_t>(at));
            case Element::none:
                break;
        }
        return {};
    }

    static std::string integer(const Conversion& conversion, std::int64_t value, std::uint64_t bits) {
        switch (conversion.letter) {
            case 'd':
            case 'i':
                return formatted(conversion.flags + "lld", static_cast<long long>(value));
            case 'u':
            case 'o':
            case 'x':
            case 'X':
                return formatted(conversion.flags + "ll" + conversion.letter, static_cast<unsigned long long>(bits));
            case 'c':
                return formatted(conversion.flags + 'c', static_cast<int>(value));
            case 'p':
                return fmt::format("{:#x}", bits);
            default:
                return fmt::format("{}", value);
        }
    }

    static std::string real(const Conversion& conversion, double value) {
        if (std::string_view("fFeEgGaA").find(conversion.letter) == std::string_view::npos)
            return fmt::format("{}", value);
        return formatted(conversion.flags + conversion.letter, value);
    }

    std::string string(const Conversion& conversion, std::uint64_t address) const {
        const auto value = address == 0 ? std::optional<std::string>("(null)") : readString_(address);
        if (!value) return fmt::format("[no text at {:#x}]", address);
        return conversion.letter == 's' && value->size() < kMaxWidth ? formatted(conversion.flags + 's', value->c_str())
                                                                     : *value;
    }
};

}  // namespace

std::string printfText(std::span<const std::uint8_t> buffer, const StringReader& readString) {
    const binary::ByteView view(buffer);
    const auto used = view.read<std::uint32_t>(0);
    if (!used || *used <= kPrintfHeaderBytes) return {};
    const std::uint64_t end = std::min<std::uint64_t>(*used, view.size());
    return RecordPrinter(*view.part(kPrintfHeaderBytes, end - kPrintfHeaderBytes), readString).run();
}

}  // namespace zetl::emulator::module
