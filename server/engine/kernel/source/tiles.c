/* What all paths share: the making of tiles, and their edges. */

#include "matmul.h"

/* The half-precision number that equals this one, if there is one. */
static int halfOf(float value, uint16_t *half) {
	union {
		float value;
		uint32_t bits;
	} number = {value};
	const uint32_t exponent = number.bits >> 23 & 255;
	const uint16_t sign = number.bits >> 16 & 0x8000;
	const uint32_t fraction = number.bits & 0x7fffff;
	*half = sign;
	if (exponent == 0) return fraction == 0;
	if (exponent >= 113 && exponent <= 142) {
		*half = (uint16_t)(sign | (exponent - 112) << 10 | fraction >> 13);
		return (fraction & 0x1fff) == 0;
	}
	/* Subnormal in half precision. */
	if (exponent < 103 || exponent > 112) return 0;
	const uint32_t drop = 126 - exponent;
	const uint32_t full = fraction | 0x800000;
	*half = (uint16_t)(sign | full >> drop);
	return (full & ((1u << drop) - 1)) == 0;
}

static int allFitHalves(const Source *source) {
	const LooseFloat *scales = source->scales;
	uint16_t half;
	for (int64_t i = 0; i < source->columns * source->blocks; i++)
		if (!halfOf(scales[i], &half)) return 0;
	return 1;
}

Matrix describeTiles(const Source *source) {
	static const size_t offsetBytes[] = {0, tileColumns, 2 * tileColumns};
	Matrix matrix = {0};
	matrix.inner = source->inner;
	matrix.columns = source->columns;
	matrix.tiles = (source->columns + tileColumns - 1) / tileColumns;
	matrix.blocks = source->blocks;
	matrix.block = source->block;
	matrix.zero = source->zero;
	matrix.scalesAreHalf = source->scalesAreHalf || allFitHalves(source);
	matrix.offsetKind = source->offsetKind;
	matrix.recordBytes = (size_t)(source->block / subInner) * subRecordBytes +
		tileColumns * (matrix.scalesAreHalf ? 2 : 4) + offsetBytes[source->offsetKind];
	return matrix;
}

size_t tilesBytes(const Matrix *matrix) {
	return (size_t)(matrix->tiles * matrix->blocks) * matrix->recordBytes;
}

static void packScale(const Source *source, const Matrix *matrix, int64_t at, int column, uint8_t *to) {
	if (!matrix->scalesAreHalf) {
		__builtin_memcpy(to + column * 4, (const char *)source->scales + at * 4, 4);
		return;
	}
	uint16_t half = 0;
	if (source->scalesAreHalf) half = ((const LooseHalf *)source->scales)[at];
	else halfOf(((const LooseFloat *)source->scales)[at], &half);
	__builtin_memcpy(to + column * 2, &half, 2);
}

static void packOffset(const Source *source, int64_t column, int64_t block, int place, uint8_t *to) {
	if (source->offsetKind == offsetsMinima) {
		const char *minima = source->offsets;
		__builtin_memcpy(to + place * 2, minima + (column * source->blocks + block) * 2, 2);
	} else if (source->offsetKind == offsetsZeros) {
		const uint8_t *zeros = source->offsets;
		to[place] = zeros[column * ((source->blocks + 1) / 2) + block / 2] >> (block % 2 * 4) & 15;
	}
}

/* Four numbers of 32 bits, wherever they lie. */
typedef uint32_t Four __attribute__((vector_size(16), aligned(1)));

/* The codes of 32 rows of four columns, which are `stride` bytes apart. */
static void packFourColumns(const uint8_t *from, int64_t stride, uint8_t *to) {
	const Four a = *(const Four *)from, b = *(const Four *)(from + stride);
	const Four c = *(const Four *)(from + 2 * stride), d = *(const Four *)(from + 3 * stride);
	const Four lowAb = __builtin_shufflevector(a, b, 0, 4, 1, 5), highAb = __builtin_shufflevector(a, b, 2, 6, 3, 7);
	const Four lowCd = __builtin_shufflevector(c, d, 0, 4, 1, 5), highCd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
	*(Four *)to = __builtin_shufflevector(lowAb, lowCd, 0, 1, 4, 5);
	*(Four *)(to + 4 * tileColumns) = __builtin_shufflevector(lowAb, lowCd, 2, 3, 6, 7);
	*(Four *)(to + 8 * tileColumns) = __builtin_shufflevector(highAb, highCd, 0, 1, 4, 5);
	*(Four *)(to + 12 * tileColumns) = __builtin_shufflevector(highAb, highCd, 2, 3, 6, 7);
}

void packTile(const Source *source, const Matrix *matrix, int64_t tile, uint8_t *records) {
	const int64_t bytes = source->block / 2;
	const size_t codes = (size_t)bytes * tileColumns;
	const size_t scales = codes + tileColumns * (matrix->scalesAreHalf ? 2 : 4);
	const int64_t left = source->columns - tile * tileColumns;
	const int width = left < tileColumns ? (int)left : tileColumns;
	if (width < tileColumns) __builtin_memset(records, 0, (size_t)matrix->blocks * matrix->recordBytes);
	for (int64_t b = 0; b < source->blocks; b++, records += matrix->recordBytes) {
		const int64_t stride = source->blocks * bytes;
		const uint8_t *from = source->weights + tile * tileColumns * stride + b * bytes;
		int fours = width / 4 * 4;
		for (int c = 0; c < fours; c += 4)
			for (int64_t sub = 0; sub < bytes; sub += subBytes)
				packFourColumns(from + c * stride + sub, stride, records + sub * tileColumns + c * 4);
		for (int c = 0; c < width; c++) {
			const int64_t column = tile * tileColumns + c;
			const int64_t at = column * source->blocks + b;
			for (int64_t four = 0; four < bytes / 4 && c >= fours; four++)
				__builtin_memcpy(records + (four * tileColumns + c) * 4, from + c * stride + four * 4, 4);
			packScale(source, matrix, at, c, records + codes);
			packOffset(source, column, b, c, records + scales);
		}
	}
}

static size_t aligned(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

size_t activationBytes(const Matrix *matrix, int64_t rows) {
	const size_t blocks = (size_t)(rows * matrix->blocks);
	return aligned(blocks * matrix->block) + 3 * aligned(blocks * 4);
}

Activations placeActivations(const Matrix *matrix, int64_t rows, void *memory) {
	const size_t blocks = (size_t)(rows * matrix->blocks);
	char *at = memory;
	Activations placed;
	placed.codes = (int8_t *)at;
	at += aligned(blocks * matrix->block);
	placed.scales = (float *)at;
	at += aligned(blocks * 4);
	placed.offsets = (int32_t *)at;
	at += aligned(blocks * 4);
	placed.sums = (float *)at;
	return placed;
}

enum { maxGroupRows = 16 };

void multiplyTiles(
	const Path *path, const Matrix *matrix, const Activations *x, int64_t rows, int64_t firstTile, int64_t endTile, float *y
) {
	float sums[maxGroupRows * tileColumns] __attribute__((aligned(64)));
	const int64_t groups = (rows + path->maxRows - 1) / path->maxRows;
	for (int64_t tile = firstTile; tile < endTile; tile++) {
		const uint8_t *records = matrix->records + (size_t)(tile * matrix->blocks) * matrix->recordBytes;
		const int64_t left = matrix->columns - tile * tileColumns;
		const int width = left < tileColumns ? (int)left : tileColumns;
		int64_t row = 0;
		for (int64_t group = 0; group < groups; group++) {
			/* As even as can be. */
			const int some = (int)((rows - row) / (groups - group));
			path->multiply(records, matrix, x, row, some, sums);
			for (int r = 0; r < some; r++, row++) {
				float *to = y + row * matrix->columns + tile * tileColumns;
				for (int c = 0; c < width; c++) to[c] = sums[r * tileColumns + c];
			}
		}
	}
}
