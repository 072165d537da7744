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

#include "base/log.h"
#include "base/settings.h"
#include "compiler/packing.h"

namespace zetl::compiler {

/// A program that runs a compiler: worker.h linked with program.cpp.
struct Program {
    const char* name;      ///< in ze-tools-layer/ beside the library that contains run() (process.h)
    const char* setting;   ///< the environment variable that names another place
    log::Channel channel;  ///< whose messages builds are
    /// A directory there that may hold the compiler with all libraries that it needs, the C library and the dynamic
    /// linker included: the program then runs with those, whatever the system has.
    const char* bundle = nullptr;
};
inline constexpr Program kOcloc{"zetl_ocloc", settings::kOcloc, log::Channel::emulator,
                                "compiler"};  ///< Intel's compiler
inline constexpr Program kSpirvToPtx{"zetl_spirv_to_ptx", settings::kSpirvToPtx, log::Channel::nvidia};  ///< LLVM's

/// An argument of kSpirvToPtx: the PTX has the source lines that the module tells.
inline constexpr const char* kKeepLines = "lines";

/// One command line for a compiler.
struct Command {
    /// A file held in memory, by the name that the command line gives it.
    struct File {
        std::string name;
        std::span<const std::uint8_t> bytes;  ///< the caller's; of an unpacked command, those it was unpacked from
    };
    Program program = kOcloc;              ///< known to the one who asks, not sent
    std::string library{};                 ///< for Intel's compiler: libocloc, as dlopen takes it
    std::uint32_t seconds = 0;             ///< processor time that the command may take; 0: as much as it likes
    std::vector<std::string> arguments{};  ///< without the program's name; none: the compiler is only identified
    std::vector<File> files{};
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
    std::vector<FileStamp> made{};  ///< the files that the compiler consists of; none: not all are known

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

}  // namespace zetl::compiler
