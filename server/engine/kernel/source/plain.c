/* The path of every processor; what the others are compared with. */

#include "matmul.h"
#include "quantize.inc"

static void multiply(const uint8_t *record, const Matrix *matrix, const Activations *x, int64_t row, int rows, float *sums) {
	const int block = matrix->block;
	const int codesBytes = block / 2 * tileColumns;
	const int scaleBytes = matrix->scalesAreHalf ? 2 : 4;
	for (int i = 0; i < rows * tileColumns; i++) sums[i] = 0;
	for (int64_t b = 0; b < matrix->blocks; b++, record += matrix->recordBytes) {
		const uint8_t *scales = record + codesBytes;
		const uint8_t *offsets = scales + tileColumns * scaleBytes;
		for (int i = 0; i < rows * tileColumns; i++) {
			const int column = i % tileColumns;
			const int64_t at = (row + i / tileColumns) * matrix->blocks + b;
			const int8_t *a = x->codes + at * block;
			int32_t sum = x->offsets[at];
			if (matrix->offsetKind == offsetsZeros) sum *= offsets[column];
			for (int k = 0; k < block / 2; k++) {
				const uint8_t both = record[(k / 4 * tileColumns + column) * 4 + k % 4];
				const int8_t *two = a + k / subBytes * subInner + k % subBytes;
				sum += two[0] * (both & 15) + two[subBytes] * (both >> 4);
			}
			const float scale = matrix->scalesAreHalf ? halfToFloat(((const LooseHalf *)scales)[column])
													  : ((const LooseFloat *)scales)[column];
			sums[i] = __builtin_fmaf((float)sum, scale * x->scales[at], sums[i]);
			if (matrix->offsetKind == offsetsMinima)
				sums[i] = __builtin_fmaf(halfToFloat(((const LooseHalf *)offsets)[column]), x->sums[at], sums[i]);
		}
	}
}

const Path plainPath = {"plain", 4, quantize, multiply};
