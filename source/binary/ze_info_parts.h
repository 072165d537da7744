// The parts of a kernel's description in .ze_info; problems go to the fields' Problems.
#pragma once

#include "binary/kernel_image.h"
#include "binary/yaml_fields.h"

namespace zetl::binary {

ExecutionEnvironment readEnvironment(const YamlFields& fields);
std::string readAttributes(const YamlFields& fields);
MemoryBuffer readMemoryBuffer(const YamlFields& fields);
ArgumentReflection readReflection(const YamlFields& fields);

/// Reads one payload_arguments entry into the kernel's payload and argument list.
void readPayloadArgument(const YamlFields& fields, KernelImage& kernel);
/// Reads one per_thread_payload_arguments entry.
InlineSampler readInlineSampler(const YamlFields& fields);
void readPerThreadPayload(const YamlFields& fields, KernelImage& kernel);

/// The opposite: writes an entry of `kernels` as text, with lines indented as the compiler indents them. Leaves out
/// argument names, and arguments of which nothing is passed.
void writeEnvironment(const ExecutionEnvironment& environment, std::string& text);
void writeMemoryBuffers(const KernelImage& kernel, std::string& text);
void writePayload(const KernelImage& kernel, std::string& text);

}  // namespace zetl::binary
