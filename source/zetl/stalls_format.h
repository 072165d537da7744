// What libzetl_queries.so writes of sampled instructions for `zetl stalls`: a file a process, <pid>-<n>.stalls, of
// lines whose fields are divided by tabs, in the order in which things happened:
//
//   #  period[ns]  reason...    what was sampled
//   +  number                   a module was made; <pid>-<n>-<number>.image is its debug image
//   -  number                   it is gone; its addresses may be another's now
//   s  address  samples...      samples at an instruction, by reason, since the line before of that address; with their
//                               part of those that were lost, and as many as the period of the first line would give
//   l  samples                  so many of them were lost; 0: others were, which nobody counted
//   p  period[ns]               from here on the device looks this often
#pragma once

namespace zetl::command {

inline constexpr const char* kStallsDirectoryVariable = "ZETL_STALLS_DIRECTORY";  // unset: nothing is sampled
inline constexpr const char* kStallsPeriodVariable = "ZETL_STALLS_PERIOD";        // nanoseconds; unset: adapted
inline constexpr const char* kStallsSuffix = ".stalls";
inline constexpr const char* kImageSuffix = ".image";
inline constexpr char kStallsHead = '#';
inline constexpr char kModuleMade = '+';
inline constexpr char kModuleGone = '-';
inline constexpr char kSamples = 's';
inline constexpr char kSamplesLost = 'l';
inline constexpr char kPeriodChanged = 'p';

}  // namespace zetl::command
