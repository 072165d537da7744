#include "files/output_file.h"

#include <fmt/format.h>

#include "text/usage_error.h"

namespace zetl::command {

OutputFile::OutputFile(const std::string& path, const char* what, const char* option) : standard_(path == "-") {
    if (!path.empty() && !standard_) file_ = std::make_unique<TimelineFile>(path, what, option);
}

void OutputFile::write(const std::string& text) {
    if (standard_) fmt::print("{}", text);
    if (file_) file_->write(text);
}

void OutputFile::finish() {
    if (file_) file_->finish();
}

void writeAll(OutputFile& output, const std::string& text) {
    if (!output) return;
    output.write(text);
    output.finish();
}

void requireApart(const OutputFile& one, const OutputFile& other) {
    if (one.isStandard() && other.isStandard()) throw UsageError("only one table can go to standard output");
    if (one.file() && other.file()) requireApart(*one.file(), *other.file());
}

}  // namespace zetl::command
