/** How wide a batch of texts is made, so that none depends on its neighbours. */

/**
 * Widths are multiples of this. Attention sums over all positions; the kernels of ONNX
 * Runtime take them in blocks and what is left over one by one, so that a sum's last bits tell whether
 * the width ends within a block. A quantised product makes steps of them, and now and then another
 * word. With whole blocks a text gives the same bits in any company, which padding adds only zeros to.
 */
const widthStep = 8;

/** Positions a batch takes whose longest text has `longest` tokens; `maxWidth`: those the model has. */
export function paddedWidth(longest: number, maxWidth: number): number {
	return Math.max(longest, Math.min(maxWidth, Math.ceil(longest / widthStep) * widthStep));
}
