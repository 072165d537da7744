// What `zetl trace --attach` and a process with the layer say to each other, over a SEQPACKET socket.
//
//   zetl: kGreeting, 0, then the recorder's settings as NAME=VALUE, 0, ...
//   the process: kRecording, or kRefused and the reason
//   zetl: any message, or the end of the connection: the recording ends
//   the process: kEnded; from then on it writes no record
#pragma once

#include <cstddef>
#include <string_view>

namespace zetl::attachment {

/// The beginning of file names of these endpoints.
inline constexpr const char* kEndpointKind = "trace";

/// With the version of the protocol and of the recorder's settings.
inline constexpr std::string_view kGreeting = "zetl trace 1";
inline constexpr std::size_t kMostBytes = 128 * 1024;

inline constexpr char kRecording = 'R';
inline constexpr char kRefused = 'N';
inline constexpr char kEnded = 'E';

}  // namespace zetl::attachment
