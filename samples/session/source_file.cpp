#include "session/source_file.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace session {

SourceFile sourceFile(const std::string& path) {
    std::ifstream file(path);
    if (!file || std::filesystem::is_directory(path)) {  // a directory opens, too
        std::fprintf(stderr, "%s cannot be read\n", path.c_str());
        std::exit(EXIT_FAILURE);
    }
    return {path, std::string(std::istreambuf_iterator<char>(file), {})};
}

}  // namespace session
