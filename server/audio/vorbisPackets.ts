/** Vorbis packets to mono blocks; used by Ogg and WebM. */

import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { AppError } from '../protocol/index.ts';
import { type MonoBlock, mixDown } from './openedAudio.ts';

/** What the package has below its reader of Ogg pages, which it does not publish: libvorbis itself. */
interface PacketDecoder {
	sendSetupHeader(packet: Uint8Array): void;
	initDsp(): void;
	decodePackets(packets: readonly Uint8Array[]): {
		readonly channelData: Float32Array[];
		readonly sampleRate: number;
	};
}

/** The decoder's input buffer. */
const maximumPacketBytes = 131_072;

/** Decodes packets of one stream. Free it when done. */
export class VorbisStream {
	readonly #decoder = new OggVorbisDecoder();
	readonly ready: Promise<void> = this.#decoder.ready;

	get #packets(): PacketDecoder {
		return (this.#decoder as unknown as { readonly _decoder: PacketDecoder })._decoder;
	}

	/** The identification and the setup header (Vorbis I, section 4.2); comments are not needed. */
	begin(identification: Uint8Array, setup: Uint8Array): void {
		for (const header of [identification, setup]) this.#packets.sendSetupHeader(checked(header));
		this.#packets.initDsp();
	}

	/** `undefined` for a packet that gives no samples: the first one, and damaged ones. */
	decode(packet: Uint8Array): MonoBlock | undefined {
		if (packet.length === 0) return undefined;
		const { channelData, sampleRate } = this.#packets.decodePackets([checked(packet)]);
		const samples = mixDown(channelData);
		if (samples.length === 0 || !(sampleRate > 0)) return undefined;
		return { samples, sampleRateHz: sampleRate };
	}

	free(): void {
		this.#decoder.free();
	}
}

/** Throws `invalid_audio` for what the decoder has no room for. */
function checked(packet: Uint8Array): Uint8Array {
	if (packet.length <= maximumPacketBytes) return packet;
	throw new AppError('invalid_audio', 'The file holds a Vorbis packet that is too large.');
}

/** The three header packets, from the Xiph-laced private data of a Matroska track. */
export function splitVorbisHeaders(
	description: Uint8Array,
): [identification: Uint8Array, comments: Uint8Array, setup: Uint8Array] {
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
