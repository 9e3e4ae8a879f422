/** Bare Vorbis packets (WebM, Matroska) wrapped into Ogg pages for the decoder, which reads only those. */

import { AppError } from '../protocol/index.ts';
import { oggCrc } from './oggPages.ts';

const largestPageBody = 255 * 254;

/** The three header packets, from the Xiph-laced private data of a Matroska track. */
export function splitVorbisHeaders(description: Uint8Array): Uint8Array[] {
	const damaged = () =>
		new AppError('invalid_audio', 'The Vorbis headers of the file are damaged.');
	if (description[0] !== 2) throw damaged();
	let at = 1;
	const sizes = [0, 0].map(() => {
		let size = 0;
		while (description[at] === 255) {
			size += 255;
			at++;
		}
		return size + (description[at++] ?? 0);
	});
	const [first = 0, second = 0] = sizes;
	if (at + first + second >= description.length) throw damaged();
	return [
		description.subarray(at, at + first),
		description.subarray(at + first, at + first + second),
		description.subarray(at + first + second),
	];
}

/** One page with one packet. Throws `invalid_audio` when it does not fit into a page. */
export function oggPageOf(packet: Uint8Array, sequence: number): Uint8Array {
	if (packet.length > largestPageBody)
		throw new AppError('invalid_audio', 'The file holds a Vorbis packet that is too large.');
	const segments = Math.floor(packet.length / 255) + 1;
	const page = new Uint8Array(27 + segments + packet.length);
	const view = new DataView(page.buffer);
	page.set([0x4f, 0x67, 0x67, 0x53, 0, sequence === 0 ? 2 : 0]);
	view.setUint32(14, 1, true);
	view.setUint32(18, sequence, true);
	page[26] = segments;
	page.fill(255, 27, 27 + segments - 1);
	page[27 + segments - 1] = packet.length % 255;
	page.set(packet, 27 + segments);
	view.setUint32(22, oggCrc(page), true);
	return page;
}
