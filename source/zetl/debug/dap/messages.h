// Messages of the Debug Adapter Protocol: a header that says how long they are, and JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace zetl::debugger::dap {

using Json = nlohmann::json;

/// Cuts a stream of bytes into messages. What comes is not trusted: a header that makes no sense, a message longer than
/// 16 MiB, or one that is no JSON object throws Failure; the stream cannot be used any further.
class MessageReader {
  public:
    void add(std::string_view bytes) { buffer_ += bytes; }
    /// Nothing until the next one is complete.
    std::optional<Json> next();

  private:
    std::string buffer_;
};

std::string framed(const Json& message);

std::string base64(const std::vector<unsigned char>& data);
/// Throws Failure for what is none.
std::vector<unsigned char> fromBase64(std::string_view text);

}  // namespace zetl::debugger::dap
