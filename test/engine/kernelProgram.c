/*
 * The product of each path against double precision, as a program of its own: for processors that are
 * emulated. `kernelProgram PATH`: 0 if all is well, 1 with what is wrong, 2 if the processor has no such path.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "matmul.h"

static uint32_t state = 12345;

static uint32_t bits(void) {
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static float between(float from, float to) { return from + (to - from) * (float)(bits() >> 8) / 16777216.0f; }

static float widest(float a, float b) { return a > b ? a : b; }

/* What is wrong with one case; null if nothing is. */
static const char *fault(const Path *path, int rows, int inner, int columns, int block, int half, int kind) {
	static char message[200];
	const int blocks = (inner + block - 1) / block;
	const int scales = columns * blocks, codes = scales * block / 2;
	/* At an odd place, as in a file. */
	uint8_t *memory = malloc((size_t)codes + scales * 8 + 64), *weights = memory + 1, *scaleBytes = weights + codes;
	uint8_t *offsets = scaleBytes + scales * 4;
	float *x = malloc((size_t)rows * inner * 4), *y = malloc((size_t)rows * columns * 4), *plain = malloc((size_t)rows * columns * 4);
	for (int i = 0; i < codes; i++) weights[i] = (uint8_t)bits();
	for (int i = 0; i < scales; i++) {
		const float scale = between(0.01f, 0.1f);
		const uint16_t bitsOfHalf = (uint16_t)(bits() % 0x3000);
		if (half) memcpy(scaleBytes + i * 2, &bitsOfHalf, 2);
		else memcpy(scaleBytes + i * 4, &scale, 4);
		/* Either minima or, more than are used, zeros. */
		memcpy(offsets + i * 2, &bitsOfHalf, 2);
	}
	for (int i = 0; i < rows * inner; i++) x[i] = between(-2, 2);
	Source source = {weights, scaleBytes, kind == offsetsNone ? 0 : offsets, inner, columns, blocks, block, 8, half, kind};
	Matrix matrix = describeTiles(&source);
	uint8_t *records = aligned_alloc(64, (tilesBytes(&matrix) + 63) / 64 * 64);
	for (int64_t tile = 0; tile < matrix.tiles; tile++)
		packTile(&source, &matrix, tile, records + (size_t)(tile * matrix.blocks) * matrix.recordBytes);
	matrix.records = records;
	void *scratch = aligned_alloc(64, (activationBytes(&matrix, rows) + 63) / 64 * 64);
	const Activations a = placeActivations(&matrix, rows, scratch);
	for (int row = 0; row < rows; row++) plainPath.quantize(x + row * inner, &matrix, &a, row);
	multiplyTiles(&plainPath, &matrix, &a, rows, 0, matrix.tiles, plain);
	memset(scratch, 0, activationBytes(&matrix, rows));
	for (int row = 0; row < rows; row++) path->quantize(x + row * inner, &matrix, &a, row);
	multiplyTiles(path, &matrix, &a, rows, 0, matrix.tiles, y);
	const char *found = 0;
	if (memcmp(y, plain, (size_t)rows * columns * 4) != 0) found = "differs from the plain path";
	for (int i = 0; i < rows * columns && found == 0; i++) {
		const int row = i / columns, column = i % columns;
		double exact = 0, most = 0;
		for (int b = 0; b < blocks; b++) {
			const int at = column * blocks + b;
			float single = 0, peak = 0;
			uint16_t halfBits = 0, minimumBits = 0;
			if (half) memcpy(&halfBits, scaleBytes + at * 2, 2);
			else memcpy(&single, scaleBytes + at * 4, 4);
			const double scale = half ? halfToFloat(halfBits) : single;
			memcpy(&minimumBits, offsets + at * 2, 2);
			const double minimum = kind == offsetsMinima ? halfToFloat(minimumBits) : 0;
			const int zero = kind == offsetsZeros ? offsets[column * ((blocks + 1) / 2) + b / 2] >> (b % 2 * 4) & 15 : 8;
			double size = 0;
			for (int k = 0; k < block && b * block + k < inner; k++) {
				const uint8_t byte = weights[(at * block + k) / 2];
				const double w = scale * ((byte >> (k % 2 * 4) & 15) - zero) + minimum;
				const float value = x[row * inner + b * block + k];
				exact += w * value;
				size += fabs(w);
				peak = widest(peak, fabsf(value));
			}
			most += size * peak * (0.5002 / 127 + 1e-5);
		}
		if (!(fabs(exact - y[i]) <= most + 1e-6)) {
			snprintf(message, sizeof message, "gives %g instead of %g", y[i], exact);
			found = message;
		}
	}
	free(memory), free(x), free(y), free(plain), free(records), free(scratch);
	return found;
}

int main(int given, char **arguments) {
	const Path *path = given > 1 ? pathNamed(arguments[1]) : bestPath();
	if (path == 0) return 2;
	static const int blocks[] = {32, 64, 128}, columns[] = {1, 15, 16, 37}, counts[] = {1, 2, 3, 4, 7, 17};
	for (int b = 0; b < 3; b++) {
		for (int count = 0; count < 6; count++) {
			const int rows = counts[count];
			const int inner[] = {blocks[b], blocks[b] * 2 + 7};
			for (int i = 0; i < 2; i++) {
				for (int kind = 0; kind < 3; kind++) {
					const int half = (count + i) % 2, wide = columns[(count + i + kind) % 4];
					const char *wrong = fault(path, rows, inner[i], wide, blocks[b], half, kind);
					if (wrong == 0) continue;
					printf("%s, block %d, %d x %d x %d, offsets %d: %s\n", path->name, blocks[b], rows, inner[i], wide, kind, wrong);
					return 1;
				}
			}
		}
	}
	printf("%s\n", path->name);
	return 0;
}
