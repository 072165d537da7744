// OpenCL C in a file, for the samples whose kernels are looked at and changed.
#pragma once

#include <string>

namespace session {

struct SourceFile {
    std::string path;
    std::string text;
};

/// Ends the program, saying why, if the file cannot be read.
SourceFile sourceFile(const std::string& path);

}  // namespace session
