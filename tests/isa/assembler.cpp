#include "assembler.h"

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>

#include "emulator/module/compiler.h"

namespace zetl::test {
namespace {

/// A directory of its own, removed at the end.
class Workspace {
  public:
    Workspace() {
        std::string pattern = (std::filesystem::temp_directory_path() / "zetl-isa-XXXXXX").string();
        if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary directory");
        path_ = pattern;
    }
    ~Workspace() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    std::string file(const char* name) const { return (path_ / name).string(); }

  private:
    std::filesystem::path path_;
};

/// What the command printed.
std::string run(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"), pclose);
    std::string text;
    std::array<char, 4096> buffer;
    while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe.get())) text.append(buffer.data(), n);
    return text;
}
Code contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return {};
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    return {data, data + bytes.size()};
}

using zetl::isa::xe::Architecture;

bool hasNineBits(const Architecture& architecture) {
    return architecture.operands == zetl::isa::xe::OperandForm::nineBit;
}
/// The program, and the platform as it calls it.
std::string assemblerOf(const Architecture& architecture) {
    const char* const newest = std::getenv("ZETL_IGA64");
    if (!hasNineBits(architecture)) return "iga64 -p=12p72 ";
    return std::string(newest != nullptr ? newest : "iga64") + " -p=3pxpc ";
}

}  // namespace

bool canAssemble(const Architecture& architecture) {
    return !hasNineBits(architecture) || std::getenv("ZETL_IGA64") != nullptr;
}

Code assemble(std::string_view text, const Architecture& architecture) {
    const Workspace w;
    std::ofstream(w.file("in.asm")) << text << '\n';
    const std::string o = run(assemblerOf(architecture) + "-a " + w.file("in.asm") + " -o " + w.file("out.raw"));
    Code code = contents(w.file("out.raw"));
    if (code.empty()) throw std::runtime_error("iga64: " + o);
    return code;
}

Code assembleProgram(std::string_view text, const Architecture& architecture) {
    constexpr std::string_view move = "\n(W) mov (16|M0) r112.0<1>:ud r0.0<1;1,0>:ud\n";
    constexpr std::string_view end = "(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT}\n";
    constexpr std::string_view newEnd = "(W) sendg.gtwy (1|M0) null r0:1 null:0 0x0 {EOT}\n";
    return assemble(std::string(text) + std::string(move) + std::string(hasNineBits(architecture) ? newEnd : end),
                    architecture);
}

std::string normalized(std::string_view line) {
    std::string text;
    std::string inBraces;
    bool braced = false;
    for (const char c : line.substr(0, line.find("//"))) {
        const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (c == '{' || c == '}')
            braced = c == '{';
        else if (braced)
            inBraces += c;
        else if (!space || !text.ends_with(' '))
            text += space ? ' ' : c;
    }
    while (text.ends_with(' ')) text.pop_back();
    std::string options;
    for (const char* keep : {"EOT", "ExBSO"})
        if (inBraces.find(keep) != std::string::npos) options.append(options.empty() ? "" : ",").append(keep);
    return options.empty() ? text : text.append(" {").append(options).append("}");
}

std::vector<std::string> disassemble(const Code& code) {
    const Workspace w;
    std::ofstream(w.file("in.raw"), std::ios::binary)
        .write(reinterpret_cast<const char*>(code.data()), static_cast<std::streamsize>(code.size()));
    const std::string o =
        run("iga64 -d -p=12p72 -n -Xprint-pc -Xprint-hex-floats -Xno-print-bfnexprs " + w.file("in.raw"));
    constexpr std::string_view kBegin = "/* [";  // an address, and behind "]" and "*/" the instruction
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < o.size();) {
        const std::size_t end = std::min(o.find('\n', at), o.size());
        const std::string line = o.substr(at, end - at);
        const std::size_t close = line.find("*/");
        const std::size_t text = line.find_first_not_of(' ', close + 2);
        if (line.starts_with(kBegin) && close != std::string::npos && text != std::string::npos)
            lines.push_back(line.substr(kBegin.size(), line.find(']') - kBegin.size()) + " " +
                            normalized(line.substr(text)));
        at = end + 1;
    }
    return lines;
}

std::vector<std::byte> compileModule(const std::string& sourcePath, const std::string& options,
                                     std::string_view product) {
    const Code source = contents(sourcePath);
    const emulator::module::CompileResult built =
        emulator::module::compile({.language = emulator::module::CompileRequest::Language::openclC,
                                   .source = {reinterpret_cast<const std::uint8_t*>(source.data()), source.size()},
                                   .buildFlags = options,
                                   .constants = {},
                                   .device = product});
    if (!built) throw std::runtime_error(sourcePath + ": " + built.log);
    const auto bytes = std::as_bytes(std::span(built.binary));
    return {bytes.begin(), bytes.end()};
}

}  // namespace zetl::test
