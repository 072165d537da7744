// Copies that the lines of a block make of each other's registers.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace zetl::emulator::check {

/// Which dwords of the registers hold the same at a place in a block.
class BlockValues {
  public:
    struct Value {
        enum class Origin : std::uint8_t { begin, number, line } origin = Origin::begin;
        std::uint64_t number = 0;  ///< of the dword that held it when the block began

        static Value ofNumber(std::uint64_t number) noexcept { return {Origin::number, number}; }
        bool isNumber() const noexcept { return origin == Origin::number; }
        friend bool operator==(const Value&, const Value&) = default;
    };

    Value of(std::uint32_t dword) const noexcept {
        const auto found = values_.find(dword);
        return found == values_.end() ? Value{Value::Origin::begin, dword} : found->second;
    }
    void set(std::uint32_t dword, const Value& value) { values_.insert_or_assign(dword, value); }
    /// To something that no other dword holds.
    void change(std::uint32_t dword) { set(dword, {Value::Origin::line, changes_++}); }
    std::vector<std::uint32_t> equalTo(const Value& value) const {
        std::vector<std::uint32_t> dwords;
        for (const auto& [dword, other] : values_)
            if (other == value) dwords.push_back(dword);
        if (value.origin == Value::Origin::begin && of(static_cast<std::uint32_t>(value.number)) == value)
            dwords.push_back(static_cast<std::uint32_t>(value.number));
        return dwords;
    }

  private:
    std::map<std::uint32_t, Value> values_;
    std::uint64_t changes_ = 0;
};

}  // namespace zetl::emulator::check
