#include "dap/messages.h"

#include <charconv>
#include <vector>

#include "core/failure.h"

namespace zetl::debugger::dap {
namespace {

constexpr std::string_view kLength = "Content-Length:";
constexpr std::string_view kEnd = "\r\n\r\n";
constexpr std::size_t kLongestMessage = std::size_t{16} << 20;
constexpr std::size_t kLongestHeader = 4096;
constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::size_t lengthIn(std::string_view header) {
    const auto at = header.find(kLength);
    if (at == std::string_view::npos) fail("a message without Content-Length");
    auto text = header.substr(at + kLength.size());
    text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    std::size_t length = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), length);
    if (read.ec != std::errc() || length > kLongestMessage) fail("a message of invalid length");
    return length;
}

}  // namespace

std::optional<Json> MessageReader::next() {
    const auto end = buffer_.find(kEnd);
    if (end == std::string::npos) {
        if (buffer_.size() > kLongestHeader) fail("a message whose header does not end");
        return std::nullopt;
    }
    const auto length = lengthIn(std::string_view(buffer_).substr(0, end));
    const auto body = end + kEnd.size();
    if (buffer_.size() - body < length) return std::nullopt;
    auto message = Json::parse(buffer_.begin() + static_cast<std::ptrdiff_t>(body),
                               buffer_.begin() + static_cast<std::ptrdiff_t>(body + length), nullptr, false);
    buffer_.erase(0, body + length);
    if (!message.is_object()) fail("a message that is not a JSON object");
    return message;
}

std::string framed(const Json& message) {
    const auto text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    return fmt::format("{} {}{}{}", kLength, text.size(), kEnd, text);
}

std::string base64(const std::vector<unsigned char>& data) {
    std::string text;
    for (std::size_t i = 0; i < data.size(); i += 3) {
        const auto at = [&](std::size_t j) { return i + j < data.size() ? unsigned{data[i + j]} : 0u; };
        const auto bits = at(0) << 16 | at(1) << 8 | at(2);
        for (unsigned digit = 0; digit < 4; ++digit)
            text += i + digit > data.size() ? '=' : kDigits[bits >> (18 - 6 * digit) & 63];
    }
    return text;
}

std::vector<unsigned char> fromBase64(std::string_view text) {
    std::vector<unsigned char> data;
    unsigned bits = 0;
    unsigned count = 0;
    while (text.ends_with('=')) text.remove_suffix(1);
    for (const char each : text) {
        const auto digit = kDigits.find(each);
        if (digit == std::string_view::npos) fail("data that is not base64");
        bits = bits << 6 | static_cast<unsigned>(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        data.push_back(static_cast<unsigned char>(bits >> count));
    }
    return data;
}

}  // namespace zetl::debugger::dap
