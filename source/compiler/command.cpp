#include "compiler/command.h"

#include <sys/stat.h>

#include <charconv>

#include "compiler/packing.h"

namespace zetl::compiler {
namespace {

std::uint32_t countOf(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

}  // namespace

std::optional<FileStamp> FileStamp::of(std::string path) {
    constexpr std::uint64_t kNanoseconds = 1'000'000'000;
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return std::nullopt;
    const auto changed = static_cast<std::uint64_t>(found.st_mtim.tv_sec) * kNanoseconds +
                         static_cast<std::uint64_t>(found.st_mtim.tv_nsec);
    return FileStamp{std::move(path), static_cast<std::uint64_t>(found.st_size), changed};
}

bool isOlder(std::string_view compiler) {
    constexpr std::string_view kVersion = ", version ";
    constexpr int kYear = 25;
    const std::size_t at = compiler.rfind(kVersion);
    if (at == std::string_view::npos) return false;
    int year = kYear;
    std::from_chars(compiler.data() + at + kVersion.size(), compiler.data() + compiler.size(), year);
    return year < kYear;
}

Bytes pack(const Command& command) {
    Packer packer;
    packer.add(command.library);
    packer.add(command.seconds);
    packer.add(countOf(command.arguments));
    for (const std::string& argument : command.arguments) packer.add(argument);
    packer.add(command.olderOptions);
    packer.add(countOf(command.files));
    for (const Command::File& file : command.files) {
        packer.add(file.name);
        packer.add(file.bytes);
    }
    return packer.take();
}

std::optional<Command> unpackCommand(std::span<const std::uint8_t> bytes) {
    Unpacker unpacker(bytes);
    Command command;
    command.library = unpacker.text();
    command.seconds = unpacker.number();
    for (std::uint32_t left = unpacker.number(); left != 0 && unpacker.ok(); --left)
        command.arguments.push_back(unpacker.text());
    command.olderOptions = unpacker.text();
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
    packer.add(countOf(answer.made));
    for (const FileStamp& file : answer.made) {
        packer.add(file.path);
        packer.add(file.bytes);
        packer.add(file.changed);
    }
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
    for (std::uint32_t left = unpacker.number(); left != 0 && unpacker.ok(); --left) {
        FileStamp& file = answer.made.emplace_back();
        file.path = unpacker.text();
        file.bytes = unpacker.number<std::uint64_t>();
        file.changed = unpacker.number<std::uint64_t>();
    }
    return unpacker.ok() ? std::optional(std::move(answer)) : std::nullopt;
}

}  // namespace zetl::compiler
