// Fields of a protobuf message, encoded as they are added: for messages that are written by the million, and whose
// nested ones are small enough to know their length beforehand.
#pragma once

#include <cstdint>
#include <cstring>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>
#include <string>
#include <string_view>

namespace zetl::command {

class EncodedFields {
  public:
    void clear() { size_ = 0; }
    std::string_view view() const { return {bytes_.data(), size_}; }

    void add(protozero::pbf_tag_type tag, std::uint64_t value) {
        char* end = room(2 * kMostVarint);
        grow(varint(varint(end, keyOf(tag, protozero::pbf_wire_type::varint)), value));
    }
    void addFixed(protozero::pbf_tag_type tag, std::uint64_t value) {
        char* end = varint(room(kMostVarint + sizeof value), keyOf(tag, protozero::pbf_wire_type::fixed64));
        std::memcpy(end, &value, sizeof value);
        grow(end + sizeof value);
    }
    void addBytes(protozero::pbf_tag_type tag, std::string_view bytes) {
        char* end = room(2 * kMostVarint + bytes.size());
        end = varint(varint(end, keyOf(tag, protozero::pbf_wire_type::length_delimited)), bytes.size());
        std::memcpy(end, bytes.data(), bytes.size());
        grow(end + bytes.size());
    }
    /// A message of two numbers.
    void addPair(protozero::pbf_tag_type tag, protozero::pbf_tag_type first, std::uint64_t firstValue,
                 protozero::pbf_tag_type second, std::uint64_t secondValue) {
        char* length = varint(room(5 * kMostVarint), keyOf(tag, protozero::pbf_wire_type::length_delimited));
        char* end = varint(varint(length + 1, keyOf(first, protozero::pbf_wire_type::varint)), firstValue);
        end = varint(varint(end, keyOf(second, protozero::pbf_wire_type::varint)), secondValue);
        *length =
            static_cast<char>(end - length - 1);  // four varints are shorter than the 128 bytes that a byte counts
        grow(end);
    }
    /// Adds fields that are already encoded.
    void append(std::string_view fields) {
        char* end = room(fields.size());
        std::memcpy(end, fields.data(), fields.size());
        grow(end + fields.size());
    }

  private:
    static constexpr std::size_t kMostVarint = protozero::max_varint_length;

    static constexpr std::uint64_t keyOf(protozero::pbf_tag_type tag, protozero::pbf_wire_type type) {
        return (std::uint64_t(tag) << 3U) | static_cast<std::uint32_t>(type);
    }
    static char* varint(char* place, std::uint64_t value) {
        return place + protozero::add_varint_to_buffer(place, value);
    }
    char* room(std::size_t bytes) {
        if (bytes_.size() - size_ < bytes) bytes_.resize(2 * (size_ + bytes));
        return bytes_.data() + size_;
    }
    void grow(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.data()); }

    std::string bytes_;  // only the first size_ count
    std::size_t size_ = 0;
};

}  // namespace zetl::command
