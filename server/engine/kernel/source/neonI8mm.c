/* Two columns and two rows in a vector, eight products a lane and instruction. */

#include <arm_neon.h>
#include "matmul.h"

#pragma clang attribute push(__attribute__((target("dotprod,i8mm"))), apply_to = function)

#include "quantize.inc"
#include "neon.inc"

enum { maxRows = 4, maxPairs = maxRows / 2 };

static inline int8x16_t codesOf(uint32x4_t codes) { return vreinterpretq_s8_u32(codes); }

static inline float32x4_t twice(float32x2_t two) { return vcombine_f32(two, two); }

/* Eight of the columns, as four pairs. A last row without a partner is its own. */
static inline __attribute__((always_inline)) void multiplyPart(
	const uint8_t *record, const Matrix *matrix, const Activations *x, int64_t row, float *sums, const int part, const int rows, const int subs
) {
	const int pairs = (rows + 1) / 2;
	const int64_t stride = matrix->blocks;
	const int64_t at = row * stride;
	const int block = subs * subInner;
	const int half = matrix->scalesAreHalf;
	const int kind = matrix->offsetKind;
	const uint8x16_t low = vdupq_n_u8(15);
	const int8_t *a = x->codes + at * block;
	float32x4_t total[maxPairs][4];
	int64_t other[maxPairs];
	for (int p = 0; p < pairs; p++) {
		other[p] = 2 * p + 1 < rows ? 2 * p + 1 : 2 * p;
		for (int j = 0; j < 4; j++) total[p][j] = vdupq_n_f32(0);
	}
	for (int64_t b = 0; b < stride; b++, a += block, record += matrix->recordBytes) {
		for (int line = 0; line <= subs * 4 && part == 0; line++)
			__builtin_prefetch(record + prefetchBytes + line * cacheLine);
		const uint8_t *scales = record + subs * subRecordBytes;
		const uint8_t *offsets = scales + tileColumns * (half ? 2 : 4);
		int32x4_t sum[maxPairs][4];
		for (int p = 0; p < pairs; p++) {
			const int32x2_t one = vdup_n_s32(x->offsets[at + 2 * p * stride + b]);
			const int32x4_t offset = vcombine_s32(one, vdup_n_s32(x->offsets[at + other[p] * stride + b]));
			for (int j = 0; j < 4; j++) {
				sum[p][j] = offset;
				if (kind != offsetsZeros) continue;
				const int32x4_t four = zerosAt(offsets, part * 8 + j / 2 * 4);
				const int32x2_t two = j % 2 == 0 ? vget_low_s32(four) : vget_high_s32(four);
				sum[p][j] = vmulq_s32(vcombine_s32(two, two), offset);
			}
		}
		for (int sub = 0; sub < subs; sub++) {
			for (int group = 0; group < 2; group++) {
				/* Of each column eight codes of even index, and eight of odd index. */
				int8x16_t even[4], odd[4];
				for (int j = 0; j < 2; j++) {
					const uint8_t *w = record + sub * subRecordBytes + group * 2 * tileColumns * 4 + part * 32 + j * 16;
					const uint8x16_t first = vld1q_u8(w), second = vld1q_u8(w + tileColumns * 4);
					const uint32x4_t firstEven = vreinterpretq_u32_u8(vandq_u8(first, low));
					const uint32x4_t secondEven = vreinterpretq_u32_u8(vandq_u8(second, low));
					const uint32x4_t firstOdd = vreinterpretq_u32_u8(vshrq_n_u8(first, 4));
					const uint32x4_t secondOdd = vreinterpretq_u32_u8(vshrq_n_u8(second, 4));
					even[j * 2] = codesOf(vzip1q_u32(firstEven, secondEven));
					even[j * 2 + 1] = codesOf(vzip2q_u32(firstEven, secondEven));
					odd[j * 2] = codesOf(vzip1q_u32(firstOdd, secondOdd));
					odd[j * 2 + 1] = codesOf(vzip2q_u32(firstOdd, secondOdd));
				}
				for (int p = 0; p < pairs; p++) {
					const int8_t *one = a + 2 * p * stride * block + sub * subInner + group * 8;
					const int8_t *two = a + other[p] * stride * block + sub * subInner + group * 8;
					const int8x16_t evens = vcombine_s8(vld1_s8(one), vld1_s8(two));
					const int8x16_t odds = vcombine_s8(vld1_s8(one + subBytes), vld1_s8(two + subBytes));
					for (int j = 0; j < 4; j++)
						sum[p][j] = vmmlaq_s32(vmmlaq_s32(sum[p][j], evens, even[j]), odds, odd[j]);
				}
			}
		}
		for (int p = 0; p < pairs; p++) {
			const int64_t first = at + 2 * p * stride + b, second = at + other[p] * stride + b;
			const float32x4_t own = vcombine_f32(vdup_n_f32(x->scales[first]), vdup_n_f32(x->scales[second]));
			const float32x4_t ownSums = vcombine_f32(vdup_n_f32(x->sums[first]), vdup_n_f32(x->sums[second]));
			for (int j = 0; j < 4; j++) {
				const int column = part * 8 + j / 2 * 4;
				const float32x4_t four = scalesAt(scales, column, half);
				const float32x4_t scale = twice(j % 2 == 0 ? vget_low_f32(four) : vget_high_f32(four));
				total[p][j] = vfmaq_f32(total[p][j], vcvtq_f32_s32(sum[p][j]), vmulq_f32(scale, own));
				if (kind != offsetsMinima) continue;
				const float32x4_t minima = widenHalves(offsets + column * 2);
				const float32x4_t minimum = twice(j % 2 == 0 ? vget_low_f32(minima) : vget_high_f32(minima));
				total[p][j] = vfmaq_f32(total[p][j], minimum, ownSums);
			}
		}
	}
	for (int p = 0; p < pairs; p++) {
		for (int j = 0; j < 4; j++) {
			float *to = sums + part * 8 + j * 2;
			vst1_f32(to + other[p] * tileColumns, vget_high_f32(total[p][j]));
			vst1_f32(to + 2 * p * tileColumns, vget_low_f32(total[p][j]));
		}
	}
}

#include "neonRows.inc"

#pragma clang attribute pop

const Path neonI8mmPath = {"neon-i8mm", maxRows, quantize, multiply};
