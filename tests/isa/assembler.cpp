#include "assembler.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <stdexcept>

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

}  // namespace

Code assemble(std::string_view text) {
    const Workspace w;
    std::ofstream(w.file("in.asm")) << text << '\n';
    const std::string o = run("iga64 -a -p=12p72 " + w.file("in.asm") + " -o " + w.file("out.raw"));
    Code code = contents(w.file("out.raw"));
    if (code.empty()) throw std::runtime_error("iga64: " + o);
    return code;
}

Code assembleProgram(std::string_view text) {
    constexpr std::string_view end =
        "\n(W) mov (16|M0) r112.0<1>:ud r0.0<1;1,0>:ud\n(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT}\n";
    return assemble(std::string(text) + std::string(end));
}

std::string normalized(std::string_view line) {
    std::string text(line.substr(0, line.find("//")));
    std::string options;
    for (const char* keep : {"EOT", "ExBSO"})
        if (std::regex_search(text, std::regex(std::string("\\{[^}]*\\b").append(keep))))
            options.append(options.empty() ? "" : ",").append(keep);
    text = std::regex_replace(text, std::regex("\\{[^}]*\\}"), "");
    text = std::regex_replace(text, std::regex("\\s+"), " ");
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return options.empty() ? text : text.append(" {").append(options).append("}");
}

std::vector<std::string> disassemble(const Code& code) {
    const Workspace w;
    std::ofstream(w.file("in.raw"), std::ios::binary)
        .write(reinterpret_cast<const char*>(code.data()), static_cast<std::streamsize>(code.size()));
    const std::string o =
        run("iga64 -d -p=12p72 -n -Xprint-pc -Xprint-hex-floats -Xno-print-bfnexprs " + w.file("in.raw"));
    std::vector<std::string> lines;
    const std::regex shape("/\\* \\[([0-9A-F]+)\\]\\s*\\*/\\s*(.*)");
    for (std::size_t at = 0; at < o.size();) {
        const std::size_t end = std::min(o.find('\n', at), o.size());
        const std::string line = o.substr(at, end - at);
        std::smatch m;
        if (std::regex_match(line, m, shape)) lines.push_back(m[1].str() + " " + normalized(m[2].str()));
        at = end + 1;
    }
    return lines;
}

std::vector<std::byte> compileModule(const std::string& sourcePath, const std::string& options) {
    const Workspace w;
    const std::string o =
        run("cd " + w.file("") + " && ocloc compile -file " + sourcePath + " -device pvc --format zebin -q -options '" +
            options + "' -output module -output_no_suffix");
    auto bytes = contents(w.file("module"));
    if (bytes.empty()) throw std::runtime_error("ocloc: " + o);
    return bytes;
}

}  // namespace zetl::test
