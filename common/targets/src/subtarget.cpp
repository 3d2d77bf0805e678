// What LLVM's C API does not offer: the CPU and feature names of a triple, and which features a CPU has.
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Triple.h"
#include <cstring>
#include <memory>
#include <string>

using namespace llvm;

/// Called with a name and, for features, whether the CPU has it.
typedef void (*hal_visit)(void *user, const char *name, size_t length, bool on);

static std::unique_ptr<MCSubtargetInfo> subtarget(const char *triple, const char *cpu, const char *features) {
  Triple parsed(triple);
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(parsed, error);
  if (!target) return nullptr;
  return std::unique_ptr<MCSubtargetInfo>(target->createMCSubtargetInfo(parsed, cpu, features));
}

extern "C" {

/// Registers every target that LLVM was built with. Not thread-safe.
void hal_llvm_initialize() {
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmParsers();
  InitializeAllAsmPrinters();
}

/// Visits the CPUs of a triple. False if no target has it.
bool hal_llvm_cpus(const char *triple, hal_visit visit, void *user) {
  auto info = subtarget(triple, "", "");
  if (!info) return false;
  for (const SubtargetSubTypeKV &cpu : info->getAllProcessorDescriptions()) visit(user, cpu.Key, strlen(cpu.Key), true);
  return true;
}

/// Visits the name that LLVM's code generator has for a CPU which people also call otherwise, such as apple-m1.
void hal_llvm_cpu_of_alias(const char *alias, hal_visit visit, void *user) {
  StringRef name = AArch64::resolveCPUAlias(alias);
  visit(user, name.data(), name.size(), true);
}

/// Visits the format of a triple's objects: elf, macho, coff, wasm, ….
void hal_llvm_object_format(const char *triple, hal_visit visit, void *user) {
  StringRef name = Triple::getObjectFormatTypeName(Triple(triple).getObjectFormat());
  visit(user, name.data(), name.size(), true);
}

/// Visits the features of a triple and says which a CPU has. The CPU and the features must be known.
bool hal_llvm_features(const char *triple, const char *cpu, const char *features, hal_visit visit, void *user) {
  auto info = subtarget(triple, cpu, features);
  if (!info) return false;
  for (const SubtargetFeatureKV &feature : info->getAllProcessorFeatures())
    visit(user, feature.Key, strlen(feature.Key), info->getFeatureBits().test(feature.Value));
  return true;
}
}
