// What the compiler's process is asked and what it answers, and both as bytes.
//
// Both ends come from one build, so numbers travel in memory order; lengths are checked all the same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/compiler/packing.h"

namespace zetl::emulator::compiler {

/// One command line for Intel's offline compiler.
struct Command {
    /// A file held in memory, by the name that the command line gives it.
    struct File {
        std::string name;
        std::span<const std::uint8_t> bytes;  ///< the caller's; of an unpacked command, those it was unpacked from
    };
    std::string library;                 ///< libocloc, as dlopen takes it
    std::uint32_t seconds = 0;           ///< processor time that the command may take; 0: as much as it likes
    std::vector<std::string> arguments;  ///< without the program's name; none: the library is only loaded
    std::vector<File> files;
};

/// The output file of which the bytes are wanted, for the command line.
inline constexpr const char* kOutputFile = "module";

/// A file as it was when the compiler was made of it.
struct FileStamp {
    std::string path;
    std::uint64_t bytes = 0;
    std::uint64_t changed = 0;  ///< nanoseconds since 1970

    /// Nothing if there is no such file.
    static std::optional<FileStamp> of(std::string path);
    bool operator==(const FileStamp&) const = default;
};

struct Answer {
    std::string missing;            ///< why the compiler cannot be used at all; the rest is empty then
    std::int32_t code = 0;          ///< the compiler's; -1 if it ended without giving any
    std::string log;                ///< what the compiler printed
    Bytes output;                   ///< of kOutputFile, if the code is 0
    std::string compiler{};         ///< which one it was: the library's file, and the version that it names
    std::vector<FileStamp> made{};  ///< the libraries that its process had loaded

    static Answer unusable(std::string why) { return {std::move(why), 0, {}, {}}; }
    static Answer ended(std::string log) { return {{}, -1, std::move(log), {}}; }
};

Bytes pack(const Command& command);
Bytes pack(const Answer& answer);
std::optional<Command> unpackCommand(std::span<const std::uint8_t> bytes);
std::optional<Answer> unpackAnswer(std::span<const std::uint8_t> bytes);

/// What the process writes: an answer if there is one, then always an ending, empty if all went well.
struct FrameHead {
    enum class Kind : std::uint64_t { answer = 1, ending } kind;
    std::uint64_t bytes;
};

}  // namespace zetl::emulator::compiler
