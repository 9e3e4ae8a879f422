/* Four columns in a vector, four products a lane and instruction. */

#include <arm_neon.h>
#include "matmul.h"

#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)

#include "quantize.inc"
#include "neon.inc"

enum { maxRows = 4 };

/* Eight of the columns. */
static inline __attribute__((always_inline)) void multiplyPart(
	const uint8_t *record, const Matrix *matrix, const Activations *x, int64_t row, float *sums, const int part, const int rows, const int subs
) {
	const int64_t stride = matrix->blocks;
	const int64_t at = row * stride;
	const int block = subs * subInner;
	const int half = matrix->scalesAreHalf;
	const int kind = matrix->offsetKind;
	const uint8x16_t low = vdupq_n_u8(15);
	const int8_t *a = x->codes + at * block;
	float32x4_t total[maxRows][2];
	for (int r = 0; r < rows; r++)
		for (int j = 0; j < 2; j++) total[r][j] = vdupq_n_f32(0);
	for (int64_t b = 0; b < stride; b++, a += block, record += matrix->recordBytes) {
		for (int line = 0; line <= subs * 4 && part == 0; line++)
			__builtin_prefetch(record + prefetchBytes + line * cacheLine);
		const uint8_t *scales = record + subs * subRecordBytes;
		const uint8_t *offsets = scales + tileColumns * (half ? 2 : 4);
		int32x4_t sum[maxRows][2];
		for (int r = 0; r < rows; r++) {
			const int32_t offset = x->offsets[at + r * stride + b];
			for (int j = 0; j < 2; j++)
				sum[r][j] = kind == offsetsZeros ? vmulq_n_s32(zerosAt(offsets, part * 8 + j * 4), offset) : vdupq_n_s32(offset);
		}
		for (int sub = 0; sub < subs; sub++) {
			const uint8_t *w = record + sub * subRecordBytes + part * 32;
			int8x16_t even[maxRows], odd[maxRows];
			for (int r = 0; r < rows; r++) {
				even[r] = vld1q_s8(a + r * stride * block + sub * subInner);
				odd[r] = vld1q_s8(a + r * stride * block + sub * subInner + subBytes);
			}
#define step(lane) \
	for (int j = 0; j < 2; j++) { \
		const uint8x16_t both = vld1q_u8(w + lane * tileColumns * 4 + j * 16); \
		const int8x16_t evenCodes = vreinterpretq_s8_u8(vandq_u8(both, low)); \
		const int8x16_t oddCodes = vreinterpretq_s8_u8(vshrq_n_u8(both, 4)); \
		for (int r = 0; r < rows; r++) { \
			sum[r][j] = vdotq_laneq_s32(sum[r][j], evenCodes, even[r], lane); \
			sum[r][j] = vdotq_laneq_s32(sum[r][j], oddCodes, odd[r], lane); \
		} \
	}
			step(0) step(1) step(2) step(3)
#undef step
		}
		for (int j = 0; j < 2; j++) {
			const float32x4_t scale = scalesAt(scales, part * 8 + j * 4, half);
			for (int r = 0; r < rows; r++) {
				const float32x4_t both = vmulq_n_f32(scale, x->scales[at + r * stride + b]);
				total[r][j] = vfmaq_f32(total[r][j], vcvtq_f32_s32(sum[r][j]), both);
				if (kind == offsetsMinima)
					total[r][j] = vfmaq_n_f32(
						total[r][j], widenHalves(offsets + (part * 8 + j * 4) * 2), x->sums[at + r * stride + b]
					);
			}
		}
	}
	for (int r = 0; r < rows; r++)
		for (int j = 0; j < 2; j++) vst1q_f32(sums + r * tileColumns + part * 8 + j * 4, total[r][j]);
}

#include "neonRows.inc"

#pragma clang attribute pop

const Path neonDotPath = {"neon-dot", maxRows, quantize, multiply};
