/**
 * Which container and codec a recording has, told from its bytes and never from its name.
 *
 * WAV, MP3, FLAC and Ogg have readers of their own here. mediabunny 1.61.0, which takes WebM and MP4 apart,
 * reads them too, but of damaged recordings it tells nothing: it gives cut-off files as shorter ones and Ogg pages
 * with wrong checksums as sound, and leaves out what follows in chained Ogg and FLAC, and WAV whose length was
 * never filled in.
 */

import { AppError } from '../protocol/index.ts';
import { type AudioSource, pieces } from './audioSource.ts';
import { findMpegFrame } from './mpegFrame.ts';
import { oggPages } from './oggPages.ts';

/** By the codec, of a stream in Ogg. */
export type OggFormat = 'ogg-flac' | 'ogg-opus' | 'ogg-vorbis';

export type AudioFormat = 'wav' | 'mp3' | 'flac' | OggFormat | 'matroska' | 'mp4' | 'aac';

/** What people call each format. */
export const audioFormatNames: Readonly<Record<AudioFormat, string>> = {
	wav: 'WAV',
	mp3: 'MP3',
	flac: 'FLAC',
	'ogg-flac': 'Ogg FLAC',
	'ogg-opus': 'Ogg Opus',
	'ogg-vorbis': 'Ogg Vorbis',
	matroska: 'WebM/Matroska',
	mp4: 'MP4/M4A',
	aac: 'AAC',
};

const readableFormats =
	'WAV, MP3, FLAC, Ogg (Vorbis, Opus, FLAC) and WebM (Opus, Vorbis); M4A/AAC where ffmpeg is installed';

export interface SniffedFormat {
	readonly format: AudioFormat;
	/** Where the audio begins: after an ID3 tag, when there is one. */
	readonly offset: number;
}

/** How far into a file an MPEG frame is searched when nothing else fits. */
const mpegSearchBytes = 131_072;

const ascii = (bytes: Uint8Array, from: number, to: number) =>
	String.fromCharCode(...bytes.subarray(from, to));

/**
 * Looks at the first bytes. Throws `invalid_audio` that says what the file seems to be instead, when
 * that is known.
 */
export async function sniffFormat(source: AudioSource): Promise<SniffedFormat> {
	if (source.sizeBytes === 0) throw new AppError('invalid_audio', 'The file is empty (0 bytes).');
	let offset = 0;
	let head = await source.read(0, 512);
	// Several ID3v2 tags may follow each other, each up to 256 MB of cover pictures.
	while (head.length > 10 && ascii(head, 0, 3) === 'ID3') {
		const size = head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
		offset += size + ((head[5] ?? 0) & 0x10 ? 20 : 10);
		head = await source.read(offset, 512);
		if (head.length === 0)
			throw new AppError('invalid_audio', 'The file holds an ID3 tag but no audio after it.');
	}
	const format = ascii(head, 0, 4) === 'OggS' ? await oggFormat(source, offset) : magicFormat(head);
	if (format !== undefined) return { format, offset };
	const strange = notAudio(head);
	if (strange !== undefined) {
		throw new AppError(
			'invalid_audio',
			`This is ${strange}, not a recording Nearglot can read. It reads ${readableFormats}.`,
		);
	}
	for await (const window of pieces(source, offset, offset + mpegSearchBytes, mpegSearchBytes)) {
		const frame = findMpegFrame(window, offset + window.length >= source.sizeBytes);
		if (frame !== undefined) return { format: 'mp3', offset: offset + frame };
	}
	throw new AppError(
		'invalid_audio',
		`The file is not audio of a known kind. Nearglot reads ${readableFormats}.`,
	);
}

function magicFormat(head: Uint8Array): AudioFormat | undefined {
	const tag = ascii(head, 0, 4);
	const kind = ascii(head, 8, 12);
	if ((tag === 'RIFF' || tag === 'RF64' || tag === 'BW64') && kind === 'WAVE') return 'wav';
	if (tag === 'fLaC') return 'flac';
	if (head[0] === 0x1a && head[1] === 0x45 && head[2] === 0xdf && head[3] === 0xa3)
		return 'matroska';
	if (ascii(head, 4, 8) === 'ftyp') return 'mp4';
	// ADTS: twelve sync bits, layer 00, a sampling index that exists.
	if (head[0] === 0xff && ((head[1] ?? 0) & 0xf6) === 0xf0 && (((head[2] ?? 0) >> 2) & 15) < 13)
		return 'aac';
	return undefined;
}

/** The codec of a stream in Ogg, told from its first packet. */
export function oggCodec(packet: Uint8Array): OggFormat | undefined {
	if (ascii(packet, 0, 8) === 'OpusHead') return 'ogg-opus';
	if (ascii(packet, 0, 5) === '\x7fFLAC') return 'ogg-flac';
	if (ascii(packet, 0, 7) === '\x01vorbis') return 'ogg-vorbis';
	return undefined;
}

/** What people call a stream in Ogg that `oggCodec` does not know; `undefined` for an index of the others. */
function unreadOggCodec(packet: Uint8Array): string | undefined {
	const name = ascii(packet, 0, 8);
	if (name.startsWith('Speex')) return 'Speex audio';
	if (name.startsWith('\x80theora')) return 'Theora video';
	return name === 'fishead\0' ? undefined : 'a codec that is not known';
}

/** Throws `invalid_audio` where streams that begin after the sound so far may hold more of it, unread. */
export function checkOggContinues(packets: readonly Uint8Array[]): void {
	const others = packets
		.map(unreadOggCodec)
		.filter((name) => name !== undefined && name !== 'Theora video');
	if (others.length === 0) return;
	throw new AppError(
		'invalid_audio',
		`Behind its first recording this Ogg file holds another one with ${others.join(' and ')}; Nearglot reads Vorbis, Opus and FLAC in Ogg. Split the file, or convert it.`,
	);
}

/** Of the first stream with sound: pictures, subtitles and an index may begin before it. */
async function oggFormat(source: AudioSource, start: number): Promise<OggFormat> {
	const others: string[] = [];
	for await (const page of oggPages(source, start)) {
		// All streams begin before the second page of any of them (RFC 3533, section 4).
		if (!page.first) break;
		const format = oggCodec(page.body);
		if (format !== undefined) return format;
		const other = unreadOggCodec(page.body);
		if (other !== undefined) others.push(other);
	}
	throw new AppError(
		'invalid_audio',
		others.length === 0
			? 'The first page of the Ogg file is damaged.'
			: `This Ogg file holds ${others.join(' and ')}; Nearglot reads Vorbis, Opus and FLAC in Ogg.`,
	);
}

/** A name for well-known files that are no recordings, so that the error can say it. */
function notAudio(head: Uint8Array): string | undefined {
	const tag = ascii(head, 0, 4);
	if (tag.startsWith('PK')) return 'a ZIP archive or an office document';
	if (tag === '%PDF') return 'a PDF document';
	if (tag === '\x89PNG') return 'a PNG picture';
	if (tag.startsWith('\xff\xd8\xff')) return 'a JPEG picture';
	if (tag.startsWith('GIF8')) return 'a GIF picture';
	if (tag.startsWith('\x1f\x8b')) return 'a gzip archive';
	if (tag === 'FORM') return 'an AIFF recording';
	if (tag === '#!AM') return 'an AMR recording';
	if (tag === 'caff') return 'a Core Audio recording';
	if (tag === '.snd') return 'a Sun AU recording';
	if (tag === '0&\xb2u') return 'a Windows Media recording';
	if (tag === 'RIFF') return `a RIFF file of kind ${ascii(head, 8, 12).replace(/[^\w ]/g, '?')}`;
	if (
		head.length >= 16 &&
		head.every((byte) => byte === 9 || byte === 10 || byte === 13 || (byte >= 32 && byte < 127))
	)
		return 'a text file';
	return undefined;
}
