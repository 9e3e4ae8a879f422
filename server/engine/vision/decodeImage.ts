/** PNG, JPEG and WebP to pixels, by the decoders of the Squoosh project in WebAssembly. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import decodeJpeg, { init as initJpeg } from '@jsquash/jpeg/decode.js';
import decodePng, { init as initPng } from '@jsquash/png/decode.js';
import decodeWebp, { init as initWebp } from '@jsquash/webp/decode.js';
import { AppError } from '../../protocol/index.ts';
import type { ImageHeader } from '../modelFiles/imageHeader.ts';
import { applyOrientation } from './applyOrientation.ts';
import { withoutAlpha } from './pixelTensor.ts';
import type { RgbImage } from './resample.ts';

/** The decoders give their results in the browser's class. */
class DecodedPixels {
	readonly data: Uint8ClampedArray;
	readonly width: number;
	readonly height: number;

	constructor(data: Uint8ClampedArray, width: number, height: number) {
		this.data = data;
		this.width = width;
		this.height = height;
	}
}

/** The part of the host's WebAssembly that is used; types for browsers are not loaded here. */
interface WebAssemblyHost {
	readonly Module: new (bytes: Uint8Array) => unknown;
}

const decoders = {
	png: { file: 'png/codec/pkg/squoosh_png_bg.wasm', init: initPng, decode: decodePng },
	jpeg: { file: 'jpeg/codec/dec/mozjpeg_dec.wasm', init: initJpeg, decode: decodeJpeg },
	webp: { file: 'webp/codec/dec/webp_dec.wasm', init: initWebp, decode: decodeWebp },
} as const;

/** @throws AppError `invalid_request` when it is broken */
export async function decodeImage(bytes: Uint8Array, header: ImageHeader): Promise<RgbImage> {
	Object.assign(globalThis, { ImageData: DecodedPixels });
	const { file, init, decode } = decoders[header.format];
	const { Module } = (globalThis as unknown as { WebAssembly: WebAssemblyHost }).WebAssembly;
	const module = new Module(await readFile(packageFile(file)));
	const broken = (cause?: unknown) =>
		new AppError(
			'invalid_request',
			`The image is damaged: its ${header.format.toUpperCase()} data cannot be decoded.`,
			{ param: 'messages', cause },
		);
	let image: { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number };
	try {
		await (init as (module: unknown) => Promise<unknown>)(module);
		// A copy: decoders read the whole buffer, and that of a small `Buffer` holds others, too.
		image = await decode(new Uint8Array(bytes).buffer);
	} catch (error) {
		throw broken(error);
	}
	const { width, height, data } = image;
	const { orientation = 1 } = header;
	const [wide, high] = orientation >= 5 ? [height, width] : [width, height];
	if (wide !== header.width || high !== header.height || data.length !== width * height * 4)
		throw broken();
	return applyOrientation({ width, height, data: withoutAlpha(data, width * height) }, orientation);
}

/** Beside the bundle, or in the package when the sources run unbundled. */
function packageFile(path: string): string {
	const here = dirname(fileURLToPath(import.meta.url));
	const bundled = join(here, 'wasm', path.split('/').at(-1) ?? '');
	if (existsSync(bundled)) return bundled;
	return join(here, '..', '..', '..', 'node_modules', '@jsquash', path);
}
