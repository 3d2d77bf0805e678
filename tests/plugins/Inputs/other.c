// Plugins that are not as they should be; what is wrong with one is said by a macro.
#include <stdint.h>
#include <stdlib.h>

struct info {
  uint32_t api;
  const char *name, *version;
  void (*add)(void *);
};

#ifdef ELSEWHERE
extern void ELSEWHERE(void);
#endif

static void add(void *registry) {
#ifdef CRASHES
  abort();
#endif
#ifdef ENDS
  exit(0);
#endif
#ifdef ELSEWHERE
  ELSEWHERE();
#endif
}

#ifndef API
#define API 1
#endif
#ifndef ADD
#define ADD add
#endif
#ifndef NO_PASSES
struct info mlirGetPassPluginInfo(void) { return (struct info){API, "other", "21.1.0", ADD}; }
#endif
#ifndef NO_DIALECTS
struct info mlirGetDialectPluginInfo(void) { return (struct info){API, "other", "21.1.0", ADD}; }
#endif
// LLVM's registry of options: a library that exports it has an LLVM of its own.
#ifdef OWN_LLVM
void _ZN4llvm2cl6Option11addArgumentEv(void) {}
#endif
