// The files that a command's tables go to, which are the same options for all commands.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "files/output_file.h"
#include "text/table.h"

namespace zetl::command {

/// As the user chooses them. Empty: none; "-": standard output.
struct TableOptions {
    std::string csv;
    std::string json;
    std::string markdown;
    std::string text;   ///< instead of the terminal, what people read
    bool shown = true;  ///< what people read is wanted
};

/// All of them, opened before anything runs.
struct TableOutputs {
    /// `what` stands in messages: "table". Throws UsageError if a file cannot be written, or is named twice.
    explicit TableOutputs(const TableOptions& options, const char* what = "table");

    /// `json` is written instead of the table's rows as objects.
    void write(const Table& table, const std::string& json);
    void write(const Table& table);
    /// For people: into the file of -o, or else to `terminal`, unless that is standard output and something for
    /// programs goes there.
    void show(const std::string& content, std::FILE* terminal);

    std::vector<const OutputFile*> all() const { return {&csv, &json, &markdown, &text}; }
    /// Something goes to standard output.
    bool isStandard() const;
    /// Something is for programs.
    explicit operator bool() const { return csv || json || markdown; }

    bool shown;
    OutputFile csv;
    OutputFile json;
    OutputFile markdown;
    OutputFile text;
};

/// Throws UsageError if two of them go to the same place, where the second would overwrite the first.
void requireApart(const std::vector<const OutputFile*>& outputs);

}  // namespace zetl::command
