/** Images that were pasted into a chat or dropped on it, in a form and size that models read. */

import type { PageMessage } from './protocol.ts';

/** What is sent as it is. */
const readTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp']);
/** Bytes of a file that is sent as it is; it is kept with the chat and sent with each of its questions. */
const maxBytes = 1_500_000;
/** Longest side of one that is drawn anew, in pixels: more is not looked at. */
const maxSide = 2048;
const jpegQuality = 0.9;

/** The images among what was pasted or dropped. */
export const imagesIn = (data: DataTransfer | null): File[] =>
	[...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));

/** The message that attaches an image; rejects when the browser cannot read it. */
export async function imageMessage(file: File): Promise<PageMessage> {
	const isReady = readTypes.has(file.type) && file.size <= maxBytes;
	const blob = isReady ? file : await drawnAnew(file);
	return { type: 'dropImage', name: file.name, base64: await base64Of(blob) };
}

/** As a JPEG file, upright, on white. */
async function drawnAnew(file: File): Promise<Blob> {
	const bitmap = await createImageBitmap(file);
	try {
		const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
		const canvas = document.createElement('canvas');
		canvas.width = Math.max(1, Math.round(bitmap.width * scale));
		canvas.height = Math.max(1, Math.round(bitmap.height * scale));
		const context = canvas.getContext('2d');
		if (!context) throw new Error('This browser draws no images.');
		context.fillStyle = '#fff';
		context.fillRect(0, 0, canvas.width, canvas.height);
		context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
		return await new Promise((resolve, reject) => {
			const done = (blob: Blob | null) => (blob ? resolve(blob) : reject(new Error('No image.')));
			canvas.toBlob(done, 'image/jpeg', jpegQuality);
		});
	} finally {
		bitmap.close();
	}
}

function base64Of(blob: Blob): Promise<string> {
	return new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
		reader.onerror = () => reject(reader.error);
		reader.readAsDataURL(blob);
	});
}
