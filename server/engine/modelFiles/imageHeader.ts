/** Kind and size of an image by its first bytes, before anything decodes it. */

import { AppError } from '../../protocol/index.ts';
import { type ImageSize, maxAspect } from './imagePlan.ts';

export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** Kind of an image, and its size as it is to be looked at. */
export interface ImageHeader extends ImageSize {
	readonly format: ImageFormat;
	/** How a camera was held (Exif, 2 to 8); absent: as the pixels lie. */
	readonly orientation?: number;
}

/** Most pixels of an image: 160 MB when it is decoded. */
export const maxImagePixels = 40_000_000;

/**
 * @param param what the caller called it
 * @throws AppError `invalid_request` for what is no PNG, JPEG or WebP, or of no size that can be used
 */
export function readImageHeader(bytes: Uint8Array, param: string): ImageHeader {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const header = png(view) ?? jpeg(view) ?? webp(view, param);
	const refuse = (why: string) => new AppError('invalid_request', `'${param}' ${why}`, { param });
	if (header === undefined)
		throw refuse('is no image that can be read: send a PNG, JPEG or WebP file.');
	const { width, height } = header;
	if (width < 1 || height < 1) throw refuse('is an image without pixels.');
	if (width * height > maxImagePixels)
		throw refuse(
			`is an image of ${width} × ${height} pixels; at most ${maxImagePixels / 1e6} million are read. Make it smaller.`,
		);
	if (Math.max(width, height) / Math.min(width, height) > maxAspect)
		throw refuse(
			`is an image of ${width} × ${height} pixels; one side may be ${maxAspect} times the other at most.`,
		);
	return header;
}

function png(view: DataView): ImageHeader | undefined {
	if (view.byteLength < 33 || view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a)
		return undefined;
	if (view.getUint32(12) !== 0x49484452) return undefined;
	return { format: 'png', width: view.getUint32(16), height: view.getUint32(20) };
}

function jpeg(view: DataView): ImageHeader | undefined {
	if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
	let orientation: number | undefined;
	for (let at = 2; at + 9 < view.byteLength; ) {
		if (view.getUint8(at) !== 0xff) return undefined;
		const marker = view.getUint8(at + 1);
		if (marker === 0xff) {
			at++;
			continue;
		}
		// Frames, but for the tables of Huffman codes, JPEG's own extensions and arithmetic codes.
		const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
		if (isFrame) return upright(view.getUint16(at + 7), view.getUint16(at + 5), orientation);
		if (marker === 0xe1) orientation ??= exifOrientation(view, at + 4, view.getUint16(at + 2) - 2);
		if (marker === 0xd9 || marker === 0xda) return undefined;
		const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
		at += 2 + (isAlone ? 0 : Math.max(2, view.getUint16(at + 2)));
	}
	return undefined;
}

/** From 5 on the pixels lie on their side. */
const upright = (width: number, height: number, orientation = 1): ImageHeader => ({
	format: 'jpeg',
	...(orientation >= 5 ? { width: height, height: width } : { width, height }),
	...(orientation > 1 ? { orientation } : {}),
});

/** The tag `Orientation` of a block of Exif (TIFF 6.0), 2 to 8; `undefined` where there is none or it is damaged. */
function exifOrientation(whole: DataView, from: number, length: number): number | undefined {
	const end = Math.min(whole.byteLength, from + length);
	if (end - from < 14 || whole.getUint32(from) !== 0x45786966) return undefined;
	const view = new DataView(whole.buffer, whole.byteOffset + from + 6, end - from - 6);
	const little = view.getUint16(0) === 0x4949;
	if (!little && view.getUint16(0) !== 0x4d4d) return undefined;
	const directory = view.getUint32(4, little);
	if (directory + 2 > view.byteLength) return undefined;
	const count = view.getUint16(directory, little);
	for (let entry = 0; entry < count; entry++) {
		const at = directory + 2 + 12 * entry;
		if (at + 12 > view.byteLength) return undefined;
		if (view.getUint16(at, little) !== 0x0112) continue;
		const value = view.getUint16(at + 8, little);
		return value >= 2 && value <= 8 ? value : undefined;
	}
	return undefined;
}

function webp(view: DataView, param: string): ImageHeader | undefined {
	const isWebp =
		view.byteLength >= 30 && view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250;
	if (!isWebp) return undefined;
	const size = (width: number, height: number): ImageHeader => ({ format: 'webp', width, height });
	switch (view.getUint32(12)) {
		case 0x56503820: // 'VP8 '
			return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
		case 0x5650384c: {
			// 'VP8L'
			const bits = view.getUint32(21, true);
			return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
		}
		case 0x56503858: {
			// 'VP8X'
			if ((view.getUint8(20) & 0x02) !== 0)
				throw new AppError(
					'invalid_request',
					`'${param}' is a moving picture; send one of its images.`,
					{ param },
				);
			const three = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
			return size(three(24) + 1, three(27) + 1);
		}
	}
	return undefined;
}
