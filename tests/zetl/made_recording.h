// Recordings that no program made: of ranks and hosts, and with names that programs would not have.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "recording/format.h"

namespace zetl::test {

/// One process that made one call and launched one kernel.
struct MadeRecording {
    std::int32_t rank;
    std::uint32_t ranks;
    std::string host;
    std::uint32_t process;
    std::uint64_t begin;  // of the call and of the first launch, on the host's clock
    std::uint64_t duration;
    std::uint64_t clockBehind = 0;  // of the host's monotonic clock
    std::string kernel = "vector_add";
    std::uint64_t launches = 1;  // one after the other, at most about 580
    std::uint32_t groups = 0;    // of the first launch; the others have one more each; 0: not known
    std::vector<command::Meeting> meetings = {};
    std::uint64_t job = 1;
};

inline std::uint16_t numberOfFunction(std::string_view name) {
    std::uint16_t number = 0;
    while (command::functions()[number].name != name) ++number;
    return number;
}

/// Appends a record with room for its payload.
inline command::Record* appendRecord(char*& at, std::uint16_t function, std::uint16_t words, std::uint32_t thread,
                                     std::uint64_t begin, std::uint64_t end) {
    auto* record = new (at) command::Record{};
    record->begin.store(begin);
    record->end = end;
    record->thread = thread;
    record->function = function;
    record->words = words;
    at += record->bytes();
    return record;
}

inline void fillMadeHeader(command::FileHeader& header, const MadeRecording& made) {
    std::memcpy(header.magic, command::kMagic, sizeof command::kMagic);
    header.functions = command::kFunctions;
    header.process = made.process;
    header.rank = made.rank;
    header.ranks = made.ranks;
    std::snprintf(header.command, sizeof header.command, "solver");
    std::snprintf(header.host, sizeof header.host, "%s", made.host.c_str());
    std::snprintf(header.boot, sizeof header.boot, "boot of %s", made.host.c_str());
    header.monotonic = 1'000'000;
    header.realtime = std::uint64_t(1'800'000'000'000'000'000) + made.clockBehind;
    header.job = made.job;
    std::ranges::copy(made.meetings, header.meetings);
    header.chunks.store(1);
}

inline void describeLaunch(command::RecordedSpan& span, std::uint32_t groups, std::uint64_t begin) {
    span.submittedAt = begin - 40;
    span.localBytes = 2048;
    std::ranges::copy(std::array{groups, 2u, 1u}, span.groups);
    std::ranges::copy(std::array{64u, 1u, 1u}, span.groupSize);
    span.registers = 128;
    span.simdWidth = 16;
}

/// Writes the file, and makes the directory.
inline void makeRecording(const std::filesystem::path& directory, const MadeRecording& made) {
    using namespace command;
    std::filesystem::create_directories(directory);
    std::vector<std::uint64_t> words((kHeaderBytes + kChunkBytes) / 8);
    fillMadeHeader(*new (words.data()) FileHeader{}, made);
    auto* at = reinterpret_cast<char*>(words.data()) + kHeaderBytes;
    const auto call = numberOfFunction("zeInit");
    appendRecord(at, call, functions()[call].words, 1, made.begin, made.begin + 100);
    const auto nameWords = static_cast<std::uint16_t>(made.kernel.size() / 8 + 1);
    std::memcpy(appendRecord(at, kKernelName, nameWords, 1, made.begin, 0)->payload(), made.kernel.data(),
                made.kernel.size());
    RecordedSpan span{};
    span.kernel = 1;
    for (std::uint64_t i = 0; i < made.launches; ++i) {
        const auto begin = made.begin + i * made.duration;
        if (made.groups != 0) describeLaunch(span, made.groups + static_cast<std::uint32_t>(i), begin);
        std::memcpy(appendRecord(at, kSpan, kSpanWords, 0, begin, begin + made.duration)->payload(), &span,
                    sizeof span);
    }
    std::ofstream(directory / (std::to_string(made.process) + "-0.zetl"), std::ios::binary)
        .write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(words.size() * 8));
}

/// Writes a recording of one process that launched so many kernels once each, with names of about 100 characters.
inline void makeManyKernels(const std::filesystem::path& file, std::uint32_t kernels) {
    using namespace command;
    constexpr std::uint16_t kNameWords = 13;
    const std::uint64_t each = 2 * sizeof(Record) + (kNameWords + kSpanWords) * sizeof(std::uint64_t);
    const auto perChunk = kChunkBytes / each;
    std::ofstream output(file, std::ios::binary);
    std::vector<std::uint64_t> words(kHeaderBytes / 8);
    auto& header = *new (words.data()) FileHeader{};
    fillMadeHeader(header, {-1, 0, "node", 10, 0, 0});
    header.chunks.store((kernels + perChunk - 1) / perChunk);
    output.write(reinterpret_cast<const char*>(words.data()), kHeaderBytes);
    for (std::uint32_t kernel = 0; kernel < kernels;) {
        words.assign(kChunkBytes / 8, 0);
        auto* at = reinterpret_cast<char*>(words.data());
        for (std::uint64_t i = 0; i < perChunk && kernel < kernels; ++i) {
            ++kernel;
            const auto begin = std::uint64_t(1'000) + kernel * std::uint64_t(100);
            auto* name = appendRecord(at, kKernelName, kNameWords, kernel, begin, 0);
            std::snprintf(reinterpret_cast<char*>(name->payload()), kNameWords * 8, "<script>%0*u", 90, kernel);
            RecordedSpan span{};
            span.kernel = kernel;
            std::memcpy(appendRecord(at, kSpan, kSpanWords, 0, begin, begin + 50)->payload(), &span, sizeof span);
        }
        output.write(reinterpret_cast<const char*>(words.data()), kChunkBytes);
    }
}

}  // namespace zetl::test
