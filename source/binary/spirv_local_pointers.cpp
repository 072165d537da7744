#include "binary/spirv_local_pointers.h"

#include <algorithm>
#include <string_view>

#include "binary/spirv.h"
#include "binary/spirv_words.h"

namespace zetl::binary {
namespace spirv::local_pointers {
namespace {

constexpr Word kWorkgroup = 4;

using Arguments = std::map<std::string, std::set<std::uint32_t>>;

/// Reads a module once; a function's parameters follow it.
class Reader {
  public:
    void read(std::uint16_t opcode, Words each) {
        if (opcode == kEntryPoint && each.size() > 3) names_[each[2]] = textOf(each.subspan(3));
        if (opcode == kTypePointer && each.size() > 3 && each[2] == kWorkgroup) localPointers_.insert(each[1]);
        if (opcode == kFunction && each.size() > 2) {
            function_ = each[2];
            parameters_ = 0;
        }
        if (opcode == kParameter && each.size() > 2) readParameter(each[1]);
    }
    const Arguments& found() const { return found_; }

  private:
    std::map<Word, std::string> names_;  ///< of kernels
    std::set<Word> localPointers_;       ///< types
    Word function_ = 0;
    std::uint32_t parameters_ = 0;  ///< of this function so far
    Arguments found_;

    static std::string textOf(Words words) {
        const std::string_view text(reinterpret_cast<const char*>(words.data()), words.size_bytes());
        return std::string(text.substr(0, text.find('\0')));
    }
    void readParameter(Word type) {
        const std::uint32_t index = parameters_++;
        const auto kernel = names_.find(function_);
        if (kernel != names_.end() && localPointers_.contains(type)) found_[kernel->second].insert(index);
    }
};

}  // namespace
}  // namespace spirv::local_pointers

std::map<std::string, std::set<std::uint32_t>> localPointerArguments(std::span<const std::uint8_t> spirv) {
    const auto module = readSpirv(spirv);
    if (!module) return {};
    spirv::local_pointers::Reader reader;
    spirv::forEachInstruction(module->words,
                              [&](std::uint16_t opcode, spirv::Words each) { reader.read(opcode, each); });
    return reader.found();
}

}  // namespace zetl::binary
