#include "binary/spirv_pointers.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "binary/spirv_words.h"

namespace zetl::binary {
namespace spirv::pointers {
namespace {

constexpr Word kInt64 = 11;
constexpr Word kPacked = 10;
constexpr Word kIntegerBits = 64;

bool isComparison(std::uint16_t opcode) { return opcode == kPtrEqual || opcode == kPtrNotEqual; }
bool isOfPointers(std::uint16_t opcode, Words each) {
    return (isComparison(opcode) || opcode == kPtrDiff) && each.size() == 5;
}

/// How much memory what has a type takes, as OpenCL C lays it out.
class Sizes {
  public:
    void read(std::uint16_t opcode, Words each) {
        if (each.size() < 3) return;
        if (opcode == kDecorate && each[2] == kPacked) packed_.insert(each[1]);
        if (opcode == kTypeInt || opcode == kTypeFloat) add(each[1], each[2] / 8);
        if (opcode == kTypePointer) add(each[1], sizeof(std::uint64_t));
        if (opcode == kTypeStruct) addStruct(each[1], each.subspan(2));
        if (each.size() < 4) return;
        if (opcode == kConstant) constants_[each[2]] = each[3];
        if (opcode == kTypeVector) addVector(each[1], each[2], each[3]);
        if (opcode == kTypeArray) addArray(each[1], each[2], each[3]);
    }
    /// Nothing if it is not known, or none.
    std::optional<std::uint64_t> of(Word type) const {
        const auto found = layouts_.find(type);
        return found == layouts_.end() || found->second.bytes == 0 ? std::nullopt : std::optional(found->second.bytes);
    }

  private:
    struct Layout {
        std::uint64_t bytes;
        std::uint64_t alignment;
    };
    static constexpr std::uint64_t kLargest = std::uint64_t{1} << 40;

    std::map<Word, Layout> layouts_;
    std::map<Word, Word> constants_;
    std::set<Word> packed_;

    void add(Word type, std::uint64_t bytes) { layouts_[type] = {bytes, std::max<std::uint64_t>(bytes, 1)}; }
    void addVector(Word type, Word element, Word count) {
        if (const auto bytes = of(element)) add(type, *bytes * (count == 3 ? 4 : count));
    }
    void addArray(Word type, Word element, Word length) {
        const auto count = constants_.find(length);
        const auto layout = layouts_.find(element);
        if (count == constants_.end() || layout == layouts_.end() || layout->second.bytes > kLargest) return;
        layouts_[type] = {layout->second.bytes * count->second, layout->second.alignment};
    }
    void addStruct(Word type, Words members) {
        Layout whole{0, 1};
        const auto place = [&](std::uint64_t alignment) {
            if (!packed_.contains(type)) whole.bytes = (whole.bytes + alignment - 1) / alignment * alignment;
        };
        for (const Word member : members) {
            const auto layout = layouts_.find(member);
            if (layout == layouts_.end() || layout->second.bytes > kLargest) return;
            place(layout->second.alignment);
            whole.bytes += layout->second.bytes;
            whole.alignment = std::max(whole.alignment, layout->second.alignment);
        }
        place(whole.alignment);
        layouts_[type] = whole;
    }
};

/// What the module has: the types of its pointers, and 64-bit integers.
class Reader {
  public:
    explicit Reader(Words words) {
        forEachInstruction(words, [this](std::uint16_t opcode, Words each) { read(opcode, each); });
    }
    /// Whether anything is to be written anew.
    bool any() const { return any_; }
    bool hasIntegers() const { return hasIntegers_; }
    std::optional<Word> integer() const { return integer_; }
    /// Bytes from one of what a pointer points to, to the next.
    std::optional<std::uint64_t> stepOf(Word pointer) const {
        const auto type = typeOf_.find(pointer);
        return type == typeOf_.end() ? std::nullopt : sizes_.of(pointees_.at(type->second));
    }

  private:
    Sizes sizes_;
    std::map<Word, Word> pointees_;  ///< by pointer type
    std::map<Word, Word> typeOf_;    ///< of pointers
    std::optional<Word> integer_;    ///< type of 64 bits
    bool hasIntegers_ = false;       ///< the capability for it
    bool any_ = false;

    void read(std::uint16_t opcode, Words each) {
        sizes_.read(opcode, each);
        any_ = any_ || isOfPointers(opcode, each);
        if (opcode == kCapability && each.size() == 2 && each[1] == kInt64) hasIntegers_ = true;
        if (opcode == kTypeInt && each.size() > 2 && each[2] == kIntegerBits && !integer_) integer_ = each[1];
        if (opcode == kTypePointer && each.size() > 3)
            pointees_[each[1]] = each[3];
        else if (each.size() > 2 && !saysSomethingOf(opcode) && pointees_.contains(each[1]))
            typeOf_[each[2]] = each[1];  // the type of a result is the only one that comes first
    }
    /// Names and decorations, also of types, whose first word is what they are of; and forward declarations.
    static bool saysSomethingOf(std::uint16_t opcode) {
        constexpr std::uint16_t kOpcodes[] = {kName, 6, 39, kDecorate, 72, 332, 5632, 5633};
        return std::ranges::count(kOpcodes, opcode) != 0;
    }
};

class Writer {
  public:
    Writer(Words words, const Reader& reader) : reader_(reader), out_(words) {
        integer_ = reader.integer() ? *reader.integer() : out_.newId();
        if (!reader.hasIntegers()) out_.add(kCapability, {kInt64});
        forEachInstruction(words, [this](std::uint16_t opcode, Words each) { noteStep(opcode, each); });
        forEachInstruction(words, [this](std::uint16_t opcode, Words each) { write(opcode, each); });
    }
    Bytes bytes() const { return out_.bytes(); }

  private:
    const Reader& reader_;
    Rewriting out_;
    Word integer_;
    std::map<std::uint64_t, Word> constants_;  ///< by value: what differences are divided by
    bool declared_ = false;

    void noteStep(std::uint16_t opcode, Words each) {
        if (opcode != kPtrDiff || !isOfPointers(opcode, each)) return;
        const auto step = reader_.stepOf(each[3]);
        if (step && !constants_.contains(*step)) constants_[*step] = out_.newId();
    }
    void declare() {
        if (!reader_.integer()) out_.add(kTypeInt, {integer_, kIntegerBits, 0});
        for (const auto& [value, id] : constants_)
            out_.add(kConstant, {integer_, id, static_cast<Word>(value), static_cast<Word>(value >> 32)});
    }
    void write(std::uint16_t opcode, Words each) {
        if (opcode == kFunction && !std::exchange(declared_, true)) declare();
        if (!isOfPointers(opcode, each)) return out_.keep(each);
        if (isComparison(opcode)) {
            const Word left = converted(each[3]);
            return out_.add(opcode == kPtrEqual ? kIEqual : kINotEqual, {each[1], each[2], left, converted(each[4])});
        }
        const auto step = reader_.stepOf(each[3]);
        step ? writeDifference(each, constants_.at(*step)) : out_.keep(each);
    }
    void writeDifference(Words each, Word step) {
        const bool fits = each[1] == integer_;
        const Word left = converted(each[3]);
        const Word right = converted(each[4]);
        const Word bytes = out_.newId();
        out_.add(kISub, {integer_, bytes, left, right});
        const Word quotient = fits ? each[2] : out_.newId();
        out_.add(kSDiv, {integer_, quotient, bytes, step});
        if (!fits) out_.add(kSConvert, {each[1], each[2], quotient});
    }
    Word converted(Word pointer) {
        const Word id = out_.newId();
        out_.add(kConvertPtrToU, {integer_, id, pointer});
        return id;
    }
};

Bytes rewritten(Bytes module) {
    const std::vector<Word> words = wordsOf(module);
    const Reader reader(words);
    return reader.any() ? Writer(words, reader).bytes() : std::move(module);
}

}  // namespace
}  // namespace spirv::pointers

Bytes withPointersAsIntegers(Bytes module) { return spirv::pointers::rewritten(std::move(module)); }

}  // namespace zetl::binary
