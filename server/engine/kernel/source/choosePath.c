/* What this processor can do. */

#include "matmul.h"

static int equal(const char *a, const char *b) {
	while (*a != 0 && *a == *b) a++, b++;
	return *a == *b;
}

#if defined(__x86_64__)

#include <cpuid.h>

/* Whether the system saves the registers that the bits of XCR0 stand for. */
static int systemSaves(uint32_t wanted) {
	uint32_t a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return 0;
	uint32_t low, high;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (low & wanted) == wanted;
}

static int hasAvx2(void) {
	uint32_t a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
	if (!(c & bit_FMA) || !(c & bit_F16C) || !(c & bit_AVX)) return 0;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2) && systemSaves(0x06);
}

static int hasAvxVnni(void) {
	uint32_t a, b, c, d;
	return hasAvx2() && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1u << 4);
}

static int hasAvx512Vnni(void) {
	uint32_t a, b, c, d;
	if (!hasAvx2() || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
	const uint32_t wanted = bit_AVX512F | bit_AVX512BW | bit_AVX512VL | bit_AVX512DQ;
	return (b & wanted) == wanted && (c & bit_AVX512VNNI) && systemSaves(0xe6);
}

static const struct {
	const Path *path;
	int (*isThere)(void);
} fastPaths[] = {{&avx512VnniPath, hasAvx512Vnni}, {&avxVnniPath, hasAvxVnni}, {&avx2Path, hasAvx2}};

#elif defined(__aarch64__)

#if defined(__linux__)

#include <sys/auxv.h>

static int hasDot(void) { return getauxval(AT_HWCAP) >> 20 & 1; }
static int hasI8mm(void) { return hasDot() && (getauxval(AT_HWCAP2) >> 13 & 1); }

#elif defined(__APPLE__)

#include <sys/sysctl.h>

static int says(const char *name) {
	int32_t value = 0;
	size_t size = sizeof value;
	return sysctlbyname(name, &value, &size, 0, 0) == 0 && value != 0;
}
static int hasDot(void) { return says("hw.optional.arm.FEAT_DotProd"); }
static int hasI8mm(void) { return hasDot() && says("hw.optional.arm.FEAT_I8MM"); }

#elif defined(_WIN32)

__declspec(dllimport) int IsProcessorFeaturePresent(unsigned long feature);

/* PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE and PF_ARM_V82_I8MM_INSTRUCTIONS_AVAILABLE of winnt.h. */
static int hasDot(void) { return IsProcessorFeaturePresent(43); }
static int hasI8mm(void) { return hasDot() && IsProcessorFeaturePresent(66); }

#endif

static const struct {
	const Path *path;
	int (*isThere)(void);
} fastPaths[] = {{&neonI8mmPath, hasI8mm}, {&neonDotPath, hasDot}};

#endif

const Path *bestPath(void) {
	for (size_t i = 0; i < sizeof fastPaths / sizeof *fastPaths; i++)
		if (fastPaths[i].isThere()) return fastPaths[i].path;
	return &plainPath;
}

const Path *pathNamed(const char *name) {
	if (equal(name, plainPath.name)) return &plainPath;
	for (size_t i = 0; i < sizeof fastPaths / sizeof *fastPaths; i++)
		if (equal(name, fastPaths[i].path->name)) return fastPaths[i].isThere() ? fastPaths[i].path : 0;
	return 0;
}
