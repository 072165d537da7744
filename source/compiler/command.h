// The request to the compiler's process and its answer, and both as bytes.
//
// Both ends come from one build, so numbers travel in memory order; lengths are checked all the same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
    log::Channel channel;  ///< the channel for messages about builds
    /// A directory there that may hold the compiler with all libraries that it needs, the C library and the dynamic
    /// linker included: the program then runs with those, whatever the system has.
    const char* bundle = nullptr;
};
inline constexpr Program kOcloc{"zetl_ocloc", settings::kOcloc, log::Channel::emulator,
                                "compiler"};  ///< Intel's compiler
inline constexpr Program kSpirvToPtx{"zetl_spirv_to_ptx", settings::kSpirvToPtx, log::Channel::nvidia};  ///< LLVM's

/// An argument of kSpirvToPtx: the PTX gets the source lines of the module.
inline constexpr const char* kKeepLines = "lines";
/// Another one: LLVM does not optimize.
inline constexpr const char* kWithoutOptimization = "plain";

/// Another one: the module is linked with others, so what it exports is kept, and it may lack functions.
inline constexpr const char* kForLinking = "linked";

/// One command line for a compiler.
struct Command {
    /// A file held in memory, under the name that the command line uses for it.
    struct File {
        std::string name;
        std::span<const std::uint8_t> bytes;  ///< the caller's; of an unpacked command, parts of the packed bytes
    };
    Program program = kOcloc;              ///< known to the requester, not sent
    std::string library{};                 ///< for Intel's compiler: libocloc, as passed to dlopen
    std::uint32_t seconds = 0;             ///< processor time that the command may take; 0: unlimited
    std::vector<std::string> arguments{};  ///< without the program's name; none: the compiler is only identified
    std::string olderOptions{};            ///< for Intel's compiler: at the end of -options, if isOlder()
    std::vector<File> files{};
};

/// The name, for the command line, of the output file whose bytes are returned.
inline constexpr const char* kOutputFile = "module";

/// Identifies a file of the compiler as it was at the build.
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
    std::int32_t code = 0;          ///< the compiler's exit code; -1 if it ended without one
    std::string log;                ///< what the compiler printed
    Bytes output;                   ///< of kOutputFile, if the code is 0
    std::string compiler{};         ///< identity of the compiler: the library's file, and the version that it reports
    std::vector<FileStamp> made{};  ///< the files that the compiler consists of; none: not all are known

    static Answer unusable(std::string why) { return {std::move(why), 0, {}, {}}; }
    static Answer ended(std::string log) { return {{}, -1, std::move(log), {}}; }
};

/// Of an Answer::compiler, whether it is from before 2025: releases are numbered by year, "libocloc.so, version
/// 22.43.24595". One without a version is not older.
bool isOlder(std::string_view compiler);

Bytes pack(const Command& command);
Bytes pack(const Answer& answer);
std::optional<Command> unpackCommand(std::span<const std::uint8_t> bytes);
std::optional<Answer> unpackAnswer(std::span<const std::uint8_t> bytes);

/// What the process writes: an answer if there is one, then always an ending, which is empty if there was no error.
struct FrameHead {
    enum class Kind : std::uint64_t { answer = 1, ending } kind;
    std::uint64_t bytes;
};

}  // namespace zetl::compiler
