#include "emulator/module/printf.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "binary/byte_view.h"
#include "emulator/module/printf_format.h"

namespace zetl::emulator::module {
namespace {

enum class Element : std::uint8_t { none, i8, i16, i32, f32, text, i64, pointer, f64 };
enum RecordType : std::uint32_t { kFirstScalar = 1, kLastScalar = 8, kFirstVector = 9, kLastVector = 14 };
constexpr Element kVectorElements[] = {Element::i8,  Element::i16, Element::i32,
                                       Element::i64, Element::f32, Element::f64};
constexpr std::uint32_t kMaxVector = 16;
constexpr std::uint32_t kDidNotFit = UINT32_MAX;
constexpr std::uint64_t kFormatFollows = std::uint64_t{1} << 63;
constexpr std::uint64_t kWordBytes = sizeof(std::uint32_t);
constexpr std::size_t kLongestRecord = (16 << 10) - 1;
constexpr std::size_t kLongestText = 256 << 20;
constexpr std::size_t kKnownFormats = 256;

constexpr std::uint64_t bytesOf(Element element) noexcept {
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
constexpr std::uint64_t wholeWords(std::uint64_t bytes) noexcept {
    return (bytes + kWordBytes - 1) & ~(kWordBytes - 1);
}

/// Decodes one buffer.
class RecordPrinter {
  public:
    RecordPrinter(binary::ByteView records, const StringReader& readString, const binary::NumberedStrings* numbered,
                  std::vector<std::string>* mistakes)
        : records_(records), readString_(readString), numbered_(numbered), mistakes_(mistakes) {}

    /// `overflowed`: more was asked for than the buffer has.
    std::string run(bool overflowed) {
        while (records_.holds(at_, numbered_ ? kWordBytes : sizeof(std::uint64_t))) {
            if (*records_.read<std::uint32_t>(at_) == kDidNotFit) {
                overflowed = true;
                break;
            }
            // The rest cannot be found: a record's length follows from its format.
            const auto format = takeFormat();
            if (!format) return std::move(out_.append(fmt::format("[printf: no format at {:#x}]\n", formatAt_)));
            if (!print(*format)) return std::move(out_.append("[printf: damaged record]\n"));
            if (out_.size() > kLongestText)
                return std::move(
                    out_.append(fmt::format("[printf: the text behind {} MiB is left out]\n", kLongestText >> 20)));
        }
        if (overflowed) out_ += "[printf: buffer full]\n";
        return std::move(out_);
    }

  private:
    binary::ByteView records_;
    const StringReader& readString_;
    const binary::NumberedStrings* numbered_;
    std::vector<std::string>* mistakes_;
    std::uint64_t at_ = 0;
    std::uint64_t formatAt_ = 0;                              ///< address or number of the current record's
    std::unordered_map<std::uint64_t, std::string> formats_;  ///< by address: records are many, formats are few
    std::string out_;
    std::string line_;  ///< of the current record
    std::string_view format_;

    std::optional<std::string_view> takeFormat() {
        if (numbered_) {
            formatAt_ = *records_.read<std::uint32_t>(at_);
            if (const auto known = numbered_->find(static_cast<std::uint32_t>(formatAt_)); known != numbered_->end()) {
                at_ += kWordBytes;
                return known->second;
            }
            // A literal of no characters has no number.
            if (!records_.holds(at_, sizeof formatAt_)) return std::nullopt;
        }
        const auto slot = *records_.read<std::uint64_t>(at_);
        if (const auto inside = formatInside(slot)) {
            at_ += sizeof slot + wholeWords(slot & UINT32_MAX);
            return inside;
        }
        if (!numbered_) formatAt_ = slot;
        const auto format = formatAt(slot);
        if (format) at_ += sizeof slot;
        return format;
    }
    std::optional<std::string_view> formatInside(std::uint64_t slot) const {
        if ((slot & kFormatFollows) == 0) return std::nullopt;
        const auto part = records_.part(at_ + sizeof slot, slot & ~kFormatFollows);
        return part ? part->text(0) : std::nullopt;
    }
    std::optional<std::string_view> formatAt(std::uint64_t address) {
        if (const auto known = formats_.find(address); known != formats_.end()) return known->second;
        auto format = readString_(address, kLongestRecord);
        if (!format) return std::nullopt;
        if (formats_.size() == kKnownFormats) formats_.clear();
        return formats_.emplace(address, *std::move(format)).first->second;
    }

    bool print(std::string_view format) {
        line_.clear();
        format_ = format;
        const bool whole = printLine(format) && skipExcess();
        out_.append(line_, 0, kLongestRecord);
        return whole;
    }
    bool printLine(std::string_view format) {
        while (!format.empty()) {
            const std::size_t percent = std::min(format.find('%'), format.size());
            write(format.substr(0, percent));
            format.remove_prefix(percent);
            if (format.empty()) break;
            if (format.starts_with("%%")) {
                write("%");
                format.remove_prefix(2);
                continue;
            }
            const auto conversion = parseConversion(format);
            if (!conversion) {
                write(format);
                return true;
            }
            if (!printValue(*conversion)) return false;
            format.remove_prefix(conversion->characters);
        }
        return true;
    }
    void write(std::string_view text) {
        if (line_.size() < kLongestRecord) line_ += text;
    }

    /// Compilers before 2024 record arguments that the format does not ask for. No string lies at an address that looks
    /// like a type; a number that looks like one is taken for a string's, if there is such a string.
    bool skipExcess() {
        const Conversion unseen{.flags = "%", .precision = 0, .integerBytes = 4, .letter = 's', .characters = 0};
        const std::size_t shown = line_.size();
        while (holdsValue()) {
            const bool whole = printValue(unseen);
            line_.resize(shown);
            if (!whole) return false;
        }
        return true;
    }
    bool holdsValue() {
        const auto type = records_.read<std::uint32_t>(at_);
        if (!type || *type < kFirstScalar || *type > kLastVector) return false;
        if (numbered_) return !numbered_->contains(*type);
        const auto slot = records_.read<std::uint64_t>(at_);
        return slot && !formatInside(*slot) && !formatAt(*slot);
    }

    /// The conversion does not suit the value, or there is none.
    void mistake(const Conversion& conversion, std::string_view what) {
        constexpr std::size_t kMost = 16;
        const bool unseen = conversion.characters == 0;
        if (mistakes_ == nullptr || unseen || mistakes_->size() >= kMost) return;
        mistakes_->push_back(fmt::format("%{} of the format \"{}\" is given {}", conversion.letter,
                                         format_.substr(0, format_.find('\n')), what));
    }
    void lookAt(const Conversion& conversion, Element element) {
        const bool wantsReal = std::string_view("fFeEgGaA").find(conversion.letter) != std::string_view::npos;
        const bool wantsNumber = std::string_view("diouxXc").find(conversion.letter) != std::string_view::npos;
        const bool real = element == Element::f32 || element == Element::f64;
        const bool text = element == Element::text;
        const bool pointer = element == Element::pointer;
        if (conversion.letter == 's' && !text && !pointer) mistake(conversion, real ? "a real number" : "an integer");
        if (wantsReal && !real) mistake(conversion, text || pointer ? "a pointer" : "an integer");
        if (wantsNumber && (real || text)) mistake(conversion, real ? "a real number" : "a string");
    }

    bool printValue(const Conversion& conversion) {
        const auto type = records_.read<std::uint32_t>(at_);
        if (!type || *type < kFirstScalar || *type > kLastVector) {
            mistake(conversion, "no value");
            return false;
        }
        at_ += sizeof *type;
        if (*type <= kLastScalar) {
            lookAt(conversion, static_cast<Element>(*type));
            return printElements(static_cast<Element>(*type), 1, conversion);
        }
        lookAt(conversion, kVectorElements[*type - kFirstVector]);
        const auto count = records_.read<std::uint32_t>(at_);
        if (!count || *count > kMaxVector) return false;
        at_ += sizeof *count;
        return printElements(kVectorElements[*type - kFirstVector], *count, conversion);
    }

    /// Elements lie one behind the other; what has less than a word has got a word's room all the same.
    bool printElements(Element element, std::uint32_t count, const Conversion& conversion) {
        const bool number = element == Element::text && numbered_;
        const std::uint64_t size = number ? kWordBytes : bytesOf(element);
        const std::uint64_t room = count * std::max(size, kWordBytes);
        if (!records_.holds(at_, room)) return false;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (i != 0) write(",");
            write(text(element, conversion, at_ + i * size));
        }
        at_ += room;
        return true;
    }

    std::string text(Element element, const Conversion& conversion, std::uint64_t at) const {
        switch (element) {
            case Element::i8:
                return integerText(conversion, *records_.read<std::int8_t>(at));
            case Element::i16:
                return integerText(conversion, *records_.read<std::int16_t>(at));
            case Element::i32:
                return integerText(conversion, *records_.read<std::int32_t>(at));
            case Element::i64:
                return integerText(conversion, *records_.read<std::int64_t>(at));
            case Element::f32:
                return realText(conversion, *records_.read<float>(at));
            case Element::f64:
                return realText(conversion, *records_.read<double>(at));
            case Element::text:
                if (numbered_) return numberedText(conversion, *records_.read<std::uint32_t>(at));
                [[fallthrough]];
            case Element::pointer:
                return conversion.letter == 's' ? textAt(conversion, *records_.read<std::uint64_t>(at))
                                                : pointerText(conversion, *records_.read<std::uint64_t>(at));
            case Element::none:
                break;
        }
        return {};
    }
    std::string numberedText(const Conversion& conversion, std::uint32_t number) const {
        const auto known = numbered_->find(number);
        if (known == numbered_->end()) return fmt::format("[no text {}]", number);
        return stringText(conversion, known->second);
    }
    std::string textAt(const Conversion& conversion, std::uint64_t address) const {
        const std::size_t longest = conversion.precision.value_or(kLongestRecord);
        if (longest == 0) return stringText(conversion, {});
        if (address == 0) return stringText(conversion, "(null)");
        const auto value = readString_(address, longest);
        return value ? stringText(conversion, *value) : fmt::format("[no text at {:#x}]", address);
    }
};

}  // namespace

std::string printfText(std::span<const std::uint8_t> buffer, const StringReader& readString,
                       const binary::NumberedStrings* numbered, std::vector<std::string>* mistakes) {
    const binary::ByteView view(buffer);
    const auto used = view.read<std::uint32_t>(0);
    if (!used || *used <= kPrintfHeaderBytes) return {};
    const std::uint64_t end = std::min<std::uint64_t>(*used, view.size());
    return RecordPrinter(*view.part(kPrintfHeaderBytes, end - kPrintfHeaderBytes), readString, numbered, mistakes)
        .run(*used > view.size());
}

}  // namespace zetl::emulator::module
