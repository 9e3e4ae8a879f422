/** Opus packets to mono at 16 kHz; used by Ogg, WebM and MP4. */

import { OpusDecoder } from 'opus-decoder';
import { AppError } from '../protocol/index.ts';
import { type MonoBlock, mixDown } from './openedAudio.ts';

/** The identification header of RFC 7845, section 5.1. */
export interface OpusHead {
	readonly channels: number;
	/** In samples of 48 kHz. */
	readonly preSkip: number;
	/** Linear factor. */
	readonly gain: number;
	readonly streams: number;
	readonly coupled: number;
	readonly mapping: readonly number[];
}

/** libopus gives speech rates directly, so no resampling is needed afterwards. */
const opusRateHz = 16_000;

/** Throws `invalid_audio` when the header is damaged. */
export function parseOpusHead(bytes: Uint8Array): OpusHead {
	const damaged = (what: string) =>
		new AppError('invalid_audio', `The Opus header is damaged: ${what}.`);
	if (bytes.length < 19) throw damaged('it is too short');
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (view.getUint8(8) >> 4 !== 0) throw damaged('its version is unknown');
	const channels = view.getUint8(9);
	const family = view.getUint8(18);
	const gain = 10 ** (view.getInt16(16, true) / (20 * 256));
	const common = { channels, preSkip: view.getUint16(10, true), gain };
	if (family === 0) {
		if (channels < 1 || channels > 2) throw damaged(`it announces ${channels} channels`);
		return { ...common, streams: 1, coupled: channels - 1, mapping: channels === 2 ? [0, 1] : [0] };
	}
	const streams = bytes[19] ?? 0;
	const coupled = bytes[20] ?? 0;
	const mapping = [...bytes.subarray(21, 21 + channels)];
	const outOfRange = mapping.some((to) => to !== 255 && to >= streams + coupled);
	if (channels < 1 || mapping.length < channels || streams < 1 || coupled > streams || outOfRange)
		throw damaged('its channel mapping is not possible');
	return { ...common, streams, coupled, mapping };
}

/** Longest packet libopus accepts per channel: 120 ms at 256 kb/s, the decoder's input buffer. */
const packetBytesPerChannel = 3840;

/** Decodes packets of one stream. Free it when done. */
export class OpusStream {
	readonly #decoder: OpusDecoder<16000>;
	readonly #head: OpusHead;
	#skip: number;
	/** Packets libopus refused. */
	damaged = 0;
	packets = 0;

	constructor(head: OpusHead) {
		this.#head = head;
		this.#skip = Math.round(head.preSkip / 3);
		this.#decoder = new OpusDecoder({
			sampleRate: opusRateHz,
			channels: head.channels,
			streamCount: head.streams,
			coupledStreamCount: head.coupled,
			channelMappingTable: [...head.mapping],
			preSkip: 0,
		});
	}

	get ready(): Promise<void> {
		return this.#decoder.ready;
	}

	decode(packet: Uint8Array): MonoBlock | undefined {
		this.packets++;
		if (packet.length === 0 || packet.length > packetBytesPerChannel * this.#head.channels) {
			this.damaged++;
			return undefined;
		}
		const decoded = this.#decoder.decodeFrame(packet);
		if (decoded.errors.length > 0) {
			this.damaged++;
			return undefined;
		}
		const whole = mixDown(decoded.channelData);
		const dropped = Math.min(this.#skip, whole.length);
		this.#skip -= dropped;
		const samples = whole.slice(dropped);
		if (this.#head.gain !== 1)
			for (let i = 0; i < samples.length; i++) samples[i] = (samples[i] ?? 0) * this.#head.gain;
		return { samples, sampleRateHz: opusRateHz };
	}

	free(): void {
		this.#decoder.free();
	}
}

/** Throws when so many packets were refused that what is left is not the recording. */
export function checkOpusDamage(stream: OpusStream): void {
	if (stream.packets > 0 && stream.damaged > stream.packets / 4) {
		throw new AppError(
			'invalid_audio',
			`The Opus audio is damaged: ${stream.damaged} of ${stream.packets} packets cannot be decoded.`,
		);
	}
}
