// Options that several commands have.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "files/table_outputs.h"
#include "report/report_files.h"
#include "run/environment.h"

namespace zetl::command {

/// An option that turns something off. CLI11 would show its own kind, "!--no-x", as --no-x{false}.
void addNegation(CLI::App& command, const char* name, bool& on, const char* what);

/// How a command takes --json. Where it was a flag once, a file follows behind '=' only.
enum class JsonOption { file, flag };
/// --csv, --json, --markdown and, if `text` says what people read, -o. Every command with a table has them. `what` they
/// hold is "the tables", for instance.
void addTableOptions(CLI::App& command, TableOptions& tables, const std::string& what, const char* text = nullptr,
                     JsonOption json = JsonOption::file);

/// These, --sarif, --junit and --github: of every command that finds something. `what` they have is "the findings".
void addReports(CLI::App& command, ReportChoice& reports, const std::string& what);

/// --device, --compiler and --no-layer. The first two need the option `emulated`, if there is one.
void addDeviceOptions(CLI::App& command, Choice& choice, CLI::Option* emulated = nullptr);

/// --schedule: first, last or a seed.
void addSchedule(CLI::App& command, Choice& choice);
/// The same and --schedules, of which 0 is none.
CLI::Option* addSchedules(CLI::App& command, Choice& choice, std::uint32_t& schedules);
/// Throws UsageError if --schedule is no number, or too few follow it: several schedules are consecutive numbers.
void requireNumber(const Choice& choice, std::uint32_t schedules);

/// --fail. Throws UsageError, when it is read, for a rule that cannot be understood.
void addFailures(CLI::App& command, Choice& choice);
/// Throws UsageError if the choice lacks the layer, through which calls fail. `option`: that lets them.
void requireLayerFor(const char* option, const Choice& choice);

/// --metrics, --instrumentation and --debugging.
void addSwitches(CLI::App& command, Choice& choice);

}  // namespace zetl::command
