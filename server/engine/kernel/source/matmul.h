/*
 * Y = X · Wᵀ with 4-bit weights and activations that are quantised to 8 bits here.
 *
 * All paths compute every element in the same order, so they agree bit for bit, whatever the number of
 * rows or threads: per block an exact integer sum, then one fused multiply-add in float.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	tileColumns = 16,
	/* Rows of W (inner dimension) whose codes lie together; a block is one, two or four of them. */
	subInner = 32,
	subBytes = subInner / 2,
	subRecordBytes = subBytes * tileColumns,
	/* Records are read in one stream, faster than processors foresee. */
	prefetchBytes = 2048,
	cacheLine = 64,
};

/* What a weight stands for beside scale · number. */
enum {
	/* scale · (number − zero) with one zero for all */
	offsetsNone,
	/* each block has its own zero */
	offsetsZeros,
	/* scale · (number − zero) + minimum with one zero for all */
	offsetsMinima,
};

/* W as models have it, read where it lies: nothing in it is aligned. */
typedef struct {
	/* [columns][blocks][block / 2]; of two numbers in a byte the lower half comes first */
	const uint8_t *weights;
	/* [columns][blocks], half or single precision */
	const void *scales;
	/* zeros: [columns][(blocks + 1) / 2], two in a byte; minima: [columns][blocks] in half precision; or null */
	const void *offsets;
	int64_t inner;
	int64_t columns;
	int64_t blocks;
	/* 32, 64 or 128 */
	int block;
	int zero;
	int scalesAreHalf;
	int offsetKind;
} Source;

/*
 * W in tiles of 16 columns: for each tile and block a record that is read from its beginning to its end. It
 * has the codes of 32 rows after the other, in four vectors of 16 columns · 4 bytes; then 16 scales; then
 * 16 zeros (a byte each) or 16 minima (half precision). Columns that a last tile lacks are zero.
 */
typedef struct {
	const uint8_t *records;
	size_t recordBytes;
	int64_t inner;
	int64_t columns;
	int64_t tiles;
	int64_t blocks;
	int block;
	int zero;
	/* Scales that all fit are kept in half precision: less is read. */
	int scalesAreHalf;
	int offsetKind;
} Matrix;

/* X in 8 bits, symmetric, a scale for each block of each row. */
typedef struct {
	/* [rows][blocks · block]; of 32 numbers the 16 of even index come first, as the weights' halves of bytes have them */
	int8_t *codes;
	/* [rows][blocks]; not a number where an activation is not finite */
	float *scales;
	/* [rows][blocks]: what the zero adds to the sum of a block: −zero · Σ codes, or −Σ codes if each block has its own */
	int32_t *offsets;
	/* [rows][blocks]: scale · Σ codes, for the minimum */
	float *sums;
} Activations;

/* What differs from one instruction set to the next. */
typedef struct {
	const char *name;
	/* Rows that `multiply` takes at once. */
	int maxRows;
	void (*quantize)(const float *x, const Matrix *matrix, const Activations *to, int64_t row);
	/* sums[rows][16] = X[row …] · the tile whose first record this is */
	void (*multiply)(const uint8_t *record, const Matrix *matrix, const Activations *x, int64_t row, int rows, float *sums);
} Path;

extern const Path plainPath;
#if defined(__x86_64__)
extern const Path avx2Path, avxVnniPath, avx512VnniPath;
#elif defined(__aarch64__)
extern const Path neonDotPath, neonI8mmPath;
#endif

/* The fastest path of this processor; `plainPath` where there is no fast one. */
const Path *bestPath(void);
/* The path of this name if this processor has it, else null. */
const Path *pathNamed(const char *name);

/* The form of the tiles of a matrix; its records are yet to be made. */
Matrix describeTiles(const Source *source);
/* Bytes of all records. */
size_t tilesBytes(const Matrix *matrix);
/* Writes the records of one tile. */
void packTile(const Source *source, const Matrix *matrix, int64_t tile, uint8_t *records);

/* Bytes that the activations of some rows take. */
size_t activationBytes(const Matrix *matrix, int64_t rows);
/* Places them in memory of that size, aligned to 64 bytes. */
Activations placeActivations(const Matrix *matrix, int64_t rows, void *memory);

/* Y[rows][columns of some tiles] */
void multiplyTiles(
	const Path *path, const Matrix *matrix, const Activations *x, int64_t rows, int64_t firstTile, int64_t endTile, float *y
);

/* Numbers in a mapped file lie wherever it has them. */
typedef float LooseFloat __attribute__((aligned(1)));
typedef uint16_t LooseHalf __attribute__((aligned(1)));

/* Half precision, subnormals and all, without instructions of its own. */
static inline float halfToFloat(uint16_t half) {
	const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
	const uint32_t exponent = half >> 10 & 31;
	const uint32_t fraction = half & 1023;
	union {
		uint32_t bits;
		float value;
	} result;
	if (exponent == 31) {
		result.bits = sign | 0x7f800000 | fraction << 13;
	} else if (exponent != 0) {
		result.bits = sign | (exponent + 112) << 23 | fraction << 13;
	} else {
		result.value = (float)fraction * 0x1p-24f;
		result.bits |= sign;
	}
	return result.value;
}
