// The findings of `zetl doctor`.
#pragma once

#include <string>
#include <vector>

#include "run/environment.h"
#include "run/installation.h"

namespace zetl::command {

enum class Verdict { good, note, problem };

struct Finding {
    Verdict verdict;
    std::string subject;  // such as "loader"
    std::string fact;
    std::string remedy = {};  // what to do; for notes and problems
};

using Findings = std::vector<Finding>;

/// The input of the checks.
struct Patient {
    Installation installation;
    bool needsGpu = false;  // an Intel GPU must be usable; otherwise having none is only a note
};

// The checks, one file per subject. Each adds its findings, good ones included.
void checkInstallation(const Patient& patient,
                       Findings& findings);                        // our files, the slot links, whether the layer loads
void checkVariables(const Patient& patient, Findings& findings);   // the environment of this shell
void checkDriverList(const Patient& patient, Findings& findings);  // ZE_ENABLE_ALT_DRIVERS
void checkSlots(const Patient& patient, Findings& findings);       // what the loader would open here
void checkLoader(const Patient& patient, Findings& findings);      // the stock loader, the headers
void checkDrivers(const Patient& patient, Findings& findings);     // driver libraries; zeInit native and emulated
void checkCompiler(const Patient& patient, Findings& findings);    // Intel's compiler libraries
void checkPermissions(const Patient& patient, Findings& findings);  // device files, kernel settings
void checkDependencies(const Patient& patient,
                       Findings& findings);  // libraries that ZET_ENABLE_* makes Intel's driver require

void checkNvidia(const Patient& patient, Findings& findings);       // NVIDIA's kernel module, libraries, counters
void checkTranslation(const Patient& patient, Findings& findings);  // whether kernels can become host code

}  // namespace zetl::command
