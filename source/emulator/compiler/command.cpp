#include "emulator/compiler/command.h"

#include <cstring>

namespace zetl::emulator::compiler {
namespace {

/// A row of byte strings, each behind its length.
class Packer {
  public:
    void add(const void* data, std::uint64_t size) {
        const auto length = reinterpret_cast<const std::uint8_t*>(&size),
                   bytes = static_cast<const std::uint8_t*>(data);
        bytes_.insert(bytes_.end(), length, length + sizeof size);
        bytes_.insert(bytes_.end(), bytes, bytes + size);
    }
    void add(const std::string& text) { add(text.data(), text.size()); }
    void add(std::span<const std::uint8_t> bytes) { add(bytes.data(), bytes.size()); }
    void add(std::uint32_t number) { add(&number, sizeof number); }
    Bytes take() { return std::move(bytes_); }

  private:
    Bytes bytes_;
};

/// Reads such a row. After a read beyond its end everything is empty and ok() is false.
class Unpacker {
  public:
    explicit Unpacker(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

    std::span<const std::uint8_t> bytes() {
        std::uint64_t size = 0;
        if (rest_.size() < sizeof size) return fail();
        std::memcpy(&size, rest_.data(), sizeof size);
        if (size > rest_.size() - sizeof size) return fail();
        const auto found = rest_.subspan(sizeof size, size);
        rest_ = rest_.subspan(sizeof size + size);
        return found;
    }
    std::string text() {
        const auto found = bytes();
        return {found.begin(), found.end()};
    }
    std::uint32_t number() {
        std::uint32_t value = 0;
        const auto found = bytes();
        if (found.size() != sizeof value) return fail(), 0;
        std::memcpy(&value, found.data(), sizeof value);
        return value;
    }
    bool ok() const noexcept { return ok_; }

  private:
    std::span<const std::uint8_t> fail() noexcept {
        ok_ = false;
        return rest_ = {};
    }
    std::span<const std::uint8_t> rest_;
    bool ok_ = true;
};

std::uint32_t countOf(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

}  // namespace

Bytes pack(const Command& command) {
    Packer packer;
    packer.add(command.library);
    packer.add(command.seconds);
    packer.add(countOf(command.arguments));
    for (const std::string& argument : command.arguments) packer.add(argument);
    packer.add(countOf(command.files));
    for (const Command::File& file : command.files) packer.add(file.name), packer.add(file.bytes);
    return packer.take();
}

std::optional<Command> unpackCommand(std::span<const std::uint8_t> bytes) {
    Unpacker unpacker(bytes);
    Command command;
    command.library = unpacker.text();
    command.seconds = unpacker.number();
    for (std::uint32_t left = unpacker.number(); left != 0 && unpacker.ok(); --left)
        command.arguments.push_back(unpacker.text());
    for (std::uint32_t left = unpacker.number(); left != 0 && unpacker.ok(); --left) {
        std::string name = unpacker.text();
        command.files.push_back({std::move(name), unpacker.bytes()});
    }
    return unpacker.ok() ? std::optional(std::move(command)) : std::nullopt;
}

Bytes pack(const Answer& answer) {
    Packer packer;
    packer.add(answer.missing);
    packer.add(static_cast<std::uint32_t>(answer.code));
    packer.add(answer.log);
    packer.add(answer.output);
    packer.add(answer.compiler);
    return packer.take();
}

std::optional<Answer> unpackAnswer(std::span<const std::uint8_t> bytes) {
    Unpacker unpacker(bytes);
    Answer answer;
    answer.missing = unpacker.text();
    answer.code = static_cast<std::int32_t>(unpacker.number());
    answer.log = unpacker.text();
    const auto output = unpacker.bytes();
    answer.output.assign(output.begin(), output.end());
    answer.compiler = unpacker.text();
    return unpacker.ok() ? std::optional(std::move(answer)) : std::nullopt;
}

}  // namespace zetl::emulator::compiler
