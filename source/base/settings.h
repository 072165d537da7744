// The environment variables that the project reads, each declared once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zetl::settings {

/// The variable's value, or null if it is unset or the process runs with raised privileges (AT_SECURE), where the
/// environment belongs to an untrusted caller. Valid until the host changes its environment.
const char* value(const char* name) noexcept;

/// A copy of that value.
std::optional<std::string> text(const char* name);

/// Level Zero's own rule for boolean variables: exactly "1" is on, any other value is off.
bool enabled(const char* name);

/// Whether the zetTracerExp functions work: ZET_ENABLE_API_TRACING_EXP decides, and if it is unset,
/// ZE_ENABLE_TRACING_LAYER. Loaders from 1.32 on print on standard output that the latter replaces the former, in every
/// program that sets the former.
bool apiTracing();

/// A whole decimal number. Returns nothing if the variable is unset, or if it is not a number, which logs a warning.
std::optional<long> number(const char* name);

// The Tools API's switches, read at zeInit (Tools Programming Guide, "Environment Variables").
inline constexpr const char* kApiTracing = "ZET_ENABLE_API_TRACING_EXP";
inline constexpr const char* kTracingLayer = "ZE_ENABLE_TRACING_LAYER";  // the loader's, see apiTracing()
inline constexpr const char* kMetrics = "ZET_ENABLE_METRICS";
inline constexpr const char* kSysman = "ZES_ENABLE_SYSMAN";
inline constexpr const char* kProgramDebugging = "ZET_ENABLE_PROGRAM_DEBUGGING";

// Level Zero's own variables, for the emulated devices (programming guide, "Environment Variables").
inline constexpr const char* kDeviceHierarchy = "ZE_FLAT_DEVICE_HIERARCHY";  // FLAT, COMBINED or COMPOSITE
inline constexpr const char* kAffinityMask = "ZE_AFFINITY_MASK";             // device or device.tile, ...

// The project's own variables.
inline constexpr const char* kLog = "ZETL_LOG";                                    // channel=level,...
inline constexpr const char* kLogFile = "ZETL_LOG_FILE";                           // path; default standard error
inline constexpr const char* kMetricTracers = "ZETL_METRIC_TRACERS";               // tracer-based groups are listed
inline constexpr const char* kFail = "ZETL_FAIL";                                  // calls that fail on purpose
inline constexpr const char* kAttach = "ZETL_ATTACH";                              // 1: zetl trace --attach may record
inline constexpr const char* kNextValidationLayer = "ZETL_NEXT_VALIDATION_LAYER";  // path of a layer to chain
inline constexpr const char* kEmulatedDevice = "ZETL_EMULATED_DEVICE";             // device profile, name or path
inline constexpr const char* kEmulatedClockAhead = "ZETL_EMULATED_CLOCK_AHEAD";    // nanoseconds, from 0
inline constexpr const char* kEmulatorVectors = "ZETL_EMULATOR_VECTORS";           // sse4, avx2 or avx512
inline constexpr const char* kEmulatorOrder = "ZETL_EMULATOR_ORDER";               // of groups: first, last or a seed
inline constexpr const char* kEmulatorRecord = "ZETL_EMULATOR_RECORD";             // 1: launches can be repeated
inline constexpr const char* kEmulatorFill = "ZETL_EMULATOR_FILL";                 // byte in threads' own memory
inline constexpr const char* kEmulatorTranslate = "ZETL_EMULATOR_TRANSLATE";  // 0: no host code; home: a slower one
inline constexpr const char* kTimingModel = "ZETL_TIMING_MODEL";              // full or sampled
inline constexpr const char* kSamplingScope = "ZETL_SAMPLING_SCOPE";          // user or process
inline constexpr const char* kEmulatorPerfMap = "ZETL_EMULATOR_PERF_MAP";     // 1 or lines: names for perf
inline constexpr const char* kDebugWait = "ZETL_DEBUG_WAIT";                  // milliseconds at the first launch
inline constexpr const char* kCheck = "ZETL_CHECK";                           // groups of mistakes to look for
inline constexpr const char* kCheckOutput = "ZETL_CHECK_OUTPUT";              // directory for what was found
inline constexpr const char* kCheckPrecision = "ZETL_CHECK_PRECISION";        // part of a result, such as 1e-3
inline constexpr const char* kResults = "ZETL_RESULTS";                       // directory for what launches left
inline constexpr const char* kResultsInputs = "ZETL_RESULTS_INPUTS";          // whether also what launches began with
inline constexpr const char* kResultsLimit = "ZETL_RESULTS_LIMIT";            // bytes of contents that are kept
inline constexpr const char* kCoverage = "ZETL_COVERAGE_OUTPUT";              // directory for executed instructions
inline constexpr const char* kStrictMemory = "ZETL_STRICT_MEMORY";            // overruns are faults
inline constexpr const char* kBuildCache = "ZETL_BUILD_CACHE";                // directory of builds; empty: none
inline constexpr const char* kCompiler = "ZETL_COMPILER";                     // one of the words below, or a directory
inline constexpr const char* kCompilerLibrary = "ZETL_COMPILER_LIBRARY";      // libocloc, by path
inline constexpr const char* kCompilerSeconds = "ZETL_COMPILER_SECONDS";      // processor time for a build; 0: any
inline constexpr const char* kCudaLibrary = "ZETL_CUDA_LIBRARY";              // libcuda, by path
inline constexpr const char* kCuptiLibrary = "ZETL_CUPTI_LIBRARY";            // libcupti, by path
inline constexpr const char* kCudaGdb = "ZETL_CUDA_GDB";                      // cuda-gdb, by path
inline constexpr const char* kOcloc = "ZETL_OCLOC";                           // zetl_ocloc, by path
inline constexpr const char* kLlvm = "ZETL_LLVM";                // directory of LLVM's tools, in place of /
inline constexpr const char* kSpirvToPtx = "ZETL_SPIRV_TO_PTX";  // zetl_spirv_to_ptx, by path

// Values of kCompiler.
inline constexpr std::string_view kSystemsCompiler = "system";
inline constexpr std::string_view kNewestCompiler = "newest";

}  // namespace zetl::settings
