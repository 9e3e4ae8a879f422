/** One block of a tar archive that tells of an entry (POSIX ustar and pax, with what GNU adds), and the fields that follow it. */

/** Bytes of a block: everything in an archive begins at a whole one. */
export const tarBlockBytes = 512;

/** What an entry is; links, devices and whatever else there may be have the name that an error gives them. */
export type TarKind = 'file' | 'folder' | TarOther;
type TarOther =
	| 'hard link'
	| 'symbolic link'
	| 'device'
	| 'sparse file'
	| 'kind of entry not known here';

/** What says more of the entry behind it, or of all. */
export type TarExtra = 'pax' | 'pax for all' | 'long name' | 'long link';

export interface TarHeader {
	readonly name: string;
	readonly kind: TarKind | TarExtra;
	/** Bytes behind the header. */
	readonly size: number;
}

/** What a pax header says of the entry behind it, as far as it matters here. */
export interface PaxFields {
	readonly path?: string;
	readonly size?: number;
	/** The bytes are those of a file with holes, behind a table of them. */
	readonly isSparse: boolean;
}

const kinds: Readonly<Record<string, TarHeader['kind']>> = {
	...{ '\0': 'file', '0': 'file', '7': 'file', '5': 'folder' },
	...{ '1': 'hard link', '2': 'symbolic link', '3': 'device', '4': 'device', '6': 'device' },
	...{
		S: 'sparse file',
		x: 'pax',
		g: 'pax for all',
		L: 'long name',
		N: 'long name',
		K: 'long link',
	},
};

const extraKinds: ReadonlySet<string> = new Set<TarExtra>([
	'pax',
	'pax for all',
	'long name',
	'long link',
]);

/** Whether a header says more of an entry, and is none itself. */
export const isTarExtra = (kind: TarHeader['kind']): kind is TarExtra => extraKinds.has(kind);

/** `undefined` for a block of zeros. @throws Error for one that is no header */
export function readTarHeader(block: Buffer): TarHeader | undefined {
	if (block.every((byte) => byte === 0)) return undefined;
	if (sumOf(block) !== numberIn(block, 148, 8)) throw new Error('the sum of a header is wrong');
	const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? textIn(block, 345, 155) : '';
	const ending = textIn(block, 0, 100);
	const name = prefix === '' ? ending : `${prefix}/${ending}`;
	const flag = block.toString('latin1', 156, 157);
	const kind = Object.hasOwn(kinds, flag) ? kinds[flag] : undefined;
	// What archives had before there was a sign for folders.
	const isFolder = kind === 'folder' || (kind === 'file' && name.endsWith('/'));
	// The size of a folder says how much it may hold, not what follows.
	if (isFolder) return { name, kind: 'folder', size: 0 };
	return { name, kind: kind ?? 'kind of entry not known here', size: numberIn(block, 124, 12) };
}

/** Of all bytes of a header, with spaces where it stands itself. */
function sumOf(block: Buffer): number {
	let sum = 8 * 0x20;
	for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte;
	return sum;
}

function textIn(block: Buffer, start: number, length: number): string {
	const field = block.subarray(start, start + length);
	const end = field.indexOf(0);
	return field.toString('utf8', 0, end < 0 ? length : end);
}

/** In octal digits, or, where the first bit is set, in bytes. */
function numberIn(block: Buffer, start: number, length: number): number {
	const field = block.subarray(start, start + length);
	const [first = 0] = field;
	if ((first & 0x80) !== 0) {
		const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
		return checked(value);
	}
	const text = field.toString('latin1').replaceAll('\0', ' ').trim();
	if (text !== '' && !/^[0-7]+$/.test(text)) throw new Error('a number of a header is none');
	return checked(Number.parseInt(text || '0', 8));
}

/** Below zero are those in bytes that begin with 0xFF: they are far too large as they are read here. */
function checked(value: number): number {
	if (!Number.isSafeInteger(value)) throw new Error('a size is too large or below zero');
	return value;
}

/** The text that a header of GNU has for names too long for theirs. */
export function readLongName(content: Buffer): string {
	return textIn(content, 0, content.length);
}

/** Lines of `LENGTH KEY=VALUE`. @throws Error where they are none */
export function readPax(content: Buffer): PaxFields {
	let path: string | undefined;
	let size: number | undefined;
	let isSparse = false;
	for (let at = 0; at < content.length; ) {
		const space = content.indexOf(0x20, at);
		// A length has few digits; whatever stands further on is not looked for.
		const digits = space < 0 || space > at + 10 ? '' : content.toString('latin1', at, space);
		const end = at + Number(digits);
		const isLine = /^[1-9]\d*$/.test(digits) && end > space + 1 && content[end - 1] === 0x0a;
		const equals = content.indexOf(0x3d, space);
		if (!isLine || equals < 0 || equals >= end) throw new Error('a pax header is none');
		const key = equals - space > 100 ? '' : content.toString('utf8', space + 1, equals);
		if (key === 'path') path = content.toString('utf8', equals + 1, end - 1);
		if (key === 'size') size = sizeOf(content.toString('latin1', equals + 1, end - 1));
		if (key.startsWith('GNU.sparse.')) isSparse = true;
		at = end;
	}
	return {
		...(path === undefined ? {} : { path }),
		...(size === undefined ? {} : { size }),
		isSparse,
	};
}

function sizeOf(text: string): number {
	if (!/^\d{1,20}$/.test(text)) throw new Error('a size is no number');
	return checked(Number(text));
}
