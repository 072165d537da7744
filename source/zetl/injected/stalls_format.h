// What libzetl_queries.so writes of sampled instructions for `zetl stalls`: one file per process, <pid>-<n>.stalls, of
// lines with fields separated by tabs, in the order of events:
//
//   #  period[ns]  reason...    period, and names of the reasons
//   +  number                   a module was created; <pid>-<n>-<number>.image is its debug image
//   -  number                   it was destroyed; its addresses may be reused
//   s  address  samples...      samples at an instruction, by reason, since the last line with that address. They
//   include
//                               their share of the lost ones, and are as many as the period of the first line would
//                               give
//   l  samples                  number of lost samples; 0: unknown
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
